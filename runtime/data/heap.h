/* Where the heap's allocations begin and end, as far as instrumented code made them. */
#ifndef DVMRT_HEAP_H
#define DVMRT_HEAP_H
#include <stdbool.h>
#include <stdint.h>

struct dvmrt_extent {
  uintptr_t start;
  uint64_t size;   /* bytes, as asked for */
  uint32_t born;   /* the time then */
};

/* The time that extents are born at.  Whoever wants to tell older from younger ones counts it on. */
extern uint32_t dvmrt_heap_now;

/* All inside dvmrt_mem_enter.  Adding drops extents that the new one overlaps: their release was not seen. */
void dvmrt_heap_add(uintptr_t start, uint64_t size);
/* The extent that begins at 'start', which is there, is as old as that. */
void dvmrt_heap_is_old(uintptr_t start, uint32_t born);
/* The extent that holds 'a' (or begins there, if empty); false: none. */
bool dvmrt_heap_find(uintptr_t a, struct dvmrt_extent *x);
/* Forgets the extent that begins at 'start'; false: there is none. */
bool dvmrt_heap_remove(uintptr_t start, struct dvmrt_extent *x);
#endif
