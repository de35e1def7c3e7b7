/* Ranges of bytes that functions read or write, judged as accesses of the data in them. */
#ifndef DVMRT_RANGE_H
#define DVMRT_RANGE_H
#include "runtime/export.h"
#include <stdbool.h>

/* All inside dvmrt_mem_enter; 'flags' as __dvmrt_touch has them. */
void dvmrt_range_access(uintptr_t p, uint64_t size, struct dvmrt_site *site, uint32_t flags);
/* Of a copy: what is read, which may be written to 'dst' by its owner; then what is written. */
void dvmrt_range_source(uintptr_t p, uint64_t size, struct dvmrt_site *site, uintptr_t dst);
/* False: it is reported, and the words of the target stay as they are. */
bool dvmrt_range_target(uintptr_t p, uint64_t size, struct dvmrt_site *site);
#endif
