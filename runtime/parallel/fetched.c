/* Blocks of remote_access in the sequential part: which elements they have fetched, and which of these they have assigned since, so that the ranks
 * that do not own them have old values. */
#include "runtime/parallel/construct.h"
#include "runtime/parallel/exchange.h"
#include "runtime/parallel/job.h"
#include <string.h>

struct dvmp_assigned {
  struct dvmp_assigned *next;
  const struct dvmp_array *a;
  uint64_t elements;
  uint8_t *bits; /* one for each element in the order of memory */
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

static uint64_t element_at(const struct dvmp_array *a, uintptr_t at) { return (at - a->address) / a->element_bytes; }

static struct dvmp_assigned *of_array(const struct dvmp_construct *c, const struct dvmp_array *a) {
  struct dvmp_assigned *x = c->assigned;
  while (x && x->a != a)
    x = x->next;
  return x;
}

static void note(struct dvmp_construct *c, const struct dvmp_array *a, uintptr_t at, uint64_t size) {
  struct dvmp_assigned *x = of_array(c, a);
  if (!x) {
    const uint64_t n = (uint64_t)(a->stride[0] * a->extent[0]);
    x = dvmp_arena_get(&c->memory, sizeof(*x));
    *x = (struct dvmp_assigned){c->assigned, a, n, dvmp_arena_get(&c->memory, n / 8 + 1)};
    memset(x->bits, 0, n / 8 + 1);
    c->assigned = x;
  }
  for (uint64_t k = element_at(a, at); k < x->elements && k <= element_at(a, at + size - 1); k++)
    x->bits[k / 8] |= (uint8_t)(1u << k % 8);
}

/* REMOTE_ACCESS of Fortran stands before one statement, which uses the values from before it; ASYNCHRONOUS before several. */
static bool is_block(const struct dvmp_construct *c) { return !c->d->fortran || !strcmp(c->d->kind, "asynchronous"); }

void dvmp_construct_assigned(const struct dvmp_array *a, uintptr_t at, uint64_t size) {
  for (struct dvmp_construct *c = dvmp_construct_top(); c; c = c->outer)
    if (is_block(c) && names(c, a))
      note(c, a, at, size);
}

const struct dvmrt_directive *dvmp_construct_outdated(const struct dvmp_array *a, uintptr_t at) {
  for (const struct dvmp_construct *c = dvmp_construct_top(); c; c = c->outer) {
    const struct dvmp_assigned *x = of_array(c, a);
    const uint64_t k = element_at(a, at);
    if (x && k < x->elements && x->bits[k / 8] >> k % 8 & 1)
      return c->d;
  }
  return NULL;
}
