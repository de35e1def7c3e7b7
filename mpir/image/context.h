/* Where a thread's registers stood when it was saved: what a call keeps. */
#ifndef DVM_MPIR_IMAGE_CONTEXT_H
#define DVM_MPIR_IMAGE_CONTEXT_H
#include <stdint.h>

struct mpir_context { /* read by context.S and restorer.c: keep the order */
  uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
};
#endif
