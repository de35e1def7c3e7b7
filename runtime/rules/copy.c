#include "runtime/rules/copy.h"
#include "runtime/data/mem.h"
#include "runtime/rules/group.h"
#include "runtime/rules/outdated.h"
#include "runtime/rules/remote.h"
#include "runtime/rules/verdict.h"
#include <stdio.h>
#include <string.h>

struct section {
  struct dvmrt_array *array;                             /* NULL: ordinary data */
  const char *name;
  int ndims;
  uintptr_t base;
  uint64_t bytes;                                        /* of an element */
  int64_t extent[DVMRT_NDIMS_MAX], stride[DVMRT_NDIMS_MAX];
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX]; /* both included */
  int64_t at[DVMRT_NDIMS_MAX];
};

static void wrong(const struct dvmrt_directive *d, const struct section *s, int dim) {
  char text[200];
  snprintf(text, sizeof text, "the section [%lld:%lld] of dimension %d of '%s' is not in 0..%lld", (long long)s->low[dim],
           (long long)s->high[dim], dim + 1, s->name, (long long)s->extent[dim] - 1);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = d, .usage = text});
}

static void bounds_of(struct section *s, const struct dvmrt_item *i, const int64_t *args) {
  for (int d = 0; d < s->ndims; d++) {
    const struct dvmrt_axis *x = d < i->naxes ? &i->axis[d] : NULL;
    s->low[d] = 0;
    s->high[d] = s->extent[d] - 1;
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

static void take_array(struct section *s) {
  const struct dvmrt_array *a = s->array;
  s->name = a->name;
  s->ndims = a->ndims;
  s->base = a->region.base;
  s->bytes = a->element_bytes;
  memcpy(s->extent, a->extent, sizeof(s->extent));
  memcpy(s->stride, a->stride, sizeof(s->stride));
}

/* Ordinary data; of memory whose extent nobody tells it is as long as the section.  False: that is not told either. */
static bool take_ordinary(struct section *s, const struct dvmrt_item *i, const int64_t *args) {
  s->name = i->ref.name;
  s->ndims = i->ref.ndims;
  s->base = (uintptr_t)dvmrt_num_value(i->ref.address, args);
  s->bytes = (uint64_t)dvmrt_num_value(i->ref.element_bytes, args);
  for (int d = s->ndims - 1; d >= 0; d--) {
    s->extent[d] = dvmrt_num_value(i->ref.extent[d], args);
    if (s->extent[d] < 0 && d < i->naxes && i->axis[d].kind == 'r')
      s->extent[d] = dvmrt_num_value(i->axis[d].add, args) + 1;
    s->stride[d] = d == s->ndims - 1 ? 1 : s->stride[d + 1] * s->extent[d + 1];
    if (s->extent[d] <= 0)
      return false;
  }
  return s->base && s->bytes && s->ndims > 0;
}

/* Which dimension is not inside; -1: none. */
static int outside(const struct section *s) {
  for (int k = 0; k < s->ndims; k++)
    if (s->low[k] < 0 || s->high[k] >= s->extent[k] || s->low[k] > s->high[k])
      return k;
  return -1;
}

/* False: nothing is known of it. */
static bool take(struct section *s, struct dvmrt_item *i, const int64_t *args) {
  s->array = dvmrt_array_of(&i->ref, args);
  if (s->array)
    take_array(s);
  else if (!take_ordinary(s, i, args))
    return false;
  bounds_of(s, i, args);
  return true;
}

/* False: .. or the section is wrong, which has been said. */
static bool section_of(struct section *s, const struct dvmrt_directive *d, struct dvmrt_item *i, const int64_t *args) {
  if (!take(s, i, args))
    return false;
  if (outside(s) >= 0)
    wrong(d, s, outside(s));
  return outside(s) < 0;
}

/* Extents that are not 1, in order: 'n' of them. */
static int shape_of(const struct section *s, int64_t *extents) {
  int n = 0;
  for (int d = 0; d < s->ndims; d++)
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
  snprintf(text, sizeof text, "the sections of '%s' and '%s' have different shapes", to->name, from->name);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = d, .usage = text});
  return false;
}

static uintptr_t address_of(const struct section *s) {
  int64_t k = 0;
  for (int d = 0; d < s->ndims; d++)
    k += s->at[d] * s->stride[d];
  return s->base + (uint64_t)k * s->bytes;
}

/* The next element, the last dimension first, or the one before.  False: there is none. */
static bool advance(struct section *s, bool back) {
  for (int d = s->ndims - 1; d >= 0; d--) {
    if (back ? --s->at[d] >= s->low[d] : ++s->at[d] <= s->high[d])
      return true;
    s->at[d] = back ? s->high[d] : s->low[d];
  }
  return false;
}

/* Has the element a value, or a member of it? */
static bool has_value(uintptr_t a, const struct section *of) {
  uint64_t step = of->array ? (uint64_t)1 << of->array->region.shift : 1;
  for (uintptr_t end = a + of->bytes; a < end; a += step)
    if (dvmrt_shadow_word(a) >= DVMRT_W_FIRST)
      return true;
  return false;
}

static void check_source(const struct dvmrt_directive *d, struct section s) {
  do {
    if (s.array && !has_value(address_of(&s), &s)) {
      dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_SOURCE, .directive = d, .source = {s.array, s.at}});
      return;
    }
  } while (advance(&s, false));
}

/* Members without a value have none in the copy; an element without any has been told of. */
static void copy_words(struct section to, struct section from, bool back) {
  do {
    uintptr_t a = address_of(&to), b = address_of(&from);
    if (to.bytes == from.bytes && (!from.array || has_value(b, &from)))
      dvmrt_shadow_copy(a, b, to.bytes, DVMRT_W_ASSIGNED, UINT32_MAX, 0);
    else
      dvmrt_shadow_fill(a, to.bytes, DVMRT_W_ASSIGNED);
    if (to.array)
      dvmrt_outdated_filled(to.array, a, a + to.bytes);
    advance(&from, back);
  } while (advance(&to, back));
}

/* As the ranks of a parallel run do: of what both sides share the old values are copied. */
static void copy_values(struct section to, struct section from, bool back) {
  if (to.bytes != from.bytes)
    return;
  do {
    memmove((void *)address_of(&to), (const void *)address_of(&from), to.bytes);
    advance(&from, back);
  } while (advance(&to, back));
}

/* ---- asynchronous copies ---------------------------------------------------------------------------------------------------------- */

struct target {
  struct target *next;
  const char *name;
  struct section s;
};

static struct target *targets;

static struct dvmrt_copied copied(const struct section *s) {
  struct dvmrt_copied c = {.array = s->array, .ndims = s->ndims};
  memcpy(c.low, s->low, sizeof(c.low));
  memcpy(c.high, s->high, sizeof(c.high));
  return c;
}

/* Of ordinary data accesses are looked at one by one until the wait; distributed arrays are asked (remote.h). */
static void watch(const struct dvmrt_directive *d, const char *name, const struct section *s, bool target) {
  struct dvmrt_copied_data c = {.base = s->base, .bytes = s->bytes, .ndims = s->ndims, .target = target};
  if (s->array)
    return;
  memcpy(c.stride, s->stride, sizeof(c.stride));
  memcpy(c.low, s->low, sizeof(c.low));
  memcpy(c.high, s->high, sizeof(c.high));
  dvmrt_group_copies(d, name, s->name, &c);
}

/* What is read before the wait may be the old value as well as the new one. */
static void begin_target(const struct dvmrt_directive *d, const char *name, struct section to) {
  struct target *t = dvmrt_mem_alloc(sizeof(*t));
  memcpy(to.at, to.low, sizeof(to.at));
  *t = (struct target){targets, name, to};
  targets = t;
  do
    dvmrt_shadow_fill(address_of(&to), to.bytes, DVMRT_W_COPY);
  while (advance(&to, false));
  watch(d, name, &to, true);
}

static void begin(const struct dvmrt_directive *d, const char *name, const struct section *to, const struct section *from) {
  const struct dvmrt_copied source = copied(from), target = copied(to);
  begin_target(d, name, *to);
  dvmrt_remote_copies(d, name, &source, &target);
  watch(d, name, from, false);
}

/* Elements that are no array any more are somebody else's. */
static void settle(struct target *t) {
  do {
    uintptr_t a = address_of(&t->s);
    if (dvmrt_shadow_word(a) == DVMRT_W_COPY)
      dvmrt_shadow_fill(a, t->s.bytes, DVMRT_W_ASSIGNED);
  } while (advance(&t->s, false));
}

void dvmrt_copy_run(struct dvmrt_directive *d, const int64_t *args) {
  struct dvmrt_item *first = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ARRAY);
  struct dvmrt_item *second = first ? dvmrt_directive_find(first->next, DVMRT_DIRECTIVE_ARRAY) : NULL;
  struct section to, from;
  if (!second || !section_of(&to, d, first, args) || !section_of(&from, d, second, args) || !same_shape(d, &to, &from))
    return;
  check_source(d, from);
  if (to.array)
    dvmrt_construct_written(to.array, NULL);
  bool back = address_of(&to) > address_of(&from);
  if (back) {
    memcpy(to.at, to.high, sizeof(to.at));
    memcpy(from.at, from.high, sizeof(from.at));
  }
  copy_words(to, from, back);
  copy_values(to, from, back);
  const struct dvmrt_item *name = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP);
  if (name)
    begin(d, name->ref.name, &to, &from);
}

void dvmrt_copy_begin(struct dvmrt_directive *d, const int64_t *args) {
  (void)args;
  dvmrt_remote_copies(d, dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP)->ref.name, NULL, NULL);
}

/* Of loops that are not executed sections are empty. */
static bool side_of(struct section *s, const struct dvmrt_directive *d, const int64_t *args) {
  struct dvmrt_item *i = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ARRAY);
  return i && take(s, i, args) && outside(s) < 0;
}

void dvmrt_copy_to(struct dvmrt_directive *d, const int64_t *args) {
  const char *name = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP)->ref.name;
  struct section to;
  if (!side_of(&to, d, args))
    return;
  const struct dvmrt_copied target = copied(&to);
  begin_target(d, name, to);
  dvmrt_remote_copies(d, name, NULL, &target);
}

void dvmrt_copy_from(struct dvmrt_directive *d, const int64_t *args) {
  const char *name = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP)->ref.name;
  struct section from;
  if (!side_of(&from, d, args))
    return;
  const struct dvmrt_copied source = copied(&from);
  dvmrt_remote_copies(d, name, &source, NULL);
  watch(d, name, &from, false);
}

void dvmrt_copy_wait(struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *name = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP);
  (void)args;
  if (!name || !dvmrt_remote_copied(d, name->ref.name))
    return;
  dvmrt_group_copied(name->ref.name);
  for (struct target **l = &targets; *l;) {
    struct target *t = *l;
    if (strcmp(t->name, name->ref.name) != 0) {
      l = &t->next;
      continue;
    }
    settle(t);
    *l = t->next;
    dvmrt_mem_free(t, sizeof(*t));
  }
}
