#include "runtime/rules/offsets.h"
#include "runtime/data/mem.h"
#include "runtime/rules/group.h"
#include "runtime/rules/repeat.h"
#include "runtime/rules/task.h"
#include <string.h>

enum { OFFSETS_MAX = 8, NEAREST = -8, BITS = 4 }; /* an offset along one dimension is one of 16 */

struct dvmrt_offsets {
  struct dvmrt_offsets *next; /* of those that hold anything */
  struct dvmrt_near *near;    /* of the same access */
  struct dvmrt_array *array;  /* NULL: holds nothing */
  uint32_t flags;             /* DVMRT_READ | DVMRT_WRITE of the accesses */
  bool subscripts;            /* those of the text are the array's */
  int ndims;                  /* dimensions that are divided among the processors */
  struct own {
    int dim, index; /* the own element has the subscript coef * iv[index] + add there */
    int64_t coef, add;
    int64_t last;   /* .. and what lies as 'last' does this one more */
    uint64_t extent, bytes;
  } own[DVMRT_NDIMS_MAX];
  /* Where the dimensions that are divided are the outer ones, all elements that lie as 'last' does are a row: it is known without its subscripts. */
  struct offset *last;
  uint64_t row; /* bytes; 0: they are none */
  unsigned count;
  struct offset {
    uint64_t way; /* packed, 0: none */
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
    o->last = NULL;
    o->near->length = 0;
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
    o->own[o->ndims++] =
        (struct own){.dim = a.index, .index = n.index, .coef = n.kind == DVMRT_COORD_AFFINE ? n.coef : 0, .add = n.add - a.add};
  }
  return true;
}

/* Of the dimensions that are divided; they come in any order. */
static void find_row(struct dvmrt_offsets *o) {
  const struct dvmrt_array *a = o->array;
  uint32_t dims = 0;
  for (int n = 0; n < o->ndims; n++) {
    struct own *w = &o->own[n];
    w->extent = (uint64_t)a->extent[w->dim];
    w->bytes = (uint64_t)a->stride[w->dim] * a->element_bytes;
    dims |= 1u << w->dim;
  }
  const bool outer = !(dims & (dims + 1));
  o->row = !outer ? 0 : o->ndims ? (uint64_t)a->stride[o->ndims - 1] * a->element_bytes : a->region.end - a->region.base;
}

static inline int64_t own_subscript(const struct own *w) { return (w->coef ? w->coef * __dvmrt_now.iv[w->index] : 0) + w->add; }

/* 0: none that is remembered. */
static uint64_t way_to(const struct dvmrt_offsets *o, const int64_t *ix) {
  uint64_t way = 1;
  for (int n = 0; n < o->ndims; n++) {
    const struct own *w = &o->own[n];
    const int64_t own = own_subscript(w);
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
    *(o = x->offsets = dvmrt_mem_alloc(sizeof(*o))) = (struct dvmrt_offsets){.near = &x->near};
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
  find_row(o);
  o->last = NULL;
  o->near->length = 0;
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

/* Where what lies as 'last' does begins; 0: nowhere, for this iteration. */
static inline uintptr_t row_of_last(const struct dvmrt_offsets *o) {
  uintptr_t low = o->array->region.base;
  for (int n = 0; n < o->ndims; n++) {
    const struct own *w = &o->own[n];
    const uint64_t own = (uint64_t)own_subscript(w), subscript = own + (uint64_t)w->last;
    if (own >= w->extent || subscript >= w->extent)
      return 0;
    low += subscript * w->bytes;
  }
  return low;
}

/* The next access need not find out what this one did. */
static void set_near(const struct dvmrt_offsets *o, uintptr_t low, uint64_t size, uint32_t flags) {
  const struct dvmrt_region *r = &o->array->region;
  struct dvmrt_near *n = o->near;
  if (o->ndims > 2 || (low - r->base) & (size - 1))
    return;
  *n = (struct dvmrt_near){.low = low,
                           .length = o->row,
                           .base = __dvmrt_now.base,
                           .flags = flags,
                           .size = (uint32_t)size,
                           .shift = (uint8_t)r->shift,
                           .words = &r->words[(low - r->base) >> r->shift],
                           .array = o->subscripts ? o->array : NULL,
                           .hits = &o->last->hits,
                           .writer = &o->array->writer};
  for (int i = 0; i < 2; i++) {
    n->iv[i] = (uint8_t)(o->ndims ? o->own[i < o->ndims ? i : 0].index : 0);
    n->is[i] = __dvmrt_now.iv[n->iv[i]];
  }
}

static struct offset *remember(struct dvmrt_offsets *o, struct offset *found) {
  uint64_t way = found->way;
  for (int n = o->ndims; n-- > 0; way >>= BITS)
    o->own[n].last = (int64_t)(way & ((1u << BITS) - 1)) + NEAREST;
  return o->last = o->row ? found : NULL;
}

static __attribute__((noinline)) struct offset *offset_at(struct dvmrt_offsets *o, uintptr_t at, const int64_t *ix) {
  const struct dvmrt_array *a = o->array;
  int64_t by_address[DVMRT_NDIMS_MAX];
  if (at - a->region.base >= a->region.end - a->region.base)
    return NULL;
  if (!ix)
    indices_at(a, at - a->region.base, by_address);
  else if (!dvmrt_array_is_at(a, at, ix))
    return NULL;
  const uint64_t way = way_to(o, ix ? ix : by_address);
  struct offset *found = way ? find(o, way) : NULL;
  return found ? remember(o, found) : NULL;
}

static inline struct offset *offset_of(struct dvmrt_offsets *o, uintptr_t at, const int64_t *ix) {
  const int64_t *subscripts = o->subscripts ? ix : NULL;
  const uintptr_t low = o->last ? row_of_last(o) : 0;
  return low && !subscripts && at - low < o->row ? o->last : offset_at(o, at, subscripts);
}

bool dvmrt_offsets_place(struct dvmrt_site *site, uintptr_t a, const int64_t *ix, uint32_t flags) {
  struct dvmrt_offsets *o = offsets_of(site, flags);
  struct offset *way = o ? offset_of(o, a, ix) : NULL;
  if (!way)
    return false;
  way->hits++;
  if (flags & DVMRT_WRITE)
    o->array->writer = site;
  if (o->last)
    set_near(o, row_of_last(o), (uint64_t)1 << o->array->region.shift, flags);
  return true;
}

bool dvmrt_offsets_touch(struct dvmrt_site *site, uintptr_t a, uint64_t size, const int64_t *ix, uint32_t flags) {
  struct dvmrt_offsets *o = offsets_of(site, flags);
  struct offset *way = o ? offset_of(o, a, ix) : NULL;
  if (!way)
    return false;
  const struct dvmrt_region *r = &o->array->region;
  if (size != (uint64_t)1 << r->shift || ((a - r->base) & (size - 1)) || !dvmrt_offsets_word(&r->words[(a - r->base) >> r->shift], flags))
    return false;
  way->hits++;
  if (flags & DVMRT_WRITE)
    o->array->writer = site;
  if (o->last)
    set_near(o, row_of_last(o), size, flags);
  return true;
}
