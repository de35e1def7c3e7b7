/* Named edges: 'shadow_add', and 'shadow_renew(A["name"])'. */
#ifndef DVMRT_NAMED_H
#define DVMRT_NAMED_H
#include "runtime/rules/check.h"

/* All inside dvmrt_mem_enter. */
void dvmrt_named_add(struct dvmrt_directive *d, const int64_t *args);
/* localize: the numbers must be those of elements that are, or may be, where they stand. */
void dvmrt_named_localize(struct dvmrt_directive *d, const int64_t *args);
/* The edges of 'a' that item RENEW of 'd' renews: the one that it names, or, if it gives no widths, all. */
void dvmrt_named_renew(const struct dvmrt_directive *d, const struct dvmrt_item *i, struct dvmrt_array *a);
/* Is a read of an element that is displaced, or whose place says nothing of it, right or wrong because of an edge with a name that holds it?
 * 0: no edge decides that; 1: right; -1: that edge is not renewed.  It is not judged. */
int dvmrt_named_decides(const struct dvmrt_event *ev, const struct dvmrt_place *p);
/* The same in short, of a read of an array with one dimension: right for certain. */
bool dvmrt_named_reads(const struct dvmrt_frame *nest, struct dvmrt_array *a, uintptr_t p);
#endif
