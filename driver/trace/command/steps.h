/* Executions of constructs behind which sums differ, and the first of them whose values do beyond the tolerance. */
#ifndef DVM_TRACE_STEPS_H
#define DVM_TRACE_STEPS_H
#include "driver/trace/compare/compare.h"

struct dvmt_step {
  char *construct;        /* site text; owned */
  char *in_reference;     /* the reference's; owned */
  uint64_t execution, reference_execution;
};
struct dvmt_steps {
  struct dvmt_step *row;  /* owned, in the order of the run */
  size_t n;
  bool failed;            /* no memory */
  bool parted;            /* the runs differ in more than sums: that all are within the tolerance is not the end of it */
};
/* For struct dvmt_compare_options; 'arg' is a struct dvmt_steps. */
void dvmt_steps_spot(void *arg, const struct dvmt_spot *s);
void dvmt_steps_fini(struct dvmt_steps *s);
/* Finds the first of n > 0 steps for which 'attempt' says 1 (beyond the tolerance; 0: not; or -E..), and reports it.  As attempt. */
int dvmt_steps_search(const struct dvmt_steps *s,
                      int (*attempt)(void *arg, const struct dvmt_step *step, bool report, struct dvm_error *err), void *arg,
                      struct dvm_error *err);
#endif
