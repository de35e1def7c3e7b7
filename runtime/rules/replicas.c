#include "runtime/rules/replicas.h"
#include "runtime/data/mem.h"
#include "runtime/rules/verdict.h"
#include <string.h>

enum { BITS_MAX = 1 << 26, VALUES_MAX = 1 << 22 };

/* What one nest has assigned of one array. */
struct replicas {
  struct replicas *next;
  const struct dvmrt_frame *f;
  struct dvmrt_array *array;
  uint64_t count, points; /* data, which are as large as a word of the array tells of: elements or parts of structs; copies of each */
  uint64_t words; /* of 64 bits, for a datum */
  uint64_t *bits;             /* count * words: which copies have been assigned */
  /* Digests of the values that copies have at last, count * points; NULL: too many.  A value is known when another copy is about to be written:
   * till then the memory, which is that of all copies, holds what the one before was given: 'writer' of the datum, + 1; 0: none. */
  uint64_t *values;
  uint32_t *writer;
  struct dvmrt_event first; /* the first access that assigned one, in iteration 'iv' */
  int64_t iv[DVMRT_NDIMS_MAX];
};

static struct replicas *all;

static bool is_divided(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, int r) {
  return array->block[r] && array->at[r].kind == DVMRT_COORD_ALL && nest->at[r].kind != DVMRT_COORD_ALL;
}

/* 0: too many. */
static uint64_t points_of(const struct dvmrt_layout *array, const struct dvmrt_layout *nest) {
  uint64_t n = 1;
  for (int r = 0; r < array->ndims; r++)
    if (is_divided(array, nest, r) && __builtin_mul_overflow(n, (uint64_t)array->extent[r], &n))
      return 0;
  return n <= BITS_MAX ? n : 0;
}

/* Where the iteration is executed, among the copies; 'points' and more: nowhere. */
static uint64_t point_of(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const int64_t *iv) {
  uint64_t point = 0;
  for (int r = 0; r < array->ndims; r++) {
    if (!is_divided(array, nest, r))
      continue;
    const struct dvmrt_coord c = nest->at[r];
    const int64_t at = c.kind == DVMRT_COORD_AFFINE ? c.coef * iv[c.index] + c.add : c.add;
    if (at < 0 || at >= array->extent[r])
      return UINT64_MAX;
    point = point * (uint64_t)array->extent[r] + (uint64_t)at;
  }
  return point;
}

static struct replicas *find(const struct dvmrt_frame *f, const struct dvmrt_array *a) {
  struct replicas *r = all;
  while (r && (r->f != f || r->array != a))
    r = r->next;
  return r;
}

static uint64_t count_of(const struct dvmrt_array *a) { return (a->region.end - a->region.base) >> a->region.shift; }

static bool room_for(const struct dvmrt_array *a, uint64_t points) {
  return points && count_of(a) <= BITS_MAX / (64 * ((points + 63) / 64));
}

static struct replicas *create(const struct dvmrt_event *ev) {
  const uint64_t points = points_of(dvmrt_array_layout(ev->array), &ev->nest->layout);
  const uint64_t count = count_of(ev->array), words = (points + 63) / 64;
  struct replicas *r = dvmrt_mem_alloc(sizeof(*r));
  *r = (struct replicas){.next = all, .f = ev->nest, .array = ev->array, .count = count, .points = points, .words = words, .first = *ev};
  memcpy(r->iv, __dvmrt_now.iv, sizeof(r->iv));
  r->bits = dvmrt_mem_alloc(count * words * sizeof(*r->bits));
  memset(r->bits, 0, count * words * sizeof(*r->bits));
  if (count * points <= VALUES_MAX)
    r->values = dvmrt_mem_alloc(count * points * sizeof(*r->values));
  r->writer = dvmrt_mem_alloc(count * sizeof(*r->writer));
  memset(r->writer, 0, count * sizeof(*r->writer));
  return all = r;
}

bool dvmrt_replicas_follow(const struct dvmrt_event *ev) {
  return ev->nest && dvmrt_layout_copied(dvmrt_array_layout(ev->array), &ev->nest->layout) &&
         (find(ev->nest, ev->array) || room_for(ev->array, points_of(dvmrt_array_layout(ev->array), &ev->nest->layout)));
}

/* ---- values ------------------------------------------------------------------------------------------------------------------------- */

static uint64_t digest_of(const struct replicas *r, uint64_t datum) {
  const unsigned shift = r->array->region.shift;
  const unsigned char *p = (const unsigned char *)(uintptr_t)(r->array->region.base + (datum << shift));
  uint64_t h = 0;
  for (uint64_t i = 0; i < (uint64_t)1 << shift; i++)
    h = (h ^ p[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
  return h;
}

/* The copy that was written last has got its value. */
static void settle(struct replicas *r, uint64_t datum) {
  if (r->writer[datum])
    r->values[datum * r->points + r->writer[datum] - 1] = digest_of(r, datum);
}

/* Of a struct that is assigned as a whole bytes that belong to no member may be anything. */
static void take_over(struct replicas *r, uint64_t datum, uint64_t point, const struct dvmrt_access *of) {
  if (r->values && of->whole) {
    dvmrt_mem_free(r->values, r->count * r->points * sizeof(*r->values));
    r->values = NULL;
  }
  if (r->values && r->writer[datum] != point + 1)
    settle(r, datum);
  r->writer[datum] = (uint32_t)point + 1;
}

void dvmrt_replicas_write(const struct dvmrt_event *ev, uintptr_t p, uint64_t size) {
  struct replicas *r = find(ev->nest, ev->array);
  if (!r)
    r = create(ev);
  const uint64_t point = point_of(dvmrt_array_layout(ev->array), &ev->nest->layout, __dvmrt_now.iv);
  const struct dvmrt_region *of = &ev->array->region;
  for (uint64_t i = (p - of->base) >> of->shift; point < r->points && i << of->shift < p + size - of->base; i++)
    if (i < r->count) {
      r->bits[i * r->words + point / 64] |= (uint64_t)1 << point % 64;
      take_over(r, i, point, ev->access);
    }
}

static bool is_assigned(const struct replicas *r, uint64_t datum) { return r->writer[datum] != 0; }

/* Each copy has a value, and the same. */
static bool is_alike(struct replicas *r, uint64_t datum) {
  uint64_t n = 0;
  for (uint64_t k = 0; k < r->words; k++)
    n += (uint64_t)__builtin_popcountll(r->bits[datum * r->words + k]);
  if (n != r->points || !r->values)
    return n == r->points;
  settle(r, datum);
  const uint64_t *values = &r->values[datum * r->points];
  for (uint64_t k = 1; k < r->points; k++)
    if (values[k] != values[0])
      return false;
  return true;
}

static void tell(struct replicas *r, uint64_t element) {
  struct dvmrt_event ev = r->first;
  int64_t saved[DVMRT_NDIMS_MAX];
  ev.at = r->array->region.base + element * r->array->element_bytes;
  dvmrt_array_indices(r->array, ev.at, ev.ix);
  ev.subscripts = NULL;
  memcpy(saved, __dvmrt_now.iv, sizeof(saved));
  memcpy(__dvmrt_now.iv, r->iv, sizeof(saved));
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_VALUE, .event = &ev, .value = DVMRT_UNDECLARED});
  memcpy(__dvmrt_now.iv, saved, sizeof(saved));
}

static void finish(struct replicas *r, struct dvmrt_frame *f) {
  const unsigned shift = r->array->region.shift;
  uint64_t told = UINT64_MAX;
  for (uint64_t i = 0; i < r->count; i++) {
    const uint64_t at = r->array->region.base + (i << shift), element = (i << shift) / r->array->element_bytes;
    if (!is_assigned(r, i) || is_alike(r, i))
      continue;
    if (element != told)
      tell(r, told = element);
    dvmrt_construct_undeclared(f, at, at + ((uint64_t)1 << shift));
  }
  dvmrt_mem_free(r->bits, r->count * r->words * sizeof(*r->bits));
  dvmrt_mem_free(r->writer, r->count * sizeof(*r->writer));
  if (r->values)
    dvmrt_mem_free(r->values, r->count * r->points * sizeof(*r->values));
}

void dvmrt_replicas_over(struct dvmrt_frame *f) {
  for (struct replicas **l = &all; *l;) {
    struct replicas *r = *l;
    if (r->f != f) {
      l = &r->next;
      continue;
    }
    *l = r->next;
    finish(r, f);
    dvmrt_mem_free(r, sizeof(*r));
  }
}
