/* `dvm debug --batch`: runs a program to its end and reports when it hangs or fails, for CI. */
#ifndef SDM_BATCH_H
#define SDM_BATCH_H
#include "sdm/session/session.h"
#include "sdm/console/show.h"

/* Before 'launch', the command that starts the program, is sent: a program that gives up by MPI_Abort is to stop there, or it could not be
 * known which rank did it and where. */
void sdm_batch_prepare(struct sdm_session *s, const json_t *launch);

/* The program runs.  0: all ended with status 0; 1: something failed or stopped by a signal; 3: it was still running after
 * 'timeout_s'; 130: '*interrupted' became true.  But for the first, the merged stacks and the state of every rank are shown. */
int sdm_batch_run(struct sdm_session *s, const struct sdm_show *show, unsigned timeout_s, const volatile atomic_int *interrupted);
#endif
