/* Processor time over restarts. */
#ifndef DVM_MPIR_CRS_CLOCK_H
#define DVM_MPIR_CRS_CLOCK_H
#include <time.h>
#include "mpir/crs/crs_private.h"

void mpir_crs_clock_init(void);
/* By the helper, when all stand and nothing is copied yet; in the restarted process; in a forked child. */
void mpir_crs_clock_note(void);
void mpir_crs_clock_restarted(void);
void mpir_crs_clock_after_fork(void);
/* ns of processor time of the calling thread over all its lives. */
int64_t mpir_crs_clock_thread(void);
/* The clock counts processor time; the ns that it lacks, of the lives before. */
bool mpir_crs_clock_is_used(clockid_t clock);
int64_t mpir_crs_clock_added(clockid_t clock);
#endif
