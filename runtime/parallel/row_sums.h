/* Sums of this rank's part of the arrays that a construct writes, taken while it is executed (runtime/trace/rows.h). */
#ifndef DVMP_ROW_SUMS_H
#define DVMP_ROW_SUMS_H
#include "runtime/parallel/construct.h"

/* Before the first turn, and behind the last. */
void dvmp_row_sums_begin(struct dvmp_construct *c);
void dvmp_row_sums_end(void);
/* In between, of an array; false: nothing of it has been told. */
bool dvmp_row_sums_of(const struct dvmp_array *a, uint64_t *sum);
#endif
