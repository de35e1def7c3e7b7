#include "runtime/parallel/derived.h"
#include "runtime/parallel/abi.h"
#include "runtime/parallel/array.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/export.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct rule {
  bool used, unplaced;
  struct dvmp_list over;          /* indices of the target that this rank has */
  struct dvmp_arena memory;
  int at;                         /* which of its spans is being counted through, and where */
  int64_t next;
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

DVMRT_EXPORT void __dvmp_derived_begin(const volatile void *variable, int dim) {
  const struct dvmp_array *a = array_at(variable);
  for (current = 0; current < nrules && rules[current].used;)
    current++;
  if (current == nrules)
    rules = grown(rules, ++nrules * sizeof(*rules));
  struct rule *r = &rules[current];
  *r = (struct rule){.used = true, .unplaced = !a || dim >= a->ndims || !(a->distributed || a->aligned)};
  if (!r->unplaced && !dvmp_set_empty(&a->own))
    r->over = dvmp_set_copy(&r->memory, &a->own).dim[dim];
  r->next = r->over.n ? r->over.at[0].low : 0;
}

DVMRT_EXPORT int __dvmp_derived_next(long *index) {
  struct rule *r = &rules[current];
  if (r->at < r->over.n && r->next > r->over.at[r->at].high && ++r->at < r->over.n)
    r->next = r->over.at[r->at].low;
  if (r->at >= r->over.n)
    return 0;
  *index = r->next++;
  return 1;
}

DVMRT_EXPORT void __dvmp_derived_give(long low, long high) {
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

DVMRT_EXPORT long __dvmp_derived_end(void) { return (long)current; }

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
  int64_t number = dvmrt_num_value(rule->number, args);
  if (rule->type == 'f')
    number = ((long (*)(void))(uintptr_t)number)();
  struct rule *r = &rules[number];
  int *owner = grown(NULL, (size_t)(extent + 1) * sizeof(*owner));
  if (r->unplaced)
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "the array that 'derived' of '%s' is made with is not distributed yet [dvm-usage]", name);
  for (int64_t i = 0; i <= extent; i++)
    owner[i] = INT_MAX; /* the last one: what is given beyond the dimension, by its rank */
  int64_t wrong = claim(r, owner, extent, mine);
  free(r->given);
  dvmp_arena_free(&r->memory);
  r->used = false;
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
