/* Objects of ordinary memory: where they begin and end, and whether a word without a value says anything.  All inside dvmrt_mem_enter. */
#ifndef DVMRT_OBJECT_H
#define DVMRT_OBJECT_H
#include "runtime/data/heap.h"
#include "runtime/data/site.h"

/* 'data' is static data of an instrumented module.  The one function to be called outside dvmrt_mem_enter. */
void dvmrt_object_module(const void *data);
/* The module is going: where its static data lie.  False: not known. */
bool dvmrt_object_module_gone(const void *data, struct dvmrt_extent *x);
/* Whether it is the youngest object that this thread has announced.  Needs no lock. */
bool dvmrt_object_is_last(uintptr_t a, uint64_t size);
/* An object of this thread's stack begins to live; those below 'frame' (an address in the caller's caller's stack frame or below
 * it) are dead. */
void dvmrt_object_born(uintptr_t a, uint64_t size, uintptr_t frame);
/* The frames below 'frame' on this thread's stack have ended without a word: their objects count as assigned, for code that we
 * cannot see may use the place next and hand it to us. */
void dvmrt_object_unwound(uintptr_t frame);
/* The object that holds 'a': of the heap or of any thread's stack.  False: none is known. */
bool dvmrt_object_find(uintptr_t a, struct dvmrt_extent *x);
/* Up to where static data of instrumented modules reaches from 'a'; 'a' itself if it lies elsewhere. */
uintptr_t dvmrt_object_static_end(uintptr_t a);
/* Does the access judge whether data that it reads were assigned, if they are in an object that is known? */
bool dvmrt_object_judges(const struct dvmrt_access *x);
/* Whether to believe that the datum at 'a' was never assigned. */
bool dvmrt_object_judged(const struct dvmrt_access *x, uintptr_t a);
#endif
