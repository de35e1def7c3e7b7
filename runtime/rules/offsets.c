#include "runtime/rules/offsets.h"
#include "runtime/data/mem.h"
#include "runtime/rules/group.h"
#include "runtime/rules/repeat.h"
#include "runtime/rules/task.h"
#include <string.h>

enum { OFFSETS_MAX = 8, NEAREST = -8, BITS = 4 }; /* an offset along one dimension is one of 16 */

struct dvmrt_offsets {
  struct dvmrt_offsets *next; /* of those that hold anything */
  struct dvmrt_array *array;  /* NULL: holds nothing */
  uint32_t flags;             /* DVMRT_READ | DVMRT_WRITE of the accesses */
  bool subscripts;            /* those of the text are the array's */
  int ndims;                  /* dimensions that are divided among the processors */
  struct own {
    int dim, index; /* the own element has the subscript coef * iv[index] + add there */
    int64_t coef, add;
  } own[DVMRT_NDIMS_MAX];
  /* In this iteration, all from 'low' on lie as 'last' does: a row along a dimension that is not divided.  length 0: of no iteration. */
  uint32_t iteration;
  uintptr_t low;
  uint64_t length;
  struct offset *last;
  unsigned count;
  struct offset {
    uint64_t way;                  /* packed, 0: none */
    struct dvmrt_finding *finding; /* NULL: right */
    uint64_t hits;
  } offset[OFFSETS_MAX];
};

struct dvmrt_offsets *dvmrt_offsets_first;

void dvmrt_offsets_end_all(bool counts) {
  for (struct dvmrt_offsets *o = dvmrt_offsets_first; o; o = o->next) {
    for (unsigned i = 0; i < o->count; i++)
      if (counts && o->offset[i].finding && o->offset[i].hits)
        dvmrt_finding_more(o->offset[i].finding, o->offset[i].hits);
    o->array = NULL;
    o->count = 0;
    o->length = 0;
  }
  dvmrt_offsets_first = NULL;
}

/* ---- the way from the own element ------------------------------------------------------------------------------------------------ */

/* Of each divided dimension of the array: where the iteration's own element is.  False: that is not one subscript. */
static bool find_own(struct dvmrt_offsets *o, const struct dvmrt_layout *array, const struct dvmrt_layout *nest) {
  uint32_t dims = 0;
  o->ndims = 0;
  for (int r = 0; r < array->ndims; r++) {
    const struct dvmrt_coord a = array->at[r], n = nest->at[r];
    if (!array->block[r] || a.kind == DVMRT_COORD_ALL)
      continue;
    if (a.kind != DVMRT_COORD_AFFINE || a.coef != 1 || array->unit[r] > 1 || n.kind == DVMRT_COORD_ALL || dims >> a.index & 1)
      return false;
    dims |= 1u << a.index;
    o->own[o->ndims++] = (struct own){a.index, n.index, n.kind == DVMRT_COORD_AFFINE ? n.coef : 0, n.add - a.add};
  }
  return true;
}

/* 0: none that is remembered. */
static uint64_t way_to(const struct dvmrt_offsets *o, const int64_t *ix) {
  uint64_t way = 1;
  for (int n = 0; n < o->ndims; n++) {
    const struct own *w = &o->own[n];
    const int64_t own = (w->coef ? w->coef * __dvmrt_now.iv[w->index] : 0) + w->add;
    const uint64_t from_nearest = (uint64_t)(ix[w->dim] - own) - (uint64_t)NEAREST;
    if (from_nearest >> BITS || (uint64_t)own >= (uint64_t)o->array->extent[w->dim])
      return 0;
    way = way << BITS | from_nearest;
  }
  return way;
}

static struct offset *find(struct dvmrt_offsets *o, uint64_t way) {
  for (unsigned i = 0; i < o->count; i++)
    if (o->offset[i].way == way)
      return &o->offset[i];
  return NULL;
}

/* ---- what is remembered ---------------------------------------------------------------------------------------------------------- */

static bool is_plain(const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  const struct dvmrt_frame *f = ev->nest;
  return f->mapped && f->on && f->layout.root && !f->beyond.any && !x->varies && !x->buffered && !x->range && !x->whole && !ev->copied &&
         !dvmrt_task_active();
}

static bool is_steady(struct dvmrt_array *a, const struct dvmrt_event *ev) {
  return !a->named_edges && !a->ordinary && (a->layout.root == ev->nest->layout.root) && !dvmrt_group_pending(a) &&
         !dvmrt_check_buffered(ev) && dvmrt_construct_array_class(ev->nest, a) == DVMRT_CLASS_SHARED &&
         ev->access->bytes == (uint64_t)1 << a->region.shift;
}

static void begin(struct dvmrt_offsets *o, const struct dvmrt_event *ev) {
  if (!o->array) {
    o->next = dvmrt_offsets_first;
    dvmrt_offsets_first = o;
  }
  o->array = ev->array;
  o->flags = ev->flags;
  o->subscripts = ev->access->ndims == ev->array->ndims;
}

void dvmrt_offsets_note(const struct dvmrt_event *ev, struct dvmrt_finding *found) {
  struct dvmrt_access *x = ev->access;
  if (!dvmrt_repeat_wanted || !ev->nest || !is_plain(ev) || !is_steady(ev->array, ev))
    return;
  struct dvmrt_offsets *o = x->offsets;
  if (!o)
    o = x->offsets = dvmrt_mem_alloc(sizeof(*o));
  if (o->array && (o->array != ev->array || o->flags != ev->flags || o->count == OFFSETS_MAX))
    return;
  struct dvmrt_offsets own = {.array = ev->array};
  if (!find_own(&own, &ev->array->layout, &ev->nest->layout))
    return;
  const uint64_t way = way_to(&own, ev->ix);
  if (!way || (o->array && find(o, way)))
    return;
  begin(o, ev);
  o->ndims = own.ndims;
  memcpy(o->own, own.own, sizeof(o->own));
  o->offset[o->count++] = (struct offset){way, found, 0};
}

/* ---- accesses that are not judged ------------------------------------------------------------------------------------------------ */

/* 32 bits are divided in half the time. */
static inline uint64_t quotient(uint64_t n, uint64_t d) { return (n | d) >> 32 ? n / d : (uint32_t)n / (uint32_t)d; }

static void indices_at(const struct dvmrt_array *a, uint64_t at, int64_t *ix) {
  uint64_t k = a->element_bytes == (uint64_t)1 << a->region.shift ? at >> a->region.shift : quotient(at, a->element_bytes);
  for (int d = 0; d < a->ndims - 1; d++) {
    const uint64_t q = a->stride[d] == 1 ? k : quotient(k, (uint64_t)a->stride[d]);
    ix[d] = (int64_t)q;
    k -= q * (uint64_t)a->stride[d];
  }
  ix[a->ndims - 1] = (int64_t)k;
}

static inline struct dvmrt_offsets *offsets_of(const struct dvmrt_site *site, uint32_t flags) {
  const struct dvmrt_access *x = __atomic_load_n(&site->cache, __ATOMIC_ACQUIRE);
  struct dvmrt_offsets *o = __dvmrt_now.mask && x && dvmrt_offsets_first ? x->offsets : NULL;
  const bool usual = !(flags & ~(uint32_t)(DVMRT_READ | DVMRT_WRITE | DVMRT_NAMED));
  return o && o->array && usual && o->flags == (flags & (DVMRT_READ | DVMRT_WRITE)) && !dvmrt_group_nvars && dvmrt_mem_alone() ? o : NULL;
}

static bool divides_rows(const struct dvmrt_offsets *o) {
  bool divides = o->array->stride[o->array->ndims - 1] != 1;
  for (int n = 0; n < o->ndims; n++)
    divides |= o->own[n].dim == o->array->ndims - 1;
  return divides;
}

/* By the address alone. */
static struct offset *offset_of(struct dvmrt_offsets *o, uintptr_t at) {
  const struct dvmrt_array *a = o->array;
  int64_t ix[DVMRT_NDIMS_MAX];
  if (o->iteration == __dvmrt_now.write && at - o->low < o->length)
    return o->last;
  indices_at(a, at - a->region.base, ix);
  const uint64_t way = way_to(o, ix);
  struct offset *found = way ? find(o, way) : NULL;
  if (!found || divides_rows(o))
    return found;
  const uint64_t row = (uint64_t)a->extent[a->ndims - 1] * a->element_bytes;
  o->low = at - (at - a->region.base) % row;
  o->length = row;
  o->iteration = __dvmrt_now.write;
  return o->last = found;
}

static struct offset *offset_at(struct dvmrt_offsets *o, uintptr_t at, const int64_t *ix) {
  const struct dvmrt_array *a = o->array;
  const uint64_t from = at - a->region.base;
  if (from >= a->region.end - a->region.base)
    return NULL;
  if (!ix || !o->subscripts)
    return offset_of(o, at);
  const bool led = dvmrt_array_holds(a, ix) && at - dvmrt_array_leads_to(a, ix) < a->element_bytes;
  const uint64_t way = led ? way_to(o, ix) : 0;
  return way ? find(o, way) : NULL;
}

bool dvmrt_offsets_place(struct dvmrt_site *site, uintptr_t a, const int64_t *ix, uint32_t flags) {
  struct dvmrt_offsets *o = offsets_of(site, flags);
  struct offset *way = o ? offset_at(o, a, ix) : NULL;
  if (!way)
    return false;
  way->hits++;
  if (flags & DVMRT_WRITE)
    o->array->writer = site;
  return true;
}

/* As inserted code does it for an array of the nest; false: the word is to be judged. */
static inline bool next_word(uint32_t *word, uint32_t flags) {
  const struct dvmrt_now *now = &__dvmrt_now;
  const uint32_t w = *word;
  if (flags & DVMRT_READ && (w < DVMRT_W_FIRST || (w >= now->base && w & 1 && w != now->write)))
    return false;
  if (flags & DVMRT_WRITE) {
    if (w >= now->base && (w | 1) != now->write)
      return false;
    *word = now->write;
  } else if (w < now->base) {
    *word = now->write & ~1u;
  }
  return true;
}

bool dvmrt_offsets_touch(struct dvmrt_site *site, uintptr_t a, uint64_t size, const int64_t *ix, uint32_t flags) {
  struct dvmrt_offsets *o = offsets_of(site, flags);
  struct offset *way = o ? offset_at(o, a, ix) : NULL;
  if (!way)
    return false;
  const struct dvmrt_region *r = &o->array->region;
  if (size != (uint64_t)1 << r->shift || ((a - r->base) & (size - 1)) || !next_word(&r->words[(a - r->base) >> r->shift], flags))
    return false;
  way->hits++;
  if (flags & DVMRT_WRITE)
    o->array->writer = site;
  return true;
}
