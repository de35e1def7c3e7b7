/* dvm-reduction-mismatch and dvm-reduction-escape: the second evaluation of a reduction against the first. */
#ifndef DVMRT_REDUCE_H
#define DVMRT_REDUCE_H
#include "runtime/rules/construct.h"

struct dvmrt_evaluation {       /* __dvmrt_reduction in abi.h */
  uint32_t number;              /* R line, from 0 */
  bool disturbed, tied;
  const void *before, *result, *partial;
  double magnitude, roundings;
  uint32_t each_iteration;      /* roundings */
  const void *loc_before, *loc_result, *loc_partial; /* or NULL */
  uint64_t loc_bytes;
};

struct dvmrt_results {          /* __dvmrt_results */
  uint32_t number;
  bool disturbed;
  const void *before;
  void *result;
  const void *partial, *last;
  const double *magnitude;      /* two each, or NULL */
  uint64_t count;
};

/* reduction=emulate: the program goes on with what its processors would have computed. */
extern bool dvmrt_reduce_emulates;

/* Inside dvmrt_mem_enter.  True: the program is to take the second value. */
bool dvmrt_reduce_compare(const struct dvmrt_directive *d, const struct dvmrt_evaluation *e);
void dvmrt_reduce_results(const struct dvmrt_directive *d, const struct dvmrt_results *r);
void dvmrt_reduce_step(const struct dvmrt_directive *d, uint32_t numbers, bool over);
/* Releases what the steps have kept. */
void dvmrt_reduce_over(struct dvmrt_frame *f);
void dvmrt_reduce_escape(struct dvmrt_site *access);
#endif
