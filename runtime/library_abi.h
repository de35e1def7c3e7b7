/* Calls of libraries, a part of runtime/abi.h.  What was called through a pointer may be a function of the C library, which the run-time
 * library knows by its address (library.inc). */
#ifndef DVMRT_LIBRARY_ABI_H
#define DVMRT_LIBRARY_ABI_H
#include "runtime/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where in 'what' of a part the number of the argument begins; the last number is the result's. */
enum { DVMRT_PART_ARGUMENT = 8, DVMRT_PART_RESULT = 255 };
/* As __dvmrt_handed, after a call of 'callee', which we cannot see into. */
void __dvmrt_handed_to(const void *callee, const struct dvmrt_part *parts, uint32_t n, ...);
/* After a function of flang's library that assigns what a descriptor describes; may be NULL. */
void __dvmrt_described(const void *descriptor);

#ifdef __cplusplus
}
#endif
#endif
