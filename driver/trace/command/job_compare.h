/* Comparisons in which ranks take part: a program that directives divide against any reference, and jobs of processes rank by rank. */
#ifndef DVM_TRACE_JOB_COMPARE_H
#define DVM_TRACE_JOB_COMPARE_H
#include "driver/trace/command/options.h"
#include "driver/trace/job/job.h"

/* Whether a word of the command names a program that is executed in parallel: it was linked by 'dvmcc -fdvm=parallel'. */
bool dvmt_job_is_parallel(char *const *command);
/* 1: something differs, 0, or -E.. with a text.  'job': the reference's, or without ranks: it is an ordinary trace. */
int dvmt_job_compare(struct dvmt_cli *o, const char *reference, struct dvmt_job *job, char *const *command, int *status,
                     struct dvm_error *err);
/* The same of two traces, at least one of which is a job's. */
int dvmt_job_diff(struct dvmt_cli *o, char *const *paths, struct dvmt_job jobs[2], struct dvm_error *err);
#endif
