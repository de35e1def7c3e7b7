/* Rows: the loops around the one that is walked piece by piece, value by value. */
#ifndef DVMP_ACROSS_ROWS_H
#define DVMP_ACROSS_ROWS_H
#include "runtime/parallel/construct.h"

struct dvmp_rows;
/* Of the loops 0 .. index-1, 'part': values of each. */
struct dvmp_rows *dvmp_rows_make(struct dvmp_construct *c, const struct dvmp_list *part, int index);
int64_t dvmp_rows_count(const struct dvmp_rows *w);
/* Of the row, one of each loop. */
void dvmp_rows_values(const struct dvmp_rows *w, int64_t row, int64_t *value);
/* The loops take the values of this row alone. */
void dvmp_rows_clamp(const struct dvmp_construct *c, const struct dvmp_rows *w, int64_t row, int64_t *clamps);
/* What of the array's set lies in the row. */
struct dvmp_set dvmp_rows_meet(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmp_rows *w, int64_t row,
                               const struct dvmp_array *a, const struct dvmp_set *s);
#endif
