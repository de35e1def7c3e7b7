/* The MPIR process table of a launcher: "The MPIR Process Acquisition Interface, Version 1.0". */
#ifndef SDM_PROCTABLE_H
#define SDM_PROCTABLE_H
#include "sdm/session/target.h"

/* Adds the ranks of the job that launcher 'pid' runs, with their hosts, to 't'; of any other process just itself, by the rank
 * that its environment tells (0 without).  A launcher without a table, as hydra is or one whose ranks have not come to MPI_Init
 * yet, is known by its descendants that have a rank; hydra.h says how those on other hosts are found, and 'ssh'.  0, or a negative code. */
int sdm_proctable_read(long pid, const char *ssh, struct sdm_targets *t, struct dvm_error *err);
#endif
