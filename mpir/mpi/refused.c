/* Functions that are not done: they end the job with one line, instead of a wrong result. */
#include "mpir/mpi/core.h"

void mpl_refuse(const char *name, const void *place) {
  mpl_die(64, "%s is not supported here (called at %p)\nhelp: 'dvm run --native' runs the program on Open MPI itself", name, place);
}

#define DONE(name)
#define REFUSED(type, name, parameters)                                        \
  type PMPI_##name parameters;                                                 \
  type MPI_##name parameters __attribute__((weak, alias("PMPI_" #name)));      \
  type PMPI_##name parameters { mpl_refuse("MPI_" #name, MPL_PLACE); }
#pragma clang diagnostic ignored "-Wunused-parameter"
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#include "mpir/mpi/functions.inc"
