/* The MPIR process table of a launcher: "The MPIR Process Acquisition Interface, Version 1.0". */
#ifndef SDM_PROCTABLE_H
#define SDM_PROCTABLE_H
#include "base/error.h"

/* Process ids by rank of the job that launcher 'pid' runs; of a plain process just itself.  Returns their number and
 * an array that the caller frees, or a negative code. */
int sdm_proctable_read(long pid, long **pids, struct dvm_error *err);
#endif
