/* A point to which a thread can return once more, in another life of the process. */
#ifndef DVM_MPIR_CONTEXT_H
#define DVM_MPIR_CONTEXT_H
#include "mpir/image/context.h"

/* Returns 0 when it saves and 1 each time the restorer resumes it.  As with setjmp, the caller must not have returned in
 * between, and locals changed after the first return are not to be relied on: call it from a function of its own.
 * Vector and floating-point state is not part of it: a thread's own is in its signal frame. */
int mpir_context_save(struct mpir_context *context) __attribute__((returns_twice));
#endif
