/* Where the heap's allocations begin and end, as far as instrumented code made them. */
#ifndef DVMRT_HEAP_H
#define DVMRT_HEAP_H
#include <stdbool.h>
#include <stdint.h>

struct dvmrt_extent {
  uintptr_t start;
  uint64_t size;   /* bytes, as asked for */
};

/* All inside dvmrt_mem_enter.  Adding drops extents that the new one overlaps: their release was not seen. */
void dvmrt_heap_add(uintptr_t start, uint64_t size);
/* The extent that holds 'a' (or begins there, if empty); false: none. */
bool dvmrt_heap_find(uintptr_t a, struct dvmrt_extent *x);
/* Forgets the extent that begins at 'start'; false: there is none. */
bool dvmrt_heap_remove(uintptr_t start, struct dvmrt_extent *x);
#endif
