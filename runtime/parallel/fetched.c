/* Blocks of remote_access in the sequential part: which elements they have fetched, and which of these they have assigned since, so that the ranks
 * that do not own them have old values. */
#include "runtime/parallel/construct.h"
#include "runtime/parallel/exchange.h"
#include "runtime/parallel/job.h"

struct dvmp_assigned {
  struct dvmp_assigned *next;
  uintptr_t low, high; /* behind the last byte */
};

bool dvmp_construct_fetched(const struct dvmp_array *a, uintptr_t at) {
  int64_t ix[DVMRT_NDIMS_MAX];
  bool found = false;
  struct dvmp_arena m = {NULL};
  dvmp_array_indices(a, at, ix);
  for (const struct dvmp_construct *c = dvmp_construct_top(); c && !found; c = c->outer)
    for (struct dvmrt_item *i = c->d->items; !found && (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_REMOTE)); i = i->next) {
      if (c->d->parallel || dvmp_array_named(c->d, &i->ref, c->args) != a)
        continue;
      struct dvmp_set s = dvmp_exchange_section(&m, c, i, a, dvmp_job.rank);
      found = true;
      for (int d = 0; d < a->ndims; d++)
        found &= dvmp_list_has(s.dim[d], ix[d]);
    }
  dvmp_arena_free(&m);
  return found;
}

static bool names(const struct dvmp_construct *c, const struct dvmp_array *a) {
  for (struct dvmrt_item *i = c->d->items; !c->d->parallel && (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_REMOTE)); i = i->next)
    if (dvmp_array_named(c->d, &i->ref, c->args) == a)
      return true;
  return false;
}

static void note(struct dvmp_construct *c, uintptr_t at, uint64_t size) {
  struct dvmp_assigned *x = c->assigned;
  if (x && at >= x->low && at <= x->high) {
    x->high = x->high > at + size ? x->high : at + size;
    return;
  }
  x = dvmp_arena_get(&c->memory, sizeof(*x));
  *x = (struct dvmp_assigned){c->assigned, at, at + size};
  c->assigned = x;
}

/* Not in Fortran, where the block is one statement, which uses the values from before it. */
void dvmp_construct_assigned(const struct dvmp_array *a, uintptr_t at, uint64_t size) {
  for (struct dvmp_construct *c = dvmp_construct_top(); c; c = c->outer)
    if (!c->d->fortran && names(c, a))
      note(c, at, size);
}

bool dvmp_construct_outdated(uintptr_t at) {
  for (const struct dvmp_construct *c = dvmp_construct_top(); c; c = c->outer)
    for (const struct dvmp_assigned *x = c->assigned; x; x = x->next)
      if (at >= x->low && at < x->high)
        return true;
  return false;
}
