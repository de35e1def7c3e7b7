#include "runtime/parallel/exchange.h"
#include "runtime/parallel/ask.h"
#include "runtime/parallel/edges.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/parts.h"
#include "runtime/parallel/profile.h"
#include <stdlib.h>
#include <string.h>

/* ---- shadow edges --------------------------------------------------------------------------------------------------------------- */

struct edges {
  struct dvmrt_box box;
  const char *name;             /* of the edge that is meant; NULL: those of these widths, and .. */
  bool all;                     /* .. all that have names */
};

static bool is_divided(const struct dvmp_array *a, int dim) { return dvmrt_layout_divides(&a->layout, dim); }

/* Without corners one set for each dimension: beside the part; with them all around it. */
static int need_edges(void *arg, struct dvmp_arena *m, const struct dvmp_array *a, int rank, struct dvmp_set *needs) {
  const struct edges *e = arg;
  const struct dvmrt_box *box = &e->box;
  struct dvmp_set own = dvmp_array_own(m, a, rank), wide = dvmp_array_with_edges(m, a, rank, box->low, box->high);
  int n = e->name || e->all ? dvmp_edges_sets(m, a, e->name, rank, needs) : 0;
  if (e->name || dvmp_set_empty(&wide))
    return n;
  for (int d = 0; d < a->ndims && !box->corner; d++) {
    if (!is_divided(a, d))
      continue;
    needs[n] = own;
    needs[n++].dim[d] = dvmp_list_minus(m, wide.dim[d], own.dim[d]);
  }
  if (box->corner)
    needs[n++] = wide;
  return n;
}

static uint64_t key_of(const struct dvmp_array *a, const struct edges *e) {
  const struct dvmrt_box *box = &e->box;
  uint64_t h = 0x9e3779b97f4a7c15ull + box->corner + 2 * (uint64_t)e->all + (uintptr_t)dvmp_job.group; /* the ranks that take part */
  for (int d = 0; d < a->ndims; d++) {
    h = (h ^ (uint64_t)box->low[d]) * 0x100000001b3ull;
    h = (h ^ (uint64_t)box->high[d]) * 0x100000001b3ull;
  }
  for (const char *c = e->name; c && *c; c++)
    h = (h ^ (unsigned char)*c) * 0x100000001b3ull;
  return h;
}

static struct dvmp_plan *plan_of(struct dvmp_array *a, struct edges *e) {
  uint64_t key = key_of(a, e);
  struct dvmp_plan *p = a->plans;
  while (p && p->key != key)
    p = p->next;
  if (p)
    return p;
  p = dvmp_plan_make(a, need_edges, e);
  p->key = key;
  p->next = a->plans;
  return a->plans = p;
}

void dvmp_exchange_widths(const struct dvmrt_directive *d, const struct dvmrt_item *i, const int64_t *args, const struct dvmp_array *a,
                          const char *what, struct dvmrt_box *box) {
  dvmrt_placing_widths(i, args, a->ndims, a->low, a->high, box);
  for (int k = 0; k < a->ndims; k++)
    if (box->low[k] > a->low[k] || box->high[k] > a->high[k] || box->low[k] < 0 || box->high[k] < 0)
      dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos,
                    "the %s width %lld:%lld of dimension %d of '%s' is not inside its shadow edge %lld:%lld [dvm-usage]", what,
                    (long long)box->low[k], (long long)box->high[k], d->fortran ? a->ndims - k : k + 1, a->name, (long long)a->low[k],
                    (long long)a->high[k]);
}

void dvmp_exchange_named(const struct dvmrt_directive *d, const struct dvmrt_item *i, const struct dvmp_array *a) {
  if (!dvmp_edges_has(a, i->edge))
    dvmp_fail_all(
        DVMP_STATUS_WRONG, &d->pos,
        "'%s' has no edge \"%s\": 'shadow_add' gives it one, of the array or its template, under 'include_to', behind each directive "
        "that gives it another place [dvm-usage]",
        a->name, i->edge);
}

static void add_edges(struct dvmp_traffic *t, const struct dvmrt_directive *d, const struct dvmrt_item *i, const int64_t *args) {
  struct dvmp_array *a = dvmp_array_of(d, &i->ref, args);
  struct edges e = {.name = i->edge, .all = !i->nwidths};
  if (!a || dvmp_array_everywhere(a))
    return;
  if (!e.name)
    dvmp_exchange_widths(d, i, args, a, "renewed", &e.box);
  else
    dvmp_exchange_named(d, i, a);
  dvmp_traffic_add(t, a, plan_of(a, &e));
}

static struct dvmp_traffic *edges_start(struct dvmrt_directive *d, const int64_t *args, bool pending) {
  struct dvmp_traffic *t = NULL;
  for (struct dvmrt_item *i = d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_RENEW)); i = i->next) {
    if (!t)
      t = dvmp_traffic_create(dvmp_job_tag());
    add_edges(t, d, i, args);
  }
  if (t && pending)
    dvmp_traffic_pending(t);
  if (t)
    dvmp_traffic_start(t);
  return t;
}

void dvmp_exchange_renew(struct dvmrt_directive *d, const int64_t *args) {
  if (dvmp_job.size == 1 || !dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_RENEW))
    return;
  int why = dvmp_profile_why(DVMP_WHY_SHADOW);
  dvmp_traffic_end(edges_start(d, args, false));
  dvmp_profile_back(why);
}

/* ---- groups --------------------------------------------------------------------------------------------------------------------- */

struct group {
  struct group *next;
  const char *name;
  struct dvmrt_directive *d;
  int64_t *args;
  struct dvmp_traffic *under_way;
  bool started;
};

static struct group *groups;

static struct group *find_group(const char *name) {
  struct group *g = groups;
  while (g && strcmp(g->name, name))
    g = g->next;
  return g;
}

void dvmp_exchange_group(struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *name = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP);
  struct group *g = find_group(name->ref.name);
  if (!g) {
    g = calloc(1, sizeof(*g));
    if (!g)
      dvmp_out_of_memory();
    g->next = groups;
    g->name = name->ref.name;
    groups = g;
  }
  free(g->args);
  g->d = d;
  g->args = calloc((size_t)d->nslots + 1, sizeof(*g->args));
  if (!g->args)
    dvmp_out_of_memory();
  memcpy(g->args, args, (size_t)d->nslots * sizeof(*args));
}

void dvmp_exchange_start(const struct dvmrt_directive *d, const char *group) {
  struct group *g = find_group(group);
  if (!g || g->started)
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "the shadow group '%s' is started %s [dvm-usage]", group,
                  g ? "twice without a wait" : "before it has been defined");
  int why = dvmp_profile_why(DVMP_WHY_SHADOW);
  g->started = true;
  g->under_way = dvmp_job.size > 1 ? edges_start(g->d, g->args, true) : NULL;
  dvmp_profile_back(why);
}

void dvmp_exchange_wait(const struct dvmrt_directive *d, const char *group) {
  struct group *g = find_group(group);
  if (!g || !g->started)
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "the shadow group '%s' is waited for before it has been started [dvm-usage]", group);
  int why = dvmp_profile_why(DVMP_WHY_SHADOW);
  if (g->under_way)
    dvmp_traffic_end(g->under_way);
  dvmp_profile_back(why);
  g->under_way = NULL;
  g->started = false;
}

/* ---- remote elements ------------------------------------------------------------------------------------------------------------ */

struct remote {
  const struct dvmp_construct *c;
  const struct dvmrt_item *item;
};

/* An axis of the clause, for the iterations of a rank. */
static struct dvmp_list axis_part(struct dvmp_arena *m, const struct remote *r, const struct dvmrt_axis *x, int rank, int64_t extent) {
  struct dvmp_list part, all = dvmp_list_of(m, 0, extent - 1);
  int64_t add = dvmrt_num_value(x->add, r->c->args), coef = dvmrt_num_value(x->coef, r->c->args);
  if (x->kind == 'c' || (x->kind == 'a' && !coef))
    return dvmp_list_meet(m, all, dvmp_list_of(m, add, add));
  if (x->kind == 'a' && dvmp_parts_of(m, r->c, rank, x->index, &part))
    return dvmp_list_meet(m, all, dvmp_list_after(m, part, coef, add));
  return all;
}

struct dvmp_set dvmp_exchange_section(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmrt_item *i,
                                      const struct dvmp_array *a, int rank) {
  struct remote r = {c, i};
  struct dvmp_set s = {.ndims = a->ndims};
  for (int d = 0; d < a->ndims; d++)
    s.dim[d] = d < i->naxes ? axis_part(m, &r, &i->axis[d], rank, a->extent[d]) : dvmp_list_of(m, 0, a->extent[d] - 1);
  return s;
}

static int need_remote(void *arg, struct dvmp_arena *m, const struct dvmp_array *a, int rank, struct dvmp_set *needs) {
  const struct remote *r = arg;
  needs[0] = dvmp_exchange_section(m, r->c, r->item, a, rank);
  return 1;
}

/* Of a task: what lies on ranks beyond its own. */
static void ask_others(const struct dvmp_construct *c) {
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_REMOTE)); i = i->next) {
    struct dvmp_array *a = dvmp_array_named(c->d, &i->ref, c->args);
    struct dvmp_arena m = {NULL};
    if (!a || dvmp_array_reached(a))
      continue;
    struct dvmp_set s = dvmp_exchange_section(&m, c, i, a, dvmp_job.rank);
    dvmp_ask_remote(a, &s);
    dvmp_arena_free(&m);
  }
}

void dvmp_exchange_remote(struct dvmp_construct *c) {
  struct dvmp_traffic *t = NULL;
  struct dvmp_plan *plans = NULL;
  if (dvmp_job.size == 1 || !dvmrt_directive_find(c->d->items, DVMRT_DIRECTIVE_REMOTE))
    return;
  int why = dvmp_profile_why(DVMP_WHY_REMOTE);
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_REMOTE)); i = i->next) {
    struct dvmp_array *a = dvmp_array_named(c->d, &i->ref, c->args);
    struct remote r = {c, i};
    if (!t)
      t = dvmp_traffic_create(dvmp_job_tag());
    if (!a || dvmp_array_everywhere(a) || !dvmp_array_reached(a))
      continue;
    struct dvmp_plan *p = dvmp_plan_make(a, need_remote, &r);
    p->next = plans;
    plans = p;
    dvmp_traffic_add(t, a, p);
  }
  dvmp_traffic_remote(t);
  dvmp_traffic_start(t);
  dvmp_traffic_end(t);
  ask_others(c);
  dvmp_profile_back(why);
  while (plans) {
    struct dvmp_plan *p = plans;
    plans = p->next;
    dvmp_plan_destroy(p);
  }
}
