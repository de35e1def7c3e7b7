/* Arrays with a copy at each place of a dimension of what they are aligned with: align([i][] with a[][i]).  A nest whose iterations are divided
 * along that dimension gives such an element a value where iterations at every place of it assign the element, and at last the same value: then
 * each copy has it. */
#ifndef DVMRT_REPLICAS_H
#define DVMRT_REPLICAS_H
#include "runtime/rules/check.h"

/* All inside dvmrt_mem_enter. */
/* False: the event's array has no copies along a dimension that is divided in the nest, or too many to be followed. */
bool dvmrt_replicas_follow(const struct dvmrt_event *ev);
/* .. else: the iteration assigns [p, p + size) of it, which the nest does not only read. */
void dvmrt_replicas_write(const struct dvmrt_event *ev, uintptr_t p, uint64_t size);
/* Subscriber: elements that some copies were not given, or that have other values in some, are private after the nest, which is told. */
void dvmrt_replicas_over(struct dvmrt_frame *f);
#endif
