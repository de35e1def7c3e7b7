/* Whole arrays and sections that a statement reads or writes: judged as accesses of their elements. */
#ifndef DVMRT_SECTION_H
#define DVMRT_SECTION_H
#include "runtime/data/site.h"
#include <stdbool.h>

/* 'extent' elements 'stride' bytes apart in each dimension, the one that changes fastest first. */
struct dvmrt_elements {
  struct dvmrt_site *site;
  uintptr_t first;
  uint64_t bytes;    /* of an element */
  uint32_t flags, n; /* as __dvmrt_touch has them; dimensions */
  int64_t extent[DVMRT_NDIMS_MAX], stride[DVMRT_NDIMS_MAX];
};

/* The smallest range that holds it; false: no element is in it. */
bool dvmrt_section_bounds(const struct dvmrt_elements *s, uintptr_t *low, uint64_t *size);
/* What sections that a statement reads are for is seen when it assigns: some wait for that. */
extern uint32_t dvmrt_section_nwaiting;
/* Inside dvmrt_mem_enter. */
void dvmrt_section_access(struct dvmrt_elements *s);
/* The statement is over. */
void dvmrt_section_close(void);
#endif
