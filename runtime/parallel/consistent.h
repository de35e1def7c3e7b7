/* consistent: replicated arrays of which each rank's iterations assign elements, and which all ranks have when the construct is over. */
#ifndef DVMP_CONSISTENT_H
#define DVMP_CONSISTENT_H
#include "runtime/parallel/construct.h"

/* Before the first iteration. */
void dvmp_consistent_begin(struct dvmp_construct *c);
/* What iterations for edges have assigned does not count: as it was. */
void dvmp_consistent_back(struct dvmp_construct *c);
/* Each rank tells what it has changed. */
void dvmp_consistent_end(struct dvmp_construct *c);
#endif
