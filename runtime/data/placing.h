/* What a directive says of where an array lies and how wide its edges are: from the items of its text to coordinates and widths.  The
 * checker and the parallel run time read them here alike. */
#ifndef DVMRT_PLACING_H
#define DVMRT_PLACING_H
#include "runtime/data/directive.h"
#include "runtime/data/layout.h"

/* What one exchange brings: a box of widths, with or without its corners. */
struct dvmrt_box {
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
  bool corner;
};

/* A subscript of 'on' or 'with'. */
struct dvmrt_coord dvmrt_placing_coord(const struct dvmrt_axis *x, const int64_t *args);
/* Declared widths: 1:1 in each dimension when none are. */
void dvmrt_placing_shadow(const struct dvmrt_item *own, const int64_t *args, int ndims, int64_t *low, int64_t *high);
/* Widths of a clause, the declared ones where none are given. */
void dvmrt_placing_widths(const struct dvmrt_item *item, const int64_t *args, int ndims, const int64_t *low, const int64_t *high,
                          struct dvmrt_box *box);
#endif
