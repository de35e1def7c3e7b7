/* Sums of the arrays that a construct writes, taken while it is executed (runtime/trace/rows.h), in the recording program. */
#ifndef DVMT_ROW_SUMS_H
#define DVMT_ROW_SUMS_H
#include "runtime/record/arrays.h"
#include "runtime/trace/abi.h"
#include <stdbool.h>

/* A construct begins whose arrays will be summed up; 'args' stay. */
void dvmt_row_sums_begin(const struct dvmt_site *site, const int64_t *args);
/* Of an array, when the construct ends; false: nothing of it has been told. */
bool dvmt_row_sums_of(const struct dvmt_site *site, const struct dvmt_array *a, uint64_t *sum);
#endif
