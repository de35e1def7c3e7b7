#include "runtime/rules/outdated.h"
#include "runtime/data/mem.h"
#include <string.h>

/* What a block has assigned of an array. */
struct assigned {
  struct assigned *next;
  const struct dvmrt_frame *block;
  const struct dvmrt_array *array;
  uint64_t elements;
  uint8_t *bits; /* one for each element in the order of memory */
};
static struct assigned *all;
uint32_t dvmrt_outdated_open;

static bool is_block(const struct dvmrt_frame *f) {
  return !f->d->parallel && (!f->d->fortran || !strcmp(f->d->kind, "asynchronous")) &&
         dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_REMOTE);
}

static uint64_t bytes_of(const struct assigned *x) { return x->elements / 8 + 1; }

static void drop(struct assigned **l) {
  struct assigned *x = *l;
  *l = x->next;
  dvmrt_mem_free(x->bits, bytes_of(x));
  dvmrt_mem_free(x, sizeof(*x));
}

void dvmrt_outdated_before(struct dvmrt_frame *f) { dvmrt_outdated_open += is_block(f); }

void dvmrt_outdated_over(struct dvmrt_frame *f) {
  if (!is_block(f))
    return;
  dvmrt_outdated_open -= dvmrt_outdated_open > 0;
  for (struct assigned **l = &all; *l;)
    if ((*l)->block == f)
      drop(l);
    else
      l = &(*l)->next;
}

void dvmrt_outdated_forget(const struct dvmrt_array *a) {
  for (struct assigned **l = &all; *l;)
    if ((*l)->array == a)
      drop(l);
    else
      l = &(*l)->next;
}

/* The innermost block from 'f' outwards that names it. */
static struct dvmrt_frame *block_of(struct dvmrt_frame *f, const struct dvmrt_array *a) {
  for (; f; f = f->outer)
    if (!f->left && is_block(f) && dvmrt_construct_clause(f, DVMRT_DIRECTIVE_REMOTE, a))
      return f;
  return NULL;
}

bool dvmrt_outdated_concerns(const struct dvmrt_array *a) { return dvmrt_outdated_open && block_of(dvmrt_construct_top(), a); }

static struct assigned *find(const struct dvmrt_frame *block, const struct dvmrt_array *a) {
  struct assigned *x = all;
  while (x && (x->block != block || x->array != a))
    x = x->next;
  return x;
}

static struct assigned *make(const struct dvmrt_frame *block, const struct dvmrt_array *a) {
  struct assigned *x = dvmrt_mem_alloc(sizeof(*x));
  *x = (struct assigned){.next = all, .block = block, .array = a, .elements = 1};
  for (int d = 0; d < a->ndims; d++)
    x->elements *= (uint64_t)a->extent[d];
  x->bits = dvmrt_mem_alloc(bytes_of(x));
  memset(x->bits, 0, bytes_of(x));
  return all = x;
}

static uint64_t element_of(const struct dvmrt_event *ev) {
  uint64_t k = 0;
  for (int d = 0; d < ev->array->ndims; d++)
    k = k * (uint64_t)ev->array->extent[d] + (uint64_t)ev->ix[d];
  return k;
}

/* Elements 'first' to before 'end', in the order of memory. */
static void note(const struct dvmrt_array *a, uint64_t first, uint64_t end) {
  for (struct dvmrt_frame *f = dvmrt_outdated_open ? dvmrt_construct_top() : NULL; (f = block_of(f, a)); f = f->outer) {
    struct assigned *x = find(f, a);
    if (!x)
      x = make(f, a);
    for (uint64_t k = first; k < end && k < x->elements; k++)
      x->bits[k / 8] |= (uint8_t)(1u << k % 8);
  }
}

void dvmrt_outdated_assigned(const struct dvmrt_event *ev) {
  const uint64_t k = element_of(ev);
  note(ev->array, k, k + 1);
}

void dvmrt_outdated_filled(const struct dvmrt_array *a, uintptr_t p, uintptr_t end) {
  struct dvmrt_event ev = {.array = (struct dvmrt_array *)a};
  dvmrt_array_indices(a, p, ev.ix);
  const uint64_t first = element_of(&ev);
  dvmrt_array_indices(a, end - 1, ev.ix);
  note(a, first, element_of(&ev) + 1);
}

void dvmrt_outdated_memory(uintptr_t p, uintptr_t end) {
  while (!dvmrt_construct_nest() && p < end) {
    struct dvmrt_region *r = dvmrt_shadow_region_in(p, end - p);
    if (!r)
      return;
    const uintptr_t until = r->end < end ? r->end : end;
    dvmrt_outdated_filled((struct dvmrt_array *)r, r->base > p ? r->base : p, until);
    p = until;
  }
}

bool dvmrt_outdated_has(const struct dvmrt_event *ev) {
  const uint64_t k = all ? element_of(ev) : 0;
  for (const struct assigned *x = all; x; x = x->next)
    if (x->array == ev->array && k < x->elements && x->bits[k / 8] >> k % 8 & 1)
      return true;
  return false;
}
