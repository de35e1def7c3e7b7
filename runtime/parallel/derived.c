#include "runtime/parallel/derived.h"
#include "runtime/parallel/abi.h"
#include "runtime/parallel/array.h"
#include "runtime/parallel/edges.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/export.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* An index that is counted through. */
struct level {
  struct dvmp_list over;          /* places of the target that this rank has, or has in the edges that are named */
  int at;                         /* which of its spans, and where */
  int64_t next;
  const struct dvmp_array *a;
  int dim;
};

struct rule {
  bool used, unplaced;
  const char *missing;            /* an edge that is named and is not there */
  struct level level[DVMRT_NDIMS_MAX];
  struct dvmp_arena memory;
  struct dvmp_span *given;
  size_t n, room;
};

static struct rule *rules;
static size_t nrules, current;

static void *grown(void *p, size_t bytes) {
  p = realloc(p, bytes);
  if (!p)
    dvmp_out_of_memory();
  return p;
}

static const struct dvmp_array *array_at(const volatile void *variable) {
  const struct dvmp_array *a = dvmp_template_at((uintptr_t)variable);
  if (!a)
    a = dvmp_array_at((uintptr_t)variable);
  return a ? a : dvmp_array_at(*(const volatile uintptr_t *)variable);
}

DVMRT_EXPORT void __dvmp_rule_begin(void) {
  for (current = 0; current < nrules && rules[current].used;)
    current++;
  if (current == nrules)
    rules = grown(rules, ++nrules * sizeof(*rules));
  rules[current] = (struct rule){.used = true};
}

static void count_from_start(struct level *l) {
  l->at = 0;
  l->next = l->over.n ? l->over.at[0].low : 0;
}

DVMRT_EXPORT void __dvmp_rule_over(int level, const volatile void *variable, int dim) {
  struct rule *r = &rules[current];
  struct level *l = &r->level[level];
  const struct dvmp_array *a = array_at(variable);
  *l = (struct level){.dim = dim, .a = a};
  if (!a || dim >= a->ndims || !(a->distributed || a->aligned))
    r->unplaced = true;
  else
    l->over = dvmp_list_copy(&r->memory, a->own.dim[dim]);
  count_from_start(l);
}

DVMRT_EXPORT void __dvmp_rule_edge(int level, const char *name) {
  struct rule *r = &rules[current];
  struct level *l = &r->level[level];
  struct dvmp_list edge;
  if (r->unplaced)
    return;
  if (dvmp_edges_along(&r->memory, l->a, name, l->dim, dvmp_job.rank, &edge))
    l->over = dvmp_list_join(&r->memory, l->over, edge);
  else
    r->missing = name;
  count_from_start(l);
}

DVMRT_EXPORT int __dvmp_rule_next(int level, long *index) {
  struct level *l = &rules[current].level[level];
  if (l->at < l->over.n && l->next > l->over.at[l->at].high && ++l->at < l->over.n)
    l->next = l->over.at[l->at].low;
  if (l->at >= l->over.n)
    return 0;
  *index = l->next++;
  return 1;
}

DVMRT_EXPORT void __dvmp_rule_give(long low, long high) {
  struct rule *r = &rules[current];
  if (r->n && r->given[r->n - 1].high + 1 == low && low <= high) {
    r->given[r->n - 1].high = high;
    return;
  }
  if (r->n == r->room)
    r->given = grown(r->given, (r->room = 2 * r->room + 16) * sizeof(*r->given));
  if (low <= high)
    r->given[r->n++] = (struct dvmp_span){low, high};
}

DVMRT_EXPORT long __dvmp_rule_end(void) { return (long)current; }

static struct rule *find_rule(const struct dvmrt_directive *d, const struct dvmrt_rule *rule, const int64_t *args, const char *what,
                              const char *name) {
  int64_t number = dvmrt_num_value(rule->number, args);
  if (rule->type == 'f')
    number = ((long (*)(void))(uintptr_t)number)();
  struct rule *r = &rules[number];
  if (r->unplaced)
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "the array that '%s' of '%s' is made with is not distributed yet [dvm-usage]", what, name);
  if (r->missing)
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "the rule of '%s' names the edge \"%s\", which 'shadow_add' has not made [dvm-usage]", name,
                  r->missing);
  return r;
}

static void end_rule(struct rule *r) {
  free(r->given);
  dvmp_arena_free(&r->memory);
  r->used = false;
}

/* ---- elements of an edge -------------------------------------------------------------------------------------------------------- */

static int in_order(const void *a, const void *b) {
  const struct dvmp_span *x = a, *y = b;
  return x->low < y->low ? -1 : x->low > y->low;
}

struct dvmp_list dvmp_rule_list(struct dvmp_arena *m, const struct dvmrt_directive *d, const struct dvmrt_rule *rule, const int64_t *args,
                                const char *what, const char *name, int64_t extent) {
  struct rule *r = find_rule(d, rule, args, what, name);
  struct dvmp_span *s = dvmp_arena_get(m, (r->n + 1) * sizeof(*s));
  int n = 0;
  if (r->n)
    qsort(r->given, r->n, sizeof(*r->given), in_order);
  for (size_t i = 0; i < r->n; i++) {
    int64_t low = r->given[i].low < 0 ? 0 : r->given[i].low, high = r->given[i].high < extent ? r->given[i].high : extent - 1;
    if (low > high)
      continue;
    if (n && low <= s[n - 1].high + 1)
      s[n - 1].high = high > s[n - 1].high ? high : s[n - 1].high;
    else
      s[n++] = (struct dvmp_span){low, high};
  }
  end_rule(r);
  return (struct dvmp_list){n, s};
}

/* ---- owners --------------------------------------------------------------------------------------------------------------------- */

/* Each element belongs to the first processor that an element of the target gives it; those that none does lie as blocks would. */
static void fill(int *owner, int64_t extent, int procs) {
  for (int64_t i = 0; i < extent; i++)
    if (owner[i] >= procs)
      owner[i] = (int)((double)i * procs / (double)extent);
}

/* What is beyond the dimension is returned; owner[extent] says which rank gives it. */
static int64_t claim(const struct rule *r, int *owner, int64_t extent, int mine) {
  int64_t wrong = -1;
  for (size_t k = 0; k < r->n && mine >= 0; k++) {
    struct dvmp_span s = r->given[k];
    if (s.low < 0 || s.high >= extent) {
      wrong = s.low < 0 ? s.low : s.high;
      owner[extent] = dvmp_job.rank;
      continue;
    }
    for (int64_t i = s.low; i <= s.high; i++)
      owner[i] = mine;
  }
  return wrong;
}

int *dvmp_derived_owners(const struct dvmrt_directive *d, const struct dvmrt_rule *rule, const int64_t *args, const char *name,
                         int64_t extent, int procs, int mine) {
  struct rule *r = find_rule(d, rule, args, "derived", name);
  int *owner = grown(NULL, (size_t)(extent + 1) * sizeof(*owner));
  for (int64_t i = 0; i <= extent; i++)
    owner[i] = INT_MAX; /* the last one: what is given beyond the dimension, by its rank */
  int64_t wrong = claim(r, owner, extent, mine);
  end_rule(r);
  if (dvmp_job_together())
    dvmp_job_combine(owner, extent + 1, 'm', 'i', sizeof(*owner), NULL);
  if (owner[extent] != INT_MAX) {
    dvmp_job_tell(&wrong, sizeof(wrong), owner[extent]);
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "'derived' gives a place to element %lld of '%s', whose dimension has %lld [dvm-usage]",
                  (long long)wrong, name, (long long)extent);
  }
  fill(owner, extent, procs);
  return owner;
}
