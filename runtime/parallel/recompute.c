#include "runtime/parallel/recompute.h"
#include "runtime/parallel/edges.h"
#include "runtime/parallel/exchange.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/guard.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/parts.h"
#include "runtime/parallel/poison.h"
#include <string.h>

/* Iterations that lie in one box beside the part of the rank. */
struct zone {
  struct dvmp_list part[DVMRT_NDIMS_MAX];
  int64_t turns;
};

/* Memory that is to be as it was. */
struct result {
  struct result *next;
  void *at, *before;
  size_t bytes;
};

/* An array of the clause, with its edges of some widths or one that has a name. */
struct computed {
  struct computed *next;
  struct dvmp_array *a;
  int n;
  struct dvmp_set edges[DVMRT_NDIMS_MAX];
  char *values;                 /* of them, in their order */
};

struct dvmp_recompute {
  int n, now;                   /* zones */
  struct zone zones[2 * DVMRT_NDIMS_MAX];
  struct zone own;
  struct result *results;
  struct computed *arrays;
};

/* ---- how far ---------------------------------------------------------------------------------------------------------------------- */

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Along the root: where an element of the edge lies. */
static void reach(struct dvmp_construct *c, const struct dvmp_array *a, const struct dvmrt_box *box) {
  for (int r = 0; r < c->layout.ndims && a->layout.root == c->layout.root; r++) {
    struct dvmrt_coord at = a->layout.at[r];
    if (!c->layout.block[r] || at.kind != DVMRT_COORD_AFFINE || c->layout.at[r].kind == DVMRT_COORD_ALL)
      continue;
    int64_t low = box->low[at.index] * at.coef, high = box->high[at.index] * at.coef;
    c->beyond_low[r] = larger(c->beyond_low[r], at.coef < 0 ? -high : low);
    c->beyond_high[r] = larger(c->beyond_high[r], at.coef < 0 ? -low : high);
  }
}

/* The edges of these widths that the array has on this rank: boxes that have no element in common. */
static void find_edges(struct dvmp_arena *m, struct computed *to, const struct dvmrt_box *box) {
  const struct dvmp_array *a = to->a;
  struct dvmp_set own = dvmp_array_own(m, a, dvmp_job.rank), wide = dvmp_array_with_edges(m, a, dvmp_job.rank, box->low, box->high);
  for (int d = 0; d < a->ndims && !dvmp_set_empty(&wide); d++) {
    struct dvmp_set *s = &to->edges[to->n];
    *s = own;
    s->dim[d] = dvmp_list_minus(m, wide.dim[d], own.dim[d]);
    for (int e = d + 1; e < a->ndims; e++)
      s->dim[e] = wide.dim[e];
    to->n += !dvmp_set_empty(s);
  }
}

static void add_widths(struct dvmp_construct *c, struct dvmrt_item *i, struct computed *to) {
  struct dvmrt_box box;
  dvmp_exchange_widths(c->d, i, c->args, to->a, "computed", &box);
  find_edges(&c->memory, to, &box);
  reach(c, to->a, &box);
}

static void add_named(struct dvmp_construct *c, const struct dvmrt_item *i, struct computed *to) {
  dvmp_exchange_named(c->d, i, to->a);
  to->n = dvmp_edges_sets(&c->memory, to->a, i->edge, dvmp_job.rank, to->edges);
  int r;
  const struct dvmp_list *of = dvmp_edges_places(to->a, i->edge, &r);
  if (!of || to->a->layout.root != c->layout.root || c->layout.at[r].kind == DVMRT_COORD_ALL)
    return;
  struct dvmp_also *new = dvmp_arena_get(&c->memory, sizeof(*new));
  *new = (struct dvmp_also){c->also, r, of};
  c->also = new;
}

void dvmp_recompute_find(struct dvmp_construct *c) {
  if (!c->inside)
    return;
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_RECOMPUTE)); i = i->next) {
    struct dvmp_array *a = dvmp_array_of(c->d, &i->ref, c->args);
    if (dvmrt_directive_find(c->d->items, DVMRT_DIRECTIVE_ACROSS))
      dvmp_fail_all(1, &c->d->pos,
                    "'shadow_compute' beside 'across' has no meaning here: its edges would need what no edge holds; renew them afterwards");
    if (!a || dvmp_array_everywhere(a))
      continue;
    if (!c->recompute)
      c->recompute = dvmp_arena_get(&c->memory, sizeof(*c->recompute));
    struct computed *new = dvmp_arena_get(&c->memory, sizeof(*new));
    *new = (struct computed){.next = c->recompute->arrays, .a = a};
    c->recompute->arrays = new;
    if (i->edge)
      add_named(c, i, new);
    else
      add_widths(c, i, new);
  }
}

/* ---- zones ------------------------------------------------------------------------------------------------------------------------ */

static void add_zone(struct dvmp_construct *c, const struct dvmp_list *along) {
  struct dvmp_recompute *all = c->recompute;
  struct zone *z = &all->zones[all->n];
  bool any = true, clamped[DVMRT_NDIMS_MAX];
  for (int q = 0; q < c->layout.ndims; q++)
    any &= along[q].n > 0;
  z->turns = any ? dvmp_parts_along(&c->memory, c, along, z->part, clamped) : 0;
  all->n += z->turns > 0;
}

/* What named edges hold besides: in other dimensions it lies where the part does. */
static void find_named(struct dvmp_construct *c, const struct dvmp_list *own, const struct dvmp_list *wide) {
  struct dvmp_list along[DVMRT_NDIMS_MAX];
  for (int r = 0; r < c->layout.ndims && c->also; r++) {
    memcpy(along, own, sizeof(along));
    along[r] = dvmp_list_minus(&c->memory, dvmp_parts_also(&c->memory, c, dvmp_job.rank, r), wide[r]);
    add_zone(c, along);
  }
}

static void find_zones(struct dvmp_construct *c) {
  struct dvmp_list own[DVMRT_NDIMS_MAX] = {{0, NULL}}, wide[DVMRT_NDIMS_MAX], along[DVMRT_NDIMS_MAX];
  dvmp_parts_of_root(c, dvmp_job.rank, own);
  for (int r = 0; r < c->layout.ndims; r++)
    wide[r] = dvmp_list_widen(&c->memory, own[r], c->beyond_low[r], c->beyond_high[r], c->layout.extent[r]);
  for (int r = 0; r < c->layout.ndims; r++) {
    for (int q = 0; q < c->layout.ndims; q++)
      along[q] = q == r ? dvmp_list_minus(&c->memory, wide[q], own[q]) : q > r ? wide[q] : own[q];
    add_zone(c, along);
  }
  find_named(c, own, wide);
}

static void enter_zone(struct dvmp_construct *c, const struct zone *z) {
  memcpy(c->part, z->part, sizeof(c->part));
  c->turns = z->turns;
  c->turn = 0;
}

/* Of an array that iterations for named edges may touch. */
static void open_named(struct dvmp_construct *c, struct dvmp_array *a) {
  for (int r = 0; r < c->layout.ndims && c->also; r++) {
    struct dvmrt_coord at = a->layout.at[r];
    struct dvmp_list also = dvmp_parts_also(&c->memory, c, dvmp_job.rank, r);
    if (at.kind != DVMRT_COORD_AFFINE || !at.coef || !also.n)
      continue;
    struct dvmp_set s = a->own;
    s.dim[at.index] = dvmp_list_meet(&c->memory, dvmp_list_before(&c->memory, also, at.coef, at.add),
                                     dvmp_list_of(&c->memory, 0, a->extent[at.index] - 1));
    dvmp_guard_open(a, &s);
  }
}

static void open_guards(struct dvmp_construct *c) {
  for (struct dvmp_array *a = dvmp_array_first(); a; a = a->next) {
    int64_t low[DVMRT_NDIMS_MAX] = {0}, high[DVMRT_NDIMS_MAX] = {0};
    if (!a->guard || a->layout.root != c->layout.root)
      continue;
    for (int r = 0; r < c->layout.ndims; r++)
      if (a->layout.at[r].kind == DVMRT_COORD_AFFINE) {
        low[a->layout.at[r].index] = larger(c->beyond_low[r], c->beyond_high[r]);
        high[a->layout.at[r].index] = low[a->layout.at[r].index];
      }
    struct dvmp_set s = dvmp_array_with_edges(&c->memory, a, dvmp_job.rank, low, high);
    dvmp_guard_open(a, &s);
    open_named(c, a);
  }
}

static void keep(struct dvmp_construct *c, int64_t at, size_t bytes) {
  struct result *r = dvmp_arena_get(&c->memory, sizeof(*r));
  *r = (struct result){c->recompute->results, (void *)(uintptr_t)at, dvmp_arena_get(&c->memory, bytes), bytes};
  memcpy(r->before, r->at, bytes);
  c->recompute->results = r;
}

static void keep_results(struct dvmp_construct *c) {
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_REDUCTION)); i = i->next) {
    keep(c, dvmrt_num_value(i->ref.address, c->args), dvmrt_directive_reduction_bytes(i, c->args));
    if (i->loc_name)
      keep(c, dvmrt_num_value(i->loc_address, c->args),
           (size_t)(dvmrt_num_value(i->loc_bytes, c->args) * dvmrt_num_value(i->bytes, c->args)));
  }
}

bool dvmp_recompute_begin(struct dvmp_construct *c) {
  struct dvmp_recompute *all = c->recompute;
  if (!all)
    return false;
  find_zones(c);
  if (!all->n)
    return false;
  memcpy(all->own.part, c->part, sizeof(c->part));
  all->own.turns = c->turns;
  keep_results(c);
  open_guards(c);
  enter_zone(c, &all->zones[0]);
  return dvmp_job.edges = true;
}

bool dvmp_recompute_turned(struct dvmp_construct *c) {
  struct dvmp_recompute *all = c->recompute;
  if (++c->turn < c->turns)
    return true;
  if (++all->now < all->n) {
    enter_zone(c, &all->zones[all->now]);
    return true;
  }
  enter_zone(c, &all->own);
  for (struct result *r = all->results; r; r = r->next)
    memcpy(r->at, r->before, r->bytes);
  for (struct computed *k = all->arrays; k; k = k->next)
    for (int i = 0; i < k->n; i++)
      dvmp_poison_computed(k->a, &k->edges[i]);
  dvmp_poison_clean();
  return dvmp_job.edges = false;
}

/* ---- the end ---------------------------------------------------------------------------------------------------------------------- */

struct copying {
  const struct dvmp_array *a;
  char *values;
  bool out;
};

static void copy_run(void *arg, int64_t offset, int64_t count) {
  struct copying *k = arg;
  char *at = (char *)k->a->address + (size_t)offset * k->a->element_bytes;
  size_t n = (size_t)count * k->a->element_bytes;
  memcpy(k->out ? k->values : at, k->out ? at : k->values, n);
  k->values += n;
}

static void copy(const struct computed *k, bool out) {
  struct copying how = {k->a, k->values, out};
  for (int i = 0; i < k->n; i++)
    dvmp_set_runs(&k->edges[i], k->a->stride, k->a->extent, copy_run, &how);
}

void dvmp_recompute_keep(struct dvmp_construct *c) {
  for (struct computed *k = c->recompute && dvmp_job.poison ? c->recompute->arrays : NULL; k; k = k->next) {
    size_t n = 0;
    for (int i = 0; i < k->n; i++)
      n += (size_t)dvmp_set_count(&k->edges[i]) * k->a->element_bytes;
    k->values = dvmp_arena_get(&c->memory, n);
    copy(k, true);
  }
}

void dvmp_recompute_end(struct dvmp_construct *c) {
  for (struct computed *k = c->recompute && dvmp_job.poison ? c->recompute->arrays : NULL; k; k = k->next) {
    copy(k, false);
    for (int i = 0; i < k->n; i++)
      dvmp_poison_computed(k->a, &k->edges[i]);
  }
}
