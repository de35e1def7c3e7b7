/* Nests outside of parallel loops, a part of runtime/abi.h. */
#ifndef DVMRT_NEST_ABI_H
#define DVMRT_NEST_ABI_H
#include "runtime/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One for each question of the program, zero at first: bytes low .. high - 1 were not in doubt when the map of doubts had been changed
 * 'count' times. */
struct dvmrt_sure {
  uint64_t low, high, count;
};
/* Is nothing of the n bytes at p in doubt, and no parallel loop executed?  'accesses': how often the nest will ask else; 0 may be the
 * answer where it takes longer to find out. */
int __dvmrt_sure(struct dvmrt_sure *known, const void *p, uint64_t n, uint64_t accesses);

#ifdef __cplusplus
}
#endif
#endif
