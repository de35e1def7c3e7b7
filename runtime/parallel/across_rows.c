#include "runtime/parallel/across_rows.h"
#include "runtime/parallel/way.h"

struct dvmp_rows {
  int n;
  int64_t count;
  struct row_loop {
    struct dvmp_list values;
    int64_t count;
    bool downwards;
  } loop[DVMRT_NDIMS_MAX];
};

struct dvmp_rows *dvmp_rows_make(struct dvmp_construct *c, const struct dvmp_list *part, int index) {
  struct dvmp_rows *w = dvmp_arena_get(&c->memory, sizeof(*w));
  w->n = index;
  w->count = 1;
  for (int k = 0; k < index; k++) {
    w->loop[k].values = part[k];
    w->loop[k].count = dvmp_list_count(part[k]);
    w->loop[k].downwards = dvmp_way(c, k) < 0;
    w->count *= w->loop[k].count;
  }
  return w;
}

int64_t dvmp_rows_count(const struct dvmp_rows *w) { return w->count; }

static int64_t nth(struct dvmp_list l, int64_t n) {
  int i = 0;
  while (n > l.at[i].high - l.at[i].low) {
    n -= l.at[i].high - l.at[i].low + 1;
    i++;
  }
  return l.at[i].low + n;
}

/* Values of the loops, the innermost one first to change. */
void dvmp_rows_values(const struct dvmp_rows *w, int64_t row, int64_t *value) {
  for (int k = w->n - 1; k >= 0; k--) {
    const struct row_loop *l = &w->loop[k];
    int64_t n = row % l->count;
    value[k] = nth(l->values, l->downwards ? l->count - 1 - n : n);
    row /= l->count;
  }
}

void dvmp_rows_clamp(const struct dvmp_construct *c, const struct dvmp_rows *w, int64_t row, int64_t *clamps) {
  int64_t value[DVMRT_NDIMS_MAX];
  dvmp_rows_values(w, row, value);
  for (int k = 0; k < w->n && k < c->d->rank; k++)
    clamps[4 * k] = clamps[4 * k + 1] = value[k];
}

struct dvmp_set dvmp_rows_meet(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmp_rows *w, int64_t row,
                               const struct dvmp_array *a, const struct dvmp_set *s) {
  struct dvmp_set of = *s;
  int64_t value[DVMRT_NDIMS_MAX];
  dvmp_rows_values(w, row, value);
  for (int r = 0; r < c->layout.ndims; r++) {
    struct dvmrt_coord it = c->layout.at[r], at = a->layout.at[r];
    if (it.kind != DVMRT_COORD_AFFINE || it.index >= w->n || at.kind != DVMRT_COORD_AFFINE || !at.coef)
      continue;
    int64_t place = it.coef * value[it.index] + it.add;
    of.dim[at.index] = dvmp_list_meet(m, of.dim[at.index], dvmp_list_before(m, dvmp_list_of(m, place, place), at.coef, at.add));
  }
  return of;
}
