/* What Debian's libraries of Open MPI's bindings for Fortran and C++ need from the inside of libmpi.  They run unchanged on this library. */
#ifndef MPL_BINDINGS_H
#define MPL_BINDINGS_H
#include <stdint.h>

extern int32_t ompi_mpi_state; /* 0 before MPI_Init, 2 after it, 5 after MPI_Finalize */
#endif
