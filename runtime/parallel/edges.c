#include "runtime/parallel/edges.h"
#include "runtime/parallel/derived.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/guard.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/plan.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/where.h"
#include <stdlib.h>
#include <string.h>

/* Of a grid: all that lies on it may be given the edge.  It ends with the grid. */
struct dvmp_edge {
  struct dvmp_edge *next;
  const char *name;
  int along;                    /* which dimension of the root; -1: one that nothing divides */
  struct dvmp_list *of;         /* [size]: of each rank, places along it */
};

struct dvmp_included {
  struct dvmp_included *next;
  const struct dvmp_edge *edge;
};

static struct dvmp_grid *grid_of(const struct dvmp_array *a) {
  return a->layout.root ? ((const struct dvmp_array *)a->layout.root)->grid : NULL;
}

static struct dvmp_edge *find(const struct dvmp_array *a, const char *name) {
  struct dvmp_edge *e = grid_of(a) ? grid_of(a)->edges : NULL;
  while (e && strcmp(e->name, name))
    e = e->next;
  return e;
}

/* ---- what an edge holds --------------------------------------------------------------------------------------------------------- */

/* The dimension of the array that lies along dimension 'r' of the root; -1: none. */
static int dim_along(const struct dvmp_array *a, int r) {
  const struct dvmrt_coord *c = r < 0 ? NULL : &a->layout.at[r];
  return c && c->kind == DVMRT_COORD_AFFINE && c->coef && a->layout.block[r] && dvmp_job.size > 1 ? c->index : -1;
}

static struct dvmp_list held(struct dvmp_arena *m, const struct dvmp_array *a, const struct dvmp_edge *e, int rank) {
  struct dvmrt_coord c = a->layout.at[e->along];
  return dvmp_list_meet(m, dvmp_list_before(m, e->of[rank], c.coef, c.add), dvmp_list_of(m, 0, a->extent[c.index] - 1));
}

bool dvmp_edges_along(struct dvmp_arena *m, const struct dvmp_array *a, const char *name, int dim, int rank, struct dvmp_list *edge) {
  const struct dvmp_edge *e = find(a, name);
  *edge = (struct dvmp_list){0, NULL};
  if (e && dim_along(a, e->along) == dim)
    *edge = held(m, a, e, rank);
  return e || dvmp_job.size == 1;
}

bool dvmp_edges_has(const struct dvmp_array *a, const char *name) {
  const struct dvmp_included *i = a->edges;
  while (i && strcmp(i->edge->name, name))
    i = i->next;
  return i;
}

const struct dvmp_list *dvmp_edges_places(const struct dvmp_array *a, const char *name, int *r) {
  const struct dvmp_edge *e = find(a, name);
  *r = e ? e->along : -1;
  return e && dim_along(a, e->along) >= 0 ? e->of : NULL;
}

int dvmp_edges_sets(struct dvmp_arena *m, const struct dvmp_array *a, const char *name, int rank, struct dvmp_set *sets) {
  struct dvmp_list of[DVMRT_NDIMS_MAX] = {{0, NULL}};
  struct dvmp_set own = {0};
  int n = 0;
  for (const struct dvmp_included *i = a->edges; i; i = i->next) {
    int dim = dim_along(a, i->edge->along);
    if (dim >= 0 && (!name || !strcmp(i->edge->name, name)))
      of[dim] = dvmp_list_join(m, of[dim], held(m, a, i->edge, rank));
  }
  if (a->edges)
    own = dvmp_array_own(m, a, rank);
  for (int d = 0; d < a->ndims; d++) {
    if (!of[d].n)
      continue;
    sets[n] = own;
    sets[n++].dim[d] = dvmp_list_minus(m, of[d], own.dim[d]);
  }
  return n;
}

bool dvmp_edges_hold(const struct dvmp_array *a, uintptr_t at) {
  int64_t ix[DVMRT_NDIMS_MAX];
  struct dvmp_arena m = {NULL};
  struct dvmp_set sets[DVMRT_NDIMS_MAX];
  bool in = false;
  dvmp_array_indices(a, at, ix);
  for (int i = dvmp_edges_sets(&m, a, NULL, dvmp_job.rank, sets); i-- && !in;) {
    in = true;
    for (int d = 0; d < a->ndims; d++)
      in &= dvmp_list_has(sets[i].dim[d], ix[d]);
  }
  dvmp_arena_free(&m);
  return in;
}

/* ---- shadow_add ----------------------------------------------------------------------------------------------------------------- */

/* Each place of the array's dimension as one of the root's. */
static struct dvmp_list along_root(struct dvmp_arena *m, struct dvmp_list l, struct dvmrt_coord c) {
  if (c.coef == 1)
    return dvmp_list_shift(m, l, c.add);
  struct dvmp_span *s = dvmp_arena_get(m, (size_t)(dvmp_list_count(l) + 1) * sizeof(*s));
  int n = 0;
  for (int i = 0; i < l.n; i++)
    for (int64_t x = l.at[i].low; x <= l.at[i].high; x++, n++)
      s[n].low = s[n].high = c.coef * x + c.add;
  for (int i = 0; c.coef < 0 && i < n / 2; i++) {
    struct dvmp_span first = s[i];
    s[i] = s[n - 1 - i];
    s[n - 1 - i] = first;
  }
  return (struct dvmp_list){n, s};
}

/* Each rank's places to all of them: who has them must know who wants them. */
static void share(struct dvmp_arena *m, struct dvmp_list mine, struct dvmp_list *of) {
  int64_t n = mine.n, most = 0, *counts = dvmp_arena_get(m, (size_t)dvmp_job.size * sizeof(*counts));
  dvmp_job_gather(&n, sizeof(n), counts);
  for (int q = 0; q < dvmp_job.size; q++)
    most = counts[q] > most ? counts[q] : most;
  struct dvmp_arena now = {NULL};
  size_t bytes = (size_t)most * sizeof(struct dvmp_span);
  struct dvmp_span *padded = dvmp_arena_get(&now, bytes + 1), *all = dvmp_arena_get(&now, (size_t)dvmp_job.size * bytes + 1);
  if (mine.n)
    memcpy(padded, mine.at, (size_t)mine.n * sizeof(*padded));
  if (most)
    dvmp_job_gather(padded, bytes, all);
  for (int q = 0; q < dvmp_job.size; q++)
    of[q] = dvmp_list_copy(m, (struct dvmp_list){(int)counts[q], all + (size_t)q * (size_t)most});
  dvmp_arena_free(&now);
}

static void include(struct dvmp_array *a, const struct dvmp_edge *e) {
  if (!dvmp_edges_has(a, e->name)) {
    struct dvmp_included *i = dvmp_arena_get(&a->memory, sizeof(*i));
    *i = (struct dvmp_included){a->edges, e};
    a->edges = i;
  }
  dvmp_plan_drop(a);
  dvmp_guard_place(a);
}

/* The edge of that name: if there is one already it holds something else from now on, for all that have it. */
static struct dvmp_edge *edge_of(struct dvmp_array *a, const char *name) {
  struct dvmp_edge *e = find(a, name);
  if (!e) {
    e = dvmp_arena_get(&grid_of(a)->memory, sizeof(*e));
    e->name = name;
    e->next = grid_of(a)->edges;
    grid_of(a)->edges = e;
  }
  for (struct dvmp_array *x = dvmp_array_first(); x; x = x->next)
    if (x->layout.root == a->layout.root && dvmp_edges_has(x, name))
      dvmp_plan_drop(x);
  return e;
}

static int root_dim(const struct dvmp_array *a, int dim) {
  for (int r = 0; r < a->layout.ndims; r++)
    if (dim_along(a, r) == dim)
      return r;
  return -1;
}

static struct dvmp_edge *make(struct dvmp_array *a, const struct dvmrt_directive *d, const struct dvmrt_item *i, const int64_t *args) {
  struct dvmp_edge *e = edge_of(a, i->edge);
  struct dvmp_arena now = {NULL};
  int dim = 0;
  while (dim + 1 < i->ndist && dim + 1 < a->ndims && i->dist[dim] == DVMRT_DIST_WHOLE)
    dim++;
  struct dvmp_list mine = dvmp_rule_list(&now, d, &i->rule[dim], args, "shadow_add", a->name, a->extent[dim]);
  e->along = root_dim(a, dim);
  if (e->along >= 0 && dvmp_job.size > 1) {
    e->of = dvmp_arena_get(&grid_of(a)->memory, (size_t)dvmp_job.size * sizeof(*e->of));
    mine = dvmp_list_minus(&now, mine, a->own.dim[dim]);
    share(&grid_of(a)->memory, along_root(&now, mine, a->layout.at[e->along]), e->of);
  }
  dvmp_arena_free(&now);
  return e;
}

void dvmp_edges_add(struct dvmrt_directive *d, const int64_t *args) {
  struct dvmrt_item *i = d->items;
  struct dvmp_array *a = i ? dvmp_array_of(d, &i->ref, args) : NULL;
  if (!a || !grid_of(a))
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "'%s' in 'shadow_add' is not distributed yet [dvm-usage]", i ? i->ref.name : "?");
  const struct dvmp_edge *e = make(a, d, i, args);
  if (!a->is_template)
    include(a, e);
  while ((i = dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_ARRAY))) {
    struct dvmp_array *x = dvmp_array_of(d, &i->ref, args);
    if (!x || x->layout.root != a->layout.root)
      dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "'%s' in 'include_to' is not aligned with '%s': it cannot have an edge of it [dvm-usage]",
                    i->ref.name, a->name);
    include(x, e);
  }
}

/* ---- localize ------------------------------------------------------------------------------------------------------------------- */

/* What one rank has of a dimension, edges and all. */
struct here {
  const struct dvmrt_directive *d;
  const struct dvmp_array *numbers, *target;
  int dim;
  struct dvmp_list list;
};

static int64_t value_at(const struct dvmp_array *a, uintptr_t at) {
  uint64_t u = 0;
  memcpy(&u, (const void *)at, a->element_bytes < 8 ? a->element_bytes : 8);
  const unsigned unused = a->element_bytes < 8 ? 64 - 8 * (unsigned)a->element_bytes : 0;
  return a->type == 'u' || !unused ? (int64_t)u : (int64_t)(u << unused) >> unused;
}

static void look_at_run(void *arg, int64_t offset, int64_t count) {
  const struct here *h = arg;
  char element[256];
  for (int64_t i = offset; i < offset + count; i++) {
    uintptr_t at = h->numbers->address + (uintptr_t)i * h->numbers->element_bytes;
    int64_t x = value_at(h->numbers, at);
    if (h->numbers->poison->state[i] != DVMP_OWN || x < 0 || x >= h->target->extent[h->dim] || dvmp_list_has(h->list, x))
      continue;
    dvmp_where_element(element, sizeof(element), h->numbers, at);
    dvmp_fail_here(DVMP_STATUS_WRONG, &h->d->pos,
                   "'%s' is %lld: this element of '%s' belongs to another rank than %d, and is in none of its edges ('shadow_add') there "
                   "[dvm-usage]",
                   element, (long long)x, h->target->name, dvmp_job.rank);
  }
}

static bool is_mapped(const struct dvmp_array *a, int dim) {
  const struct dvmp_array *root = a->layout.root;
  const struct dvmrt_item *own = root && root->placed ? root->placed->items : NULL;
  int r = root_dim(a, dim);
  return own && r >= 0 && r < own->ndist && (own->rule[r].kind == 'i' || own->rule[r].kind == 'd');
}

void dvmp_edges_localize(const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *i = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ARRAY),
                          *target = i ? dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_ARRAY) : NULL;
  struct here h = {.d = d};
  struct dvmp_arena m = {NULL};
  if (!target || dvmp_job.size == 1)
    return;
  h.numbers = dvmp_array_of(d, &i->ref, args);
  h.target = dvmp_array_of(d, &target->ref, args);
  while (h.dim < target->naxes && target->axis[h.dim].kind != 'r')
    h.dim++;
  if (!h.numbers || !h.numbers->poison || !h.target || h.dim >= target->naxes || h.dim >= h.target->ndims || !is_mapped(h.target, h.dim))
    return;
  h.list = h.target->own.dim[h.dim];
  for (const struct dvmp_included *e = h.target->edges; e; e = e->next)
    if (dim_along(h.target, e->edge->along) == h.dim)
      h.list = dvmp_list_join(&m, h.list, held(&m, h.target, e->edge, dvmp_job.rank));
  dvmp_set_runs(&h.numbers->own, h.numbers->stride, h.numbers->extent, look_at_run, &h);
  dvmp_arena_free(&m);
}
