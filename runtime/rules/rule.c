#include "runtime/rules/rule.h"
#include "runtime/rules/verdict.h"
#include "runtime/data/heap.h"
#include "runtime/data/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COUNT_MAX = 1 << 24 };

struct subject {
  const struct dvmrt_directive *d;
  const struct dvmrt_array *array;
  int dim;
};

/* As the language counts them. */
static int dimension_of(const struct dvmrt_directive *d, const struct dvmrt_array *a, int dim) {
  return d->fortran ? a->ndims - dim : dim + 1;
}

static long long number_of(const struct subject *s, int64_t i) { return (long long)i + s->d->fortran; }

static void wrong(const struct subject *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void wrong(const struct subject *s, const char *format, ...) {
  char what[160], text[256];
  va_list ap;
  va_start(ap, format);
  vsnprintf(what, sizeof what, format, ap);
  va_end(ap);
  snprintf(text, sizeof text, "%s, for dimension %d of '%s'", what, dimension_of(s->d, s->array, s->dim), s->array->name);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = s->d, .usage = text});
}

struct values {
  uintptr_t at;
  int64_t count;
  char type;
  int bytes;
};

/* How many values there are: as declared, else to the end of their allocation; 0: not known. */
static struct values values_of(const struct dvmrt_rule *r, const int64_t *args) {
  struct values v = {(uintptr_t)dvmrt_num_value(r->values, args), dvmrt_num_value(r->count, args), r->type, r->bytes};
  struct dvmrt_extent x;
  bool readable = (v.type == 'i' || v.type == 'u' || v.type == 'f') && (v.bytes == 1 || v.bytes == 2 || v.bytes == 4 || v.bytes == 8);
  if (!readable || !v.at)
    v.count = 0;
  else if (!v.count && dvmrt_heap_find(v.at, &x))
    v.count = (int64_t)((x.start + x.size - v.at) / (uint64_t)v.bytes);
  if (v.count < 0 || v.count > COUNT_MAX)
    v.count = 0;
  return v;
}

/* False: it has no value, and so no value behind it is meant. */
static bool value_at(const struct values *v, int64_t i, double *value) {
  uintptr_t at = v->at + (uintptr_t)i * (unsigned)v->bytes;
  if (dvmrt_shadow_word(at) < DVMRT_W_FIRST)
    return false;
  if (v->type == 'f') {
    float f;
    if (v->bytes == 4)
      memcpy(&f, (void *)at, sizeof f), *value = (double)f;
    else
      memcpy(value, (void *)at, sizeof *value);
    return v->bytes >= 4;
  }
  uint64_t u = 0;
  memcpy(&u, (void *)at, (size_t)v->bytes);
  unsigned unused = 64 - 8 * (unsigned)v->bytes;
  *value = v->type == 'i' ? (double)((int64_t)(u << unused) >> unused) : (double)u;
  return true;
}

/* Sizes of the processors' parts.  For some number of processors they must be the dimension: the verdict is for any. */
static void check_sizes(const struct subject *s, const struct values *v) {
  double sum = 0, size, extent = (double)s->array->extent[s->dim];
  int64_t i = 0;
  for (; i < v->count && value_at(v, i, &size); i++) {
    if (size < 0) {
      wrong(s, "size number %lld of 'genblock' is negative (%.0f)", number_of(s, i), size);
      return;
    }
    sum += size;
    if (sum == extent)
      return;
  }
  if (i)
    wrong(s, "the sizes of 'genblock' add up to %.0f, but the dimension has %.0f elements", sum, extent);
}

static void check_weights(const struct subject *s, const struct values *v, int64_t n) {
  double sum = 0, weight;
  if (n <= 0) {
    wrong(s, "'wgtblock' is given %lld weights", (long long)n);
    return;
  }
  if (v->count && n > v->count) {
    wrong(s, "'wgtblock' is given %lld weights, but its array has only %lld elements", (long long)n, (long long)v->count);
    return;
  }
  for (int64_t i = 0; i < n && v->count; i++) {
    if (!value_at(v, i, &weight))
      return;
    if (!(weight >= 0)) {
      wrong(s, "weight number %lld of 'wgtblock' is %g", number_of(s, i), weight);
      return;
    }
    sum += weight;
  }
  if (v->count && sum <= 0)
    wrong(s, "the weights of 'wgtblock' are all zero");
}

static void check_multiple(const struct subject *s, int64_t n) {
  if (n <= 0)
    wrong(s, "the argument of 'multblock' is %lld", (long long)n);
  else if (s->array->extent[s->dim] % n)
    wrong(s, "the argument of 'multblock' (%lld) does not divide the number of elements (%lld)", (long long)n,
          (long long)s->array->extent[s->dim]);
}

/* A processor for each element. */
static void check_owners(const struct subject *s, const struct values *v) {
  int64_t extent = s->array->extent[s->dim];
  double owner;
  if (v->count && v->count < extent) {
    wrong(s, "the map of 'indirect' has %lld elements, but the dimension has %lld", (long long)v->count, (long long)extent);
    return;
  }
  for (int64_t i = 0; i < extent && v->count && value_at(v, i, &owner); i++) {
    if (owner < 0) {
      wrong(s, "element %lld of the map of 'indirect' is negative (%.0f)", number_of(s, i), owner);
      return;
    }
  }
}

void dvmrt_rule_check(const struct dvmrt_directive *d, const struct dvmrt_item *own, const struct dvmrt_array *a, const int64_t *args) {
  for (int i = 0; i < own->ndist && i < a->ndims; i++) {
    const struct dvmrt_rule *r = &own->rule[i];
    const struct subject s = {d, a, i};
    struct values v = values_of(r, args);
    switch (r->kind) {
    case 'g': check_sizes(&s, &v); break;
    case 'w': check_weights(&s, &v, dvmrt_num_value(r->number, args)); break;
    case 'm': check_multiple(&s, dvmrt_num_value(r->number, args)); break;
    case 'i': check_owners(&s, &v); break;
    default: break;
    }
  }
}

static void check_alignment(const struct dvmrt_array *a, const struct dvmrt_array *target) {
  for (int r = 0; r < target->ndims && r < a->ntarget; r++) {
    struct dvmrt_coord c = a->map[r];
    int64_t places[2] = {c.add, c.add}, last = target->extent[r] - 1;
    if (c.kind == DVMRT_COORD_ALL || (c.kind == DVMRT_COORD_AFFINE && a->extent[c.index] <= 0))
      continue;
    if (c.kind == DVMRT_COORD_AFFINE)
      places[1] += c.coef * (a->extent[c.index] - 1);
    for (int k = 0; k < 2; k++) {
      if (places[k] >= 0 && places[k] <= last)
        continue;
      struct dvmrt_text t = {.n = 0};
      const long long low = target->lower[r];
      dvmrt_text_add(&t, "the alignment of '%s' exceeds '%s': it needs index %lld in dimension %d, which has %lld..%lld", a->name,
                     a->target_name, (long long)places[k] + low, dimension_of(a->placed, target, r), low, (long long)last + low);
      dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = a->placed, .usage = t.s});
      return;
    }
  }
}

void dvmrt_rule_alignment(struct dvmrt_array *a) {
  const struct dvmrt_array *target = a->aligned && !a->judged ? dvmrt_array_target(a->target_address) : NULL;
  if (!target || target == a)
    return;
  a->judged = true;
  check_alignment(a, target);
}

/* 'value' of index variable number 'index' (-1: none) makes the subscript of dimension d 'at'. */
static bool leaves(const struct dvmrt_frame *f, const struct dvmrt_item *i, const struct dvmrt_array *a, int d, int64_t at, int index,
                   int64_t value) {
  if (at >= 0 && at < a->extent[d])
    return false;
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_LEAVES, .directive = f->d, .leaves = {i, a, d, at, index, value}});
  return true;
}

void dvmrt_rule_fixed(const struct dvmrt_frame *f, const struct dvmrt_item *i, const struct dvmrt_array *a) {
  for (int d = 0; a && d < i->naxes && d < a->ndims; d++)
    if (i->axis[d].kind == 'c')
      leaves(f, i, a, d, dvmrt_num_value(i->axis[d].add, f->args), -1, 0);
}

static bool leaves_at(const struct dvmrt_frame *f, const struct dvmrt_item *i, const struct dvmrt_array *a, int d, int64_t value) {
  const struct dvmrt_axis *x = &i->axis[d];
  int64_t at;
  if (__builtin_mul_overflow(dvmrt_num_value(x->coef, f->args), value, &at) ||
      __builtin_add_overflow(at, dvmrt_num_value(x->add, f->args), &at))
    at = -1;
  return leaves(f, i, a, d, at, x->index, value);
}

void dvmrt_rule_present(struct dvmrt_frame *f) {
  const struct dvmrt_item *i = f->on ? dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_ON) : NULL;
  if (f != dvmrt_construct_nest() || !dvmrt_construct_iterations())
    return; /* the index variables are not those of an iteration yet */
  for (int d = 0; i && d < i->naxes && d < f->on->ndims; d++)
    if (i->axis[d].kind == 'a' && !(f->on_left >> d & 1) && leaves_at(f, i, f->on, d, __dvmrt_now.iv[i->axis[d].index]))
      f->on_left |= 1u << d;
}

void dvmrt_rule_moving(const struct dvmrt_frame *f, const struct dvmrt_item *i, const struct dvmrt_array *a) {
  const struct dvmrt_rows *r = &f->rows;
  const uint32_t told = i->key == DVMRT_DIRECTIVE_ON ? f->on_left : 0;
  for (int d = 0; a && d < i->naxes && d < a->ndims; d++) {
    int v = i->axis[d].index;
    if (i->axis[d].kind == 'a' && !(told >> d & 1) && v < r->rank && !leaves_at(f, i, a, d, r->low[v]) && r->low[v] != r->high[v])
      leaves_at(f, i, a, d, r->high[v]);
  }
}
