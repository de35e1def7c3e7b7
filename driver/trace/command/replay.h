/* A recorded execution of a construct compared with what the ranks of a job are left with behind it. */
#ifndef DVM_TRACE_REPLAY_H
#define DVM_TRACE_REPLAY_H
#include "driver/trace/command/report.h"
#include "driver/trace/command/steps.h"
#include "driver/trace/job/elements.h"

struct dvmt_replay {
  struct dvmt_report *report;   /* NULL: nothing is told */
  /* replay.c's: */
  struct dvmt_images *images;
  uint64_t iteration[DVMT_NDIMS_MAX];
  uint32_t niteration;
  int executors;
  int32_t executor[2];
};
/* 'r', at its beginning, is read to its end by the comparison 'c'; the findings are made there.  0, or -E.. with a text. */
int dvmt_replay(struct dvmt_replay *p, struct dvmt_compare *c, struct dvmt_reader *r, struct dvmt_images *images,
                const struct dvmt_step *step, struct dvm_error *err);
/* For struct dvmt_compare_options, 'arg' is a struct dvmt_replay: the report, and who has the element and executes the iteration. */
void dvmt_replay_found(void *arg, const struct dvmt_finding *f);
#endif
