/* dvm trace config of a program that directives divide. */
#ifndef DVM_TRACE_CONFIG_JOB_H
#define DVM_TRACE_CONFIG_JOB_H
#include "base/error.h"
#include <stdio.h>

struct config_job; /* what one run has measured */
/* Runs the command; 'status' as from waitpid.  NULL: 'err' says why. */
struct config_job *config_job_run(char *const *command, int *status, struct dvm_error *err);
void config_job_write(const struct config_job *m, FILE *f);
void config_job_destroy(struct config_job *m);
#endif
