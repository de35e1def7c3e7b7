#include "runtime/data/placing.h"

struct dvmrt_coord dvmrt_placing_coord(const struct dvmrt_axis *x, const int64_t *args) {
  switch (x->kind) {
  case 'c': return (struct dvmrt_coord){DVMRT_COORD_CONST, 0, 0, dvmrt_num_value(x->add, args)};
  case 'a': return (struct dvmrt_coord){DVMRT_COORD_AFFINE, x->index, dvmrt_num_value(x->coef, args), dvmrt_num_value(x->add, args)};
  default: return (struct dvmrt_coord){DVMRT_COORD_ALL, 0, 0, 0};
  }
}

void dvmrt_placing_shadow(const struct dvmrt_item *own, const int64_t *args, int ndims, int64_t *low, int64_t *high) {
  for (int d = 0; d < ndims; d++) {
    bool given = d < own->nwidths && own->width[d].given;
    low[d] = given ? dvmrt_num_value(own->width[d].low, args) : own->nwidths ? 0 : 1;
    high[d] = given ? dvmrt_num_value(own->width[d].high, args) : own->nwidths ? 0 : 1;
  }
}

void dvmrt_placing_widths(const struct dvmrt_item *item, const int64_t *args, int ndims, const int64_t *low, const int64_t *high,
                          struct dvmrt_box *box) {
  *box = (struct dvmrt_box){.corner = item->corner};
  for (int d = 0; d < ndims; d++) {
    bool given = d < item->nwidths && item->width[d].given;
    box->low[d] = given ? dvmrt_num_value(item->width[d].low, args) : low[d];
    box->high[d] = given ? dvmrt_num_value(item->width[d].high, args) : high[d];
  }
}
