#include "runtime/parallel/grid.h"
#include "runtime/parallel/derived.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which grid --------------------------------------------------------------------------------------------------------------- */

struct choice {
  int ndims;
  const int64_t *extent;
  const bool *whole;
  double element_bytes, best;
  int at[DVMRT_NDIMS_MAX], *along;
};

/* Bytes that a rank holds, its pages counted whole, and those of its edges: 'r' bytes in a row cost as much as r + 4096. */
static double cost_of(const struct choice *c) {
  double part = c->element_bytes, run = c->element_bytes, edges = 0;
  bool together = true;
  for (int d = c->ndims - 1; d >= 0; d--) {
    double n = (double)((c->extent[d] + c->at[d] - 1) / c->at[d]);
    part *= n;
    if (together)
      run *= n;
    together &= c->at[d] == 1;
  }
  for (int d = 0; d < c->ndims; d++)
    if (c->at[d] > 1)
      edges += 2 * part / ((double)c->extent[d] / c->at[d]);
  return (together ? part : part * (1 + 4096 / run)) + edges;
}

static void choose_dim(struct choice *c, int d, int left) {
  if (d == c->ndims) {
    double cost = left == 1 ? cost_of(c) : 0;
    if (left == 1 && (c->best < 0 || cost < c->best * (1 - 1e-9))) {
      c->best = cost;
      memcpy(c->along, c->at, sizeof(c->at));
    }
    return;
  }
  for (int n = left; n >= 1; n--) { /* outer dimensions first: of equal ones the first is taken */
    if (left % n || (c->whole[d] && n > 1))
      continue;
    c->at[d] = n;
    choose_dim(c, d + 1, left / n);
  }
}

void dvmp_grid_choose(int nprocs, int ndims, const int64_t *extent, const bool *whole, uint64_t element_bytes, int *along) {
  struct choice c = {.ndims = ndims, .extent = extent, .whole = whole, .element_bytes = (double)element_bytes, .best = -1, .along = along};
  choose_dim(&c, 0, nprocs);
}

static int count_divided(const bool *whole, int ndims) {
  int n = 0;
  for (int d = 0; d < ndims; d++)
    n += !whole[d];
  return n;
}

/* The grid that the user gives is for roots with as many divided dimensions. */
static void choose(const struct dvmp_group *group, const bool *whole, int ndims, const int64_t *extent, uint64_t element_bytes,
                   int *along) {
  int divided = count_divided(whole, ndims), next = 0;
  if (group || divided != dvmp_job.ngrid) {
    dvmp_grid_choose(dvmp_group_size(group), ndims, extent, whole, element_bytes, along);
    return;
  }
  for (int d = 0; d < ndims; d++)
    along[d] = whole[d] ? 1 : dvmp_job.grid[next++];
}

/* ---- how a dimension is cut --------------------------------------------------------------------------------------------------- */

struct cut {
  struct dvmp_grid *g;
  const struct dvmrt_directive *d;
  const struct dvmrt_rule *rule;
  const int64_t *args;
  struct dvmp_axis *axis;
  const char *name;
  int dim;
};

static double value_at(const struct cut *c, int64_t i) {
  const char *p = (const char *)(uintptr_t)dvmrt_num_value(c->rule->values, c->args) + i * c->rule->bytes;
  switch (c->rule->type) {
  case 'f': {
    float f;
    double d;
    long double l;
    if (c->rule->bytes == 4)
      return memcpy(&f, p, 4), (double)f;
    if (c->rule->bytes == 8)
      return memcpy(&d, p, 8), d;
    return memcpy(&l, p, sizeof(l)), (double)l;
  }
  default: {
    uint64_t u = 0;
    memcpy(&u, p, (size_t)(c->rule->bytes > 8 ? 8 : c->rule->bytes));
    int unused = 64 - 8 * c->rule->bytes;
    return c->rule->type == 'u' || unused <= 0 ? (double)u : (double)((int64_t)(u << unused) >> unused);
  }
  }
}

static void set_part(const struct cut *c, int p, int64_t low, int64_t high) { c->axis->part[p] = dvmp_list_of(&c->g->memory, low, high); }

/* floor(n*p/P) to floor(n*(p+1)/P), in units of 'unit' elements, which divides them; of fewer units than processors the first ones get one each. */
static void cut_block(const struct cut *c, int64_t unit) {
  int64_t n = c->axis->extent / unit, procs = c->axis->nprocs;
  for (int64_t p = 0; p < procs; p++) {
    int64_t from = n < procs ? (p < n ? p : n) : n * p / procs, to = n < procs ? (p + 1 < n ? p + 1 : n) : n * (p + 1) / procs;
    set_part(c, (int)p, from * unit, to * unit - 1);
  }
}

/* As the language spells and counts them. */
static const char *rule_name(const struct cut *c) {
  const bool fortran = c->d->fortran;
  switch (c->rule->kind) {
  case 'g': return fortran ? "gen_block" : "genblock";
  case 'w': return fortran ? "wgt_block" : "wgtblock";
  default: return fortran ? "mult_block" : "multblock";
  }
}

static int dimension_of(const struct cut *c) { return c->d->fortran ? c->g->ndims - c->dim : c->dim + 1; }

static void cut_sizes(const struct cut *c) {
  int64_t count = dvmrt_num_value(c->rule->count, c->args), at = 0;
  for (int p = 0; p < c->axis->nprocs; p++) {
    int64_t n = count && p >= count ? 0 : (int64_t)value_at(c, p);
    if (n < 0)
      dvmp_fail_all(DVMP_STATUS_WRONG, &c->d->pos, "'%s' gives '%s' a part of %lld elements in dimension %d [dvm-usage]", rule_name(c),
                    c->name, (long long)n, dimension_of(c));
    set_part(c, p, at, at + n - 1);
    at += n;
  }
  if (at != c->axis->extent)
    dvmp_fail_all(
        DVMP_STATUS_WRONG, &c->d->pos,
        "'%s' divides dimension %d of '%s' into parts with a total of %lld elements on %d processors, but it has %lld [dvm-usage]",
        rule_name(c), dimension_of(c), c->name, (long long)at, c->axis->nprocs, (long long)c->axis->extent);
}

/* Each of the weights is for as many elements; a part ends where its share of the sum is reached. */
static void cut_weights(const struct cut *c) {
  int64_t n = dvmrt_num_value(c->rule->number, c->args), extent = c->axis->extent, at = 0;
  double all = 0, sum = 0;
  for (int64_t i = 0; i < extent && n > 0; i++)
    all += value_at(c, i * n / extent);
  if (n <= 0 || !(all > 0))
    dvmp_fail_all(DVMP_STATUS_WRONG, &c->d->pos, "the weights of '%s' for dimension %d of '%s' do not have a positive sum [dvm-usage]",
                  rule_name(c), dimension_of(c), c->name);
  for (int p = 0; p < c->axis->nprocs; p++) {
    int64_t from = at;
    while (at < extent && (p == c->axis->nprocs - 1 || sum + value_at(c, at * n / extent) / 2 < all * (p + 1) / c->axis->nprocs))
      sum += value_at(c, at++ * n / extent);
    set_part(c, p, from, at - 1);
  }
}

static int64_t owner_at(const struct cut *c, const int *derived, int64_t i) { return derived ? derived[i] : (int64_t)value_at(c, i); }

static void cut_map(const struct cut *c, const int *derived) {
  int procs = c->axis->nprocs;
  int *runs = calloc((size_t)procs, sizeof(*runs));
  struct dvmp_span **at = calloc((size_t)procs, sizeof(*at));
  if (!runs || !at)
    dvmp_out_of_memory();
  for (int pass = 0; pass < 2; pass++) {
    int before = -1;
    for (int64_t i = 0; i < c->axis->extent; i++) {
      int64_t owner = owner_at(c, derived, i);
      if (owner < 0 || owner >= procs)
        dvmp_fail_all(DVMP_STATUS_WRONG, &c->d->pos,
                      "'indirect' gives element %lld of dimension %d of '%s' to processor %lld, but there are %d along it [dvm-usage]",
                      (long long)i + c->d->fortran, dimension_of(c), c->name, (long long)owner, procs);
      if (!pass)
        runs[owner] += owner != before;
      else if (owner != before)
        at[owner][runs[owner]++] = (struct dvmp_span){i, i};
      else
        at[owner][runs[owner] - 1].high = i;
      before = (int)owner;
    }
    for (int p = 0; p < procs && !pass; p++) {
      at[p] = dvmp_arena_get(&c->g->memory, (size_t)(runs[p] + 1) * sizeof(**at));
      runs[p] = 0;
    }
  }
  for (int p = 0; p < procs; p++)
    c->axis->part[p] = (struct dvmp_list){runs[p], at[p]};
  free(runs);
  free(at);
}

static void cut_derived(const struct cut *c) {
  int place[DVMRT_NDIMS_MAX];
  dvmp_grid_place(c->g, dvmp_job.rank, place);
  int *owners = dvmp_derived_owners(c->d, c->rule, c->args, c->name, c->axis->extent, c->axis->nprocs, place[c->dim]);
  cut_map(c, owners);
  free(owners);
}

/* Elements of a part are a multiple of it. */
static int64_t unit_of(const struct cut *c) {
  int64_t unit = c->rule->kind == 'm' ? dvmrt_num_value(c->rule->number, c->args) : 1;
  if (unit < 1)
    dvmp_fail_all(DVMP_STATUS_WRONG, &c->d->pos, "'%s' of dimension %d of '%s' is %lld [dvm-usage]", rule_name(c), dimension_of(c), c->name,
                  (long long)unit);
  if (c->axis->extent % unit)
    dvmp_fail_all(DVMP_STATUS_WRONG, &c->d->pos, "'%s' (%lld) does not divide dimension %d of '%s', which has %lld elements [dvm-usage]",
                  rule_name(c), (long long)unit, dimension_of(c), c->name, (long long)c->axis->extent);
  return unit;
}

static void cut_axis(const struct cut *c) {
  struct dvmp_axis *a = c->axis;
  a->part = dvmp_arena_get(&c->g->memory, (size_t)a->nprocs * sizeof(*a->part));
  const int64_t unit = unit_of(c);
  if (c->rule->kind == 'd')
    cut_derived(c);
  else if (a->nprocs == 1)
    set_part(c, 0, 0, a->extent - 1);
  else if (c->rule->kind == 'g')
    cut_sizes(c);
  else if (c->rule->kind == 'w')
    cut_weights(c);
  else if (c->rule->kind == 'i')
    cut_map(c, NULL);
  else
    cut_block(c, unit);
}

void dvmp_grid_make(struct dvmp_grid *g, const struct dvmrt_directive *d, const struct dvmrt_item *own, const int64_t *args, int ndims,
                    const int64_t *extent, uint64_t element_bytes) {
  bool whole[DVMRT_NDIMS_MAX];
  int along[DVMRT_NDIMS_MAX] = {0};
  *g = (struct dvmp_grid){.group = g->group, .ndims = ndims};
  for (int i = 0; i < ndims; i++)
    whole[i] = i >= own->ndist || own->dist[i] == DVMRT_DIST_WHOLE;
  if (!count_divided(whole, ndims))
    for (int i = 0; i < ndims; i++)
      along[i] = 1;
  else
    choose(g->group, whole, ndims, extent, element_bytes, along);
  for (int i = 0; i < ndims; i++) {
    g->axis[i].nprocs = along[i];
    g->axis[i].extent = extent[i];
  }
  for (int i = 0; i < ndims; i++) {
    static const struct dvmrt_rule plain;
    struct cut c = {g, d, i < own->ndist ? &own->rule[i] : &plain, args, &g->axis[i], own->ref.name, i};
    cut_axis(&c);
  }
}

void dvmp_grid_fini(struct dvmp_grid *g) { dvmp_arena_free(&g->memory); }

bool dvmp_grid_place(const struct dvmp_grid *g, int rank, int *place) {
  rank = dvmp_group_place(g->group, rank);
  for (int d = 0; d < g->ndims && rank < 0; d++)
    place[d] = -1;
  if (rank < 0)
    return false;
  for (int d = g->ndims - 1; d >= 0; d--) {
    place[d] = rank % g->axis[d].nprocs;
    rank /= g->axis[d].nprocs;
  }
  return true;
}
