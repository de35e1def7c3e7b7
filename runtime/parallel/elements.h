/* Executions of constructs, element by element: level modify and full, and the one of a comparison that knows where results part
 * ('trace_elements=N@FILE:LINE').  Sites and records: runtime/trace/elements.h. */
#ifndef DVMP_ELEMENTS_H
#define DVMP_ELEMENTS_H
#include "runtime/parallel/construct.h"

/* Of 'trace_elements'. */
bool dvmp_elements_wanted(const struct dvmp_construct *c, uint64_t execution);
/* Before its first turn, its level being known: the iterations that are this rank's, and what it has of the arrays.  Behind the last: what it
 * has then. */
void dvmp_elements_enter(struct dvmp_construct *c);
/* An iteration of a construct that is told. */
void dvmp_elements_iteration(const struct dvmp_construct *c, const int64_t *indices);
void dvmp_elements_leave(const struct dvmp_construct *c);
#endif
