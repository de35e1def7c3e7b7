/* A comparison of a parallel run at level checksum, for job_compare.c and job_bisect.c. */
#ifndef DVM_TRACE_JOB_PRIVATE_H
#define DVM_TRACE_JOB_PRIVATE_H
#include "driver/folder.h"
#include "driver/trace/command/html.h"
#include "driver/trace/command/job_elements.h"
#include "driver/trace/command/job_levels.h"
#include "driver/trace/command/options.h"
#include "driver/trace/job/join.h"

struct dvmt_side {
  const char *path;             /* of the trace */
  struct dvmt_job *job;         /* or without ranks */
};
struct dvmt_comparing {
  struct dvmt_cli *o;
  struct dvmt_reader *a;        /* the reduced reference */
  struct dvmt_compare *c;
  struct dvmt_html *html;       /* or NULL */
  bool quiet;                   /* the run's standard output goes nowhere */
  struct dvmt_job_levels levels;
  struct dvmt_replay replay;    /* of constructs that are compared by elements */
  struct job_elements *elements;/* or NULL: there are none */
  char folder[CC_TEMPORARY_MAX], reference[CC_TEMPORARY_MAX + 16], results[CC_TEMPORARY_MAX + 16], run[CC_TEMPORARY_MAX + 16];
};
/* 0, or -E.. with a text: what the options ask for is not there for this kind of job ('parallel': of a program that directives divide). */
int dvmt_job_check(const struct dvmt_cli *o, bool parallel, struct dvm_error *err);
/* Warns of streams that are torn. */
void dvmt_job_note_torn(const struct dvmt_job *job, const char *path);
/* Reduces the reference and creates the comparison, with these options.  'command' or 'other': the run's, or its trace. */
int dvmt_job_begin(struct dvmt_comparing *x, const struct dvmt_side *s, const struct dvmt_compare_options *options, char *const *command,
                   struct dvmt_reader *other, struct dvm_error *err);
/* Runs the command and compares; 'status' as from waitpid. */
int dvmt_job_run(struct dvmt_comparing *x, char *const *command, int *status, struct dvm_error *err);
void dvmt_job_end(struct dvmt_comparing *x);
/* From the construct to its elements.  Returns whether something differs beyond the tolerance, or -E... */
int dvmt_job_bisect(struct dvmt_cli *o, const struct dvmt_side *s, char *const *command, int *status, struct dvm_error *err);

/* Processes that call MPI themselves, rank by rank.  1: something differs; or -E.. */
int dvmt_job_ranks_compare(struct dvmt_cli *o, const struct dvmt_job *reference, char *const *command, int *status, struct dvm_error *err);
/* 'run': its command or trace, for the page; 'cut': how it was cut, or NULL. */
int dvmt_job_ranks(struct dvmt_cli *o, const struct dvmt_job *a, const struct dvmt_job *b, char *const *run, const char *cut,
                   struct dvm_error *err);
#endif
