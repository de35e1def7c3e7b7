/* Processes that a command of ours starts, each of which waits for its debugger: of a checkpoint, or the ranks of a job that can be saved as a
 * whole.  They write where we do and read nothing. */
#ifndef SDM_HELD_H
#define SDM_HELD_H
#include <stdbool.h>

#include "sdm/session/target.h"

#define SDM_JOB_RANKS_MAX 65536u

bool sdm_is_restart_set(const char *path); /* a folder with the images of several processes */
/* Runs the restart command.  The processes are added to 't', numbered as the image has them; they go on without us.  0, or a negative code.
 * 'apart': what they write to standard output goes to our standard error. */
int sdm_restart_set(const char *folder, bool apart, struct sdm_targets *t, struct dvm_error *err);
/* Runs "dvm run --debug ..", and adds its 'ranks' to 't'.  Returns a descriptor of the command, for sdm_job_end, or a negative code. */
int sdm_job_start(char *const *words, uint32_t ranks, bool apart, struct sdm_targets *t, struct dvm_error *err);
void sdm_job_end(int job); /* ends command and ranks, and closes the descriptor; negative: nothing */
#endif
