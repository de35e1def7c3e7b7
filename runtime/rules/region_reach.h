/* Data that a region uses by functions which it calls, and which stand behind it or in other files: what each file tells when it is loaded. */
#ifndef DVMRT_REGION_REACH_H
#define DVMRT_REGION_REACH_H
#include "runtime/data/directive.h"

/* All inside dvmrt_mem_enter.  "reached": what the region at that place uses and calls; "reaches": what a function does. */
void dvmrt_region_reached(struct dvmrt_directive *d, const int64_t *args);
/* Calls 'use' for all that the region uses so. */
void dvmrt_region_reach_each(const struct dvmrt_directive *region, void (*use)(const struct dvmrt_ref *ref, const int64_t *args));
void dvmrt_region_reach_gone(const struct dvmrt_site *first, const struct dvmrt_site *last);
#endif
