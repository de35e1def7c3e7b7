/* dvm-reduction-mismatch and dvm-reduction-escape: the second evaluation of a reduction against the first. */
#ifndef DVMRT_REDUCE_H
#define DVMRT_REDUCE_H
#include "runtime/directive.h"

struct dvmrt_evaluation {       /* __dvmrt_reduction in abi.h */
  uint32_t number;              /* R line, from 0 */
  bool disturbed, tied;
  const void *before, *result, *partial;
  double magnitude;
  const void *loc_before, *loc_result, *loc_partial; /* or NULL */
  uint64_t loc_bytes;
};

/* Inside dvmrt_mem_enter. */
void dvmrt_reduce_compare(const struct dvmrt_directive *d, const struct dvmrt_evaluation *e);
void dvmrt_reduce_escape(struct dvmrt_site *access);
#endif
