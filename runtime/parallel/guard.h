/* Pages of arrays that hold elements of other ranks alone cannot be accessed, so that a use of them that the directives do not provide for
 * ends the run at its place.  It costs a few system calls when an array is placed, and nothing afterwards. */
#ifndef DVMP_GUARD_H
#define DVMP_GUARD_H
#include "runtime/parallel/array.h"

/* The array has got its place: closes pages, where that takes few calls. */
void dvmp_guard_place(struct dvmp_array *a);
/* Elements are about to be brought. */
void dvmp_guard_open(struct dvmp_array *a, const struct dvmp_set *s);
/* What was opened since the array was placed is closed again: behind a construct. */
void dvmp_guard_close_all(void);
/* All of its memory is accessible, for good. */
void dvmp_guard_drop(struct dvmp_array *a);
#endif
