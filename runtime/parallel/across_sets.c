#include "runtime/parallel/across_inside.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/parts.h"

/* Sets beside the part of a rank are told apart by where they lie: towards lower or higher indices in each dimension, or in the part's
 * own range.  A set is new (flow) if the iterations that write it come before those of the part, going by the outermost index variable
 * in which they differ; else it is old (anti). */

struct asked {
  const struct dvmp_member *v;
  enum dvmp_wanted what;
};

bool dvmp_across_is_cut(const struct dvmp_array *a, int d) {
  for (int r = 0; r < a->layout.ndims; r++)
    if (a->layout.block[r] && a->layout.at[r].kind == DVMRT_COORD_AFFINE && a->layout.at[r].index == d &&
        dvmp_layout_grid(&a->layout)->axis[r].nprocs > 1)
      return true;
  return false;
}

bool dvmp_across_has_cut_edge(const struct dvmp_member *v) {
  for (int d = 0; d < v->a->ndims; d++)
    if ((v->box.low[d] || v->box.high[d]) && dvmp_across_is_cut(v->a, d))
      return true;
  return false;
}

static bool has_iterations(struct dvmp_arena *m, const struct dvmp_construct *c, int rank) {
  struct dvmp_list part;
  for (int k = 0; k < c->d->rank; k++)
    if (dvmp_parts_of(m, c, rank, k, &part) && !part.n)
      return false;
  return true;
}

/* A rank whose part lies between two elements takes no part in passing values on: it must have no iterations either. */
void dvmp_across_need_elements(const struct dvmp_construct *c, const struct dvmp_member *v) {
  static const int64_t one[DVMRT_NDIMS_MAX] = {1, 1, 1, 1, 1, 1, 1};
  struct dvmp_arena m = {NULL};
  for (int q = 0; dvmp_across_has_cut_edge(v) && q < dvmp_job.size; q++) {
    struct dvmp_set own = dvmp_array_own(&m, v->a, q), near = dvmp_array_with_edges(&m, v->a, q, one, one);
    for (int d = 0; dvmp_set_empty(&own) && !dvmp_set_empty(&near) && d < v->a->ndims; d++)
      if (dvmp_across_is_cut(v->a, d) && !own.dim[d].n && dvmp_list_count(near.dim[d]) > 1 && has_iterations(&m, c, q))
        dvmp_fail_all(
            1, &c->d->pos,
            "'across' over '%s', of which rank %d has no element but executes iterations between two of them, is not supported in "
            "parallel execution yet: use fewer ranks, or map the loop on '%s'",
            v->a->name, q, v->a->name);
  }
  dvmp_arena_free(&m);
}

/* -1 in each dimension: below the part, 0: in its range, 1: above. */
static enum dvmp_wanted kind_of(const struct dvmp_member *v, const int *where) {
  int outermost = -1, dim = -1;
  for (int d = 0; d < v->a->ndims; d++)
    if (where[d] && v->index[d] >= 0 && (outermost < 0 || v->index[d] < outermost)) {
      outermost = v->index[d];
      dim = d;
    }
  if (dim < 0 || where[dim] * v->sign[dim] > 0)
    return DVMP_OLD;
  return v->tiled < 0 || where[v->tiled] ? DVMP_NEW_TOGETHER : DVMP_NEW_STAGED;
}

static bool make_set(struct dvmp_arena *m, const struct dvmp_member *v, const struct dvmp_set *own, const int *where, struct dvmp_set *s) {
  *s = *own;
  for (int d = 0; d < own->ndims; d++)
    if (where[d]) {
      struct dvmp_list wide =
          dvmp_list_widen(m, own->dim[d], where[d] < 0 ? v->box.low[d] : 0, where[d] > 0 ? v->box.high[d] : 0, v->a->extent[d]);
      s->dim[d] = dvmp_list_minus(m, wide, own->dim[d]);
    }
  return !dvmp_set_empty(s);
}

static bool is_wanted(const struct asked *q, const int *where, int ndims) {
  bool any = false;
  for (int d = 0; d < ndims; d++)
    any |= where[d] != 0;
  return any && (q->what == DVMP_OLD_SIDES || kind_of(q->v, where) == q->what);
}

static int need(void *arg, struct dvmp_arena *m, const struct dvmp_array *a, int rank, struct dvmp_set *needs) {
  const struct asked *q = arg;
  struct dvmp_set own = dvmp_array_own(m, a, rank);
  int where[DVMRT_NDIMS_MAX], n = 0;
  if (dvmp_set_empty(&own))
    return 0;
  for (int d = 0; d < a->ndims; d++)
    where[d] = dvmp_across_is_cut(a, d) ? -1 : 0;
  for (;;) {
    if (is_wanted(q, where, a->ndims) && make_set(m, q->v, &own, where, &needs[n]) && n < DVMP_NEEDS_MAX - 1)
      n++;
    int d = a->ndims - 1;
    for (; d >= 0; d--) {
      if (!dvmp_across_is_cut(a, d))
        continue;
      if (++where[d] <= 1)
        break;
      where[d] = -1;
    }
    if (d < 0)
      return n;
  }
}

struct dvmp_plan *dvmp_across_plan(const struct dvmp_member *v, enum dvmp_wanted what) {
  struct asked q = {v, what};
  return dvmp_plan_make(v->a, need, &q);
}
