/* Who waits for whom: where every rank stands in MPI, what its message queues hold, and what follows from all of them together. */
#ifndef SDM_WAITS_H
#define SDM_WAITS_H
#include "sdm/console/show.h"

/* Asks those of 'to' that stand, and shows it.  'quiet': nothing if none of them is in MPI.  Returns how many are in MPI. */
size_t sdm_waits_show(struct sdm_session *s, const struct sdm_show *show, const struct sdm_set *to, uint32_t timeout_ms, bool quiet);
#endif
