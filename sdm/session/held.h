/* Processes that a command of ours starts, each of which waits for its debugger: of a checkpoint, or the ranks of a job that can be saved as a
 * whole.  They read nothing. */
#ifndef SDM_HELD_H
#define SDM_HELD_H
#include <stdbool.h>

#include "sdm/session/target.h"

bool sdm_is_restart_set(const char *path); /* a folder with the images of several processes */
/* Runs the restart command.  The processes are added to 't', numbered as the image has them; they go on without us.  0, or a negative code.
 * 'apart': what they write to standard output goes to our standard error. */
int sdm_restart_set(const char *folder, bool apart, struct sdm_targets *t, struct dvm_error *err);
/* A job that is saved as a whole, "dvm run --checkpointable -n 4 ./prog": only its own processes can be saved, so debug servers cannot stand in their
 * places.  It is started with its ranks waiting, and attached to.  Do the first 'n' words of a line, up to the program, launch one? */
bool sdm_job_is_one(char *const *line, int n);
/* Where a job writes; -1: where we do.  Borrowed. */
struct sdm_job_output {
  int out, err;
};
/* Runs the line, whose first 'n' words are the launcher's, and adds its ranks to 't'.  Returns a descriptor of the command, for sdm_job_end, or a
 * negative code. */
int sdm_job_start(char *const *line, int n, struct sdm_job_output to, struct sdm_targets *t, struct dvm_error *err);
void sdm_job_end(int job); /* ends command and ranks, and closes the descriptor; negative: nothing */
#endif
