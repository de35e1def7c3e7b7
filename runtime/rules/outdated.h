/* Blocks of remote_access in the sequential part: what they have fetched is as it was when they began; an element that such a block assigns and
 * reads again has the new value on its owner alone.  Blocks of Fortran too that copy (ASYNCHRONOUS); its REMOTE_ACCESS stands before one
 * statement, which has evaluated all that it reads. */
#ifndef DVMRT_OUTDATED_H
#define DVMRT_OUTDATED_H
#include "runtime/rules/check.h"

extern uint32_t dvmrt_outdated_open; /* blocks that are being executed */

/* Subscribers. */
void dvmrt_outdated_before(struct dvmrt_frame *f);
void dvmrt_outdated_over(struct dvmrt_frame *f);
/* Inside dvmrt_mem_enter.  Does a block that is being executed name the array? */
bool dvmrt_outdated_concerns(const struct dvmrt_array *a);
/* An element of the sequential part is assigned; has one that is read been so in such a block? */
void dvmrt_outdated_assigned(const struct dvmrt_event *ev);
bool dvmrt_outdated_has(const struct dvmrt_event *ev);
/* The same of all elements that have bytes in [p, end), of one array, of any. */
void dvmrt_outdated_filled(const struct dvmrt_array *a, uintptr_t p, uintptr_t end);
void dvmrt_outdated_memory(uintptr_t p, uintptr_t end);
/* The array ceases to be. */
void dvmrt_outdated_forget(const struct dvmrt_array *a);
#endif
