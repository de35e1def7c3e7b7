/* A recorded execution of a construct compared with what the ranks of a job are left with behind it. */
#ifndef DVM_TRACE_REPLAY_H
#define DVM_TRACE_REPLAY_H
#include "driver/trace/command/report.h"
#include "driver/trace/command/steps.h"
#include "driver/trace/job/elements.h"
#include "runtime/trace/config.h"

struct dvmt_replay_iteration {
  uint64_t index[DVMT_NDIMS_MAX];
  uint32_t n;
  int executors;
  int32_t executor[2];
};
struct dvmt_replay {
  struct dvmt_report *report;   /* NULL: nothing is told */
  bool partial;                 /* iterations that no rank executes are left out */
  bool alone;                   /* the execution is all that is compared: its sums are known to differ */
  bool of_job;                  /* the reference is of ranks too, and tells no iterations */
  /* replay_check.c's: */
  struct dvmt_images *images;   /* NULL: no execution is being compared by elements */
  bool limited, told_iteration;
  struct dvmt_replay_iteration now, next;
};
/* 'r', at its beginning, is read to its end by the comparison 'c'; the findings are made there.  0, or -E.. with a text. */
int dvmt_replay(struct dvmt_replay *p, struct dvmt_compare *c, struct dvmt_reader *r, struct dvmt_images *images,
                const struct dvmt_step *step, struct dvm_error *err);

/* Its parts.  An execution begins; 'limits': the reference has these iterations alone; or NULL. */
struct replay_values;
void dvmt_replay_begin(struct dvmt_replay *p, struct dvmt_images *images, const struct dvmt_limits *limits);
/* An iteration of the reference, before it is passed on; false: no rank executes it.  Afterwards, of the construct with that text, unless it
 * is left out. */
bool dvmt_replay_look(struct dvmt_replay *p, const struct dvmt_record *r);
void dvmt_replay_iteration(struct dvmt_replay *p, struct dvmt_compare *c, const char *construct);
/* All of it has been passed on. */
void dvmt_replay_end(struct dvmt_replay *p, struct dvmt_compare *c, const char *construct, const struct replay_values *values);
/* For struct dvmt_compare_options, 'arg' is a struct dvmt_replay: the report; who has the element and executes the iteration. */
void dvmt_replay_found(void *arg, const struct dvmt_finding *f);
char *dvmt_replay_note(void *arg, const struct dvmt_finding *f);
#endif
