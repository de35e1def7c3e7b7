#include "runtime/rules/copy.h"
#include "runtime/rules/construct.h"
#include "runtime/rules/verdict.h"
#include <stdio.h>

struct section {
  struct dvmrt_array *array;
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX]; /* both included */
  int64_t at[DVMRT_NDIMS_MAX];
};

static void wrong(const struct dvmrt_directive *d, const struct section *s, int dim) {
  char text[200];
  snprintf(text, sizeof text, "the section [%lld:%lld] of dimension %d of '%s' is not in 0..%lld", (long long)s->low[dim],
           (long long)s->high[dim], dim + 1, s->array->name, (long long)s->array->extent[dim] - 1);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = d, .usage = text});
}

static void bounds_of(struct section *s, const struct dvmrt_item *i, const int64_t *args) {
  for (int d = 0; d < s->array->ndims; d++) {
    const struct dvmrt_axis *x = d < i->naxes ? &i->axis[d] : NULL;
    s->low[d] = 0;
    s->high[d] = s->array->extent[d] - 1;
    if (x && x->kind == 'c') {
      s->low[d] = s->high[d] = dvmrt_num_value(x->add, args);
    } else if (x && x->kind == 'r') {
      bool open = x->add.slot < 0 && x->add.v == -1;
      s->low[d] = dvmrt_num_value(x->coef, args);
      s->high[d] = open ? s->high[d] : dvmrt_num_value(x->add, args);
    }
    s->at[d] = s->low[d];
  }
}

/* False: no array there, or the section is wrong (which has been said). */
static bool section_of(struct section *s, const struct dvmrt_directive *d, struct dvmrt_item *i, const int64_t *args) {
  s->array = dvmrt_array_of(&i->ref, args);
  if (!s->array)
    return false;
  bounds_of(s, i, args);
  for (int k = 0; k < s->array->ndims; k++)
    if (s->low[k] < 0 || s->high[k] >= s->array->extent[k] || s->low[k] > s->high[k]) {
      wrong(d, s, k);
      return false;
    }
  return true;
}

/* Extents that are not 1, in order: 'n' of them. */
static int shape_of(const struct section *s, int64_t *extents) {
  int n = 0;
  for (int d = 0; d < s->array->ndims; d++)
    if (s->high[d] > s->low[d])
      extents[n++] = s->high[d] - s->low[d] + 1;
  return n;
}

static bool same_shape(const struct dvmrt_directive *d, const struct section *to, const struct section *from) {
  int64_t a[DVMRT_NDIMS_MAX], b[DVMRT_NDIMS_MAX];
  int n = shape_of(to, a), m = shape_of(from, b);
  bool same = n == m;
  for (int i = 0; same && i < n; i++)
    same = a[i] == b[i];
  if (same)
    return true;
  char text[160];
  snprintf(text, sizeof text, "the sections of '%s' and '%s' have different shapes", to->array->name, from->array->name);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = d, .usage = text});
  return false;
}

static uintptr_t address_of(const struct section *s) {
  int64_t k = 0;
  for (int d = 0; d < s->array->ndims; d++)
    k += s->at[d] * s->array->stride[d];
  return s->array->region.base + (uint64_t)k * s->array->element_bytes;
}

/* The next element, the last dimension first.  False: there is none. */
static bool advance(struct section *s) {
  for (int d = s->array->ndims - 1; d >= 0; d--) {
    if (++s->at[d] <= s->high[d])
      return true;
    s->at[d] = s->low[d];
  }
  return false;
}

/* Has the element a value, or a member of it? */
static bool has_value(uintptr_t a, const struct dvmrt_array *of) {
  for (uintptr_t end = a + of->element_bytes; a < end; a += (uintptr_t)1 << of->region.shift)
    if (dvmrt_shadow_word(a) >= DVMRT_W_FIRST)
      return true;
  return false;
}

static void check_source(const struct dvmrt_directive *d, struct section s) {
  do {
    if (!has_value(address_of(&s), s.array)) {
      dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_SOURCE, .directive = d, .source = {s.array, s.at}});
      return;
    }
  } while (advance(&s));
}

void dvmrt_copy_run(struct dvmrt_directive *d, const int64_t *args) {
  struct dvmrt_item *first = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ARRAY);
  struct dvmrt_item *second = first ? dvmrt_directive_find(first->next, DVMRT_DIRECTIVE_ARRAY) : NULL;
  struct section to, from;
  if (!second || !section_of(&to, d, first, args) || !section_of(&from, d, second, args) || !same_shape(d, &to, &from))
    return;
  check_source(d, from);
  dvmrt_construct_written(to.array, NULL);
  /* Members without a value have none in the copy; an element without any has been told of. */
  do {
    uint64_t bytes = to.array->element_bytes;
    if (bytes == from.array->element_bytes && has_value(address_of(&from), from.array))
      dvmrt_shadow_copy(address_of(&to), address_of(&from), bytes, DVMRT_W_ASSIGNED, UINT32_MAX, 0);
    else
      dvmrt_shadow_fill(address_of(&to), bytes, DVMRT_W_ASSIGNED);
    advance(&from);
  } while (advance(&to));
}
