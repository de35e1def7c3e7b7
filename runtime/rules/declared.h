/* One variable, declared with a directive in several files: each of them relies on what it says, so all must say the same. */
#ifndef DVMRT_DECLARED_H
#define DVMRT_DECLARED_H
#include "runtime/data/array.h"

/* All inside dvmrt_mem_enter.  What the file says that defines the variable; what another one says. */
void dvmrt_declared_here(struct dvmrt_directive *d, const int64_t *args);
void dvmrt_declared_elsewhere(struct dvmrt_directive *d, const int64_t *args);
/* Other directives of the array's variable than its own, up to 'room' of them: how many there are. */
int dvmrt_declared_places(const struct dvmrt_array *a, struct dvmrt_pos *places, int room);
void dvmrt_declared_gone(const struct dvmrt_site *first, const struct dvmrt_site *last);
#endif
