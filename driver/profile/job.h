/* The job that is profiled. */
#ifndef DVM_PROFILE_JOB_H
#define DVM_PROFILE_JOB_H
#include "base/error.h"
#include <stdbool.h>

/* Before it is started: -ENOENT, -EINVAL if it cannot be what is wanted (no such program, one that was compiled to be checked). */
int prof_job_look(char *const *command, struct dvm_error *err);
/* Runs it, its ranks told to write their profiles into 'folder'.  'apart': its standard output goes to ours for errors.  'status': as from
 * waitpid. */
int prof_job_run(char *const *command, const char *folder, bool apart, int *status, struct dvm_error *err);
#endif
