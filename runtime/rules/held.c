#include "runtime/rules/held.h"
#include "runtime/data/array.h"
#include "runtime/data/doubt.h"
#include "runtime/data/mem.h"
#include "runtime/data/shadow.h"
#include "runtime/rules/object.h"
#include <string.h>

enum {
  HN = DVMRT_HOST_NEWEST,
  DN = DVMRT_DEV_NEWEST,
  HT = DVMRT_HOST_TOLD,
  DT = DVMRT_DEV_TOLD,
  NONE = DVMRT_UNWRITTEN | DVMRT_WAS_LOCAL,
  MAY = DVMRT_MAY_READ | DVMRT_MAY_WRITE
};

uint32_t dvmrt_held_count, dvmrt_held_changes = 1;
bool dvmrt_held_emulates;
static struct dvmrt_held **list; /* by address */
static uint32_t list_cap;

struct dvmrt_held *dvmrt_held_number(uint32_t i) { return list[i]; }

struct dvmrt_held *dvmrt_held_in(uintptr_t a, uint64_t n) {
  uint32_t low = 0, high = dvmrt_held_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (list[middle]->end <= a)
      low = middle + 1;
    else
      high = middle;
  }
  return low < dvmrt_held_count && list[low]->base < a + n ? list[low] : NULL;
}

struct dvmrt_held *dvmrt_held_at(uintptr_t a) { return dvmrt_held_in(a, 1); }

/* ---- coming and going ----------------------------------------------------------------------------------------------------------- */

static uint64_t state_bytes(const struct dvmrt_held *h) { return h->count < 4096 ? h->count : (h->count + 4095) / 4096 * 4096; }

static unsigned char *bytes_get(uint64_t n) { return n < 4096 ? dvmrt_mem_alloc(n) : dvmrt_mem_map((n + 4095) / 4096 * 4096); }

static void bytes_put(void *p, uint64_t n) {
  if (p && n < 4096)
    dvmrt_mem_free(p, n);
  else if (p)
    dvmrt_mem_unmap(p, (n + 4095) / 4096 * 4096);
}

static void change(void) { dvmrt_held_changes += dvmrt_held_changes + 1 ? 1 : 2; }

static void drop(uint32_t i) {
  change();
  struct dvmrt_held *h = list[i];
  bytes_put(h->state, state_bytes(h));
  bytes_put(h->copy, h->end - h->base);
  dvmrt_mem_free(h, sizeof(*h));
  memmove(&list[i], &list[i + 1], (--dvmrt_held_count - i) * sizeof(*list));
}

void dvmrt_held_forget(uintptr_t a, uint64_t n) {
  for (struct dvmrt_held *h; dvmrt_held_count && (h = dvmrt_held_in(a, n));)
    for (uint32_t i = 0; i < dvmrt_held_count; i++)
      if (list[i] == h)
        drop(i);
}

/* What no value looks like: not a number, or one that stands out. */
static void poison(const struct dvmrt_held *h, unsigned char *at, uint64_t n) { memset(at, strchr("fc", h->type) ? 0xff : 0x5b, n); }

static struct dvmrt_held *hold(const struct dvmrt_held *shape) {
  dvmrt_held_forget(shape->base, shape->end - shape->base);
  struct dvmrt_held *h = dvmrt_mem_alloc(sizeof(*h));
  *h = *shape;
  h->all = h->any = HN | HT;
  h->state = bytes_get(state_bytes(h));
  if (h->state && dvmrt_held_emulates)
    h->copy = bytes_get(h->end - h->base);
  if (!h->state) {
    dvmrt_mem_free(h, sizeof(*h));
    return NULL;
  }
  memset(h->state, h->all, h->count);
  if (h->copy)
    poison(h, h->copy, h->end - h->base);
  list = dvmrt_mem_grow(list, &list_cap, dvmrt_held_count + 1, sizeof(struct dvmrt_held *));
  change();
  uint32_t i = dvmrt_held_count++;
  for (; i && list[i - 1]->base > h->base; i--)
    list[i] = list[i - 1];
  return list[i] = h;
}

static bool of_array(struct dvmrt_held *h, const struct dvmrt_array *a) {
  h->base = a->region.base;
  h->ndims = a->ndims;
  h->unit = a->element_bytes;
  h->type = a->type;
  h->count = a->ndims ? (uint64_t)(a->extent[0] * a->stride[0]) : 1;
  for (int d = 0; d < a->ndims; d++)
    h->extent[d] = a->extent[d], h->stride[d] = a->stride[d];
  h->end = h->base + h->count * h->unit;
  h->ordinary = a->ordinary;
  return h->count && h->end > h->base;
}

/* A variable that is no distributed array; of what a pointer leads to the allocation tells the length. */
static bool of_variable(struct dvmrt_held *h, const struct dvmrt_ref *ref, const int64_t *args) {
  struct dvmrt_extent x;
  h->unit = (uint64_t)dvmrt_num_value(ref->element_bytes, args);
  h->ndims = ref->ndims;
  h->type = ref->type;
  h->ordinary = true;
  int64_t n = 1;
  for (int d = ref->ndims - 1; d >= 0; d--) {
    h->stride[d] = n;
    h->extent[d] = dvmrt_num_value(ref->extent[d], args);
    if (h->extent[d] < 0 && d == 0 && h->unit && n > 0 && dvmrt_object_find(h->base, &x) && x.start == h->base)
      h->extent[d] = (int64_t)(x.size / h->unit) / n;
    if (h->extent[d] <= 0 || __builtin_mul_overflow(n, h->extent[d], &n))
      return false;
  }
  h->count = (uint64_t)n;
  h->end = h->base + h->count * h->unit;
  return h->unit && h->count < (uint64_t)1 << 40;
}

/* With words of their own the bits of doubt mean no more than that there is something to ask. */
static void need_words(const struct dvmrt_held *h) {
  struct dvmrt_span s;
  for (uintptr_t a = h->base; a < h->end; a = s.end)
    dvmrt_shadow_span(a, h->end - a, true, &s);
}

static struct dvmrt_held *make(struct dvmrt_held *shape) {
  struct dvmrt_held *h = hold(shape);
  if (h && h->ordinary) {
    need_words(h);
    dvmrt_doubt_set(h->base, h->end - h->base);
  }
  return h;
}

struct dvmrt_held *dvmrt_held_find(const struct dvmrt_ref *ref, const int64_t *args) {
  uintptr_t a = (uintptr_t)dvmrt_num_value(ref->address, args);
  return a && dvmrt_held_count ? dvmrt_held_at(a) : NULL;
}

struct dvmrt_held *dvmrt_held_of(const struct dvmrt_ref *ref, const int64_t *args) {
  struct dvmrt_held shape = {.base = (uintptr_t)dvmrt_num_value(ref->address, args), .name = ref->name};
  if (!shape.base || (ref->flags & DVMRT_REF_TEMPLATE))
    return NULL;
  shape.direct = !(ref->flags & DVMRT_REF_POINTER);
  const struct dvmrt_array *a = dvmrt_array_of((struct dvmrt_ref *)ref, args);
  if (!(a ? of_array(&shape, a) : of_variable(&shape, ref, args)))
    return NULL;
  struct dvmrt_held *h = dvmrt_held_at(shape.base);
  return h && h->base == shape.base && h->end == shape.end && h->unit == shape.unit ? h : h && !shape.direct ? h : make(&shape);
}

struct dvmrt_held *dvmrt_held_range(const char *name, uintptr_t a, uint64_t bytes, uint64_t unit) {
  if (!a || !bytes || !unit || bytes % unit)
    return NULL;
  struct dvmrt_held *h = dvmrt_held_at(a);
  struct dvmrt_held shape = {
      .base = a, .end = a + bytes, .unit = unit, .count = bytes / unit, .name = name, .direct = true, .ordinary = true};
  if (bytes > unit)
    shape.ndims = 1, shape.extent[0] = (int64_t)shape.count, shape.stride[0] = 1;
  return h ? h : make(&shape);
}

/* ---- sections ------------------------------------------------------------------------------------------------------------------- */

void dvmrt_held_section(const struct dvmrt_held *h, const struct dvmrt_item *item, const int64_t *args, struct dvmrt_section *s) {
  for (int d = 0; d < h->ndims; d++) {
    s->low[d] = 0;
    s->high[d] = h->extent[d] - 1;
    const struct dvmrt_axis *x = d < item->naxes && item->naxes == h->ndims ? &item->axis[d] : NULL;
    if (x && x->kind == 'c')
      s->low[d] = s->high[d] = dvmrt_num_value(x->add, args);
    if (x && x->kind == 'r') {
      s->low[d] = dvmrt_num_value(x->coef, args);
      s->high[d] = x->add.slot < 0 && x->add.v < 0 ? s->high[d] : dvmrt_num_value(x->add, args);
    }
    s->low[d] = s->low[d] < 0 ? 0 : s->low[d];
    s->high[d] = s->high[d] >= h->extent[d] ? h->extent[d] - 1 : s->high[d];
  }
}

bool dvmrt_held_is_whole(const struct dvmrt_held *h, const struct dvmrt_section *s) {
  for (int d = 0; d < h->ndims; d++)
    if (s->low[d] > 0 || s->high[d] < h->extent[d] - 1)
      return false;
  return true;
}

bool dvmrt_held_each(struct dvmrt_held *h, const struct dvmrt_section *s, dvmrt_held_f *f, void *arg) {
  int64_t ix[DVMRT_NDIMS_MAX];
  int last = h->ndims - 1;
  for (int d = 0; d <= last; d++) {
    ix[d] = s->low[d];
    if (s->low[d] > s->high[d])
      return true;
  }
  while (last > 0 && s->low[last] == 0 && s->high[last] == h->extent[last] - 1)
    last--; /* whole rows lie together */
  if (last < 0)
    return f(h, 0, h->count, arg);
  for (;;) {
    uint64_t first = 0;
    for (int d = 0; d <= last; d++)
      first += (uint64_t)(ix[d] * h->stride[d]);
    if (!f(h, first, (uint64_t)((s->high[last] - s->low[last] + 1) * h->stride[last]), arg))
      return false;
    int d = last - 1;
    while (d >= 0 && ix[d] == s->high[d]) {
      ix[d] = s->low[d];
      d--;
    }
    if (d < 0)
      return true;
    ix[d]++;
  }
}

struct bits {
  uint8_t must, mustnt;
};

bool dvmrt_held_run(const struct dvmrt_held *h, uint64_t first, uint64_t n, uint8_t must, uint8_t mustnt) {
  uint8_t all = 0xff, any = 0;
  for (uint64_t i = first; i < first + n; i++)
    all &= h->state[i], any |= h->state[i];
  return (all & must) == must && !(any & mustnt);
}

static bool row_has(struct dvmrt_held *h, uint64_t first, uint64_t n, void *arg) {
  const struct bits *b = arg;
  return dvmrt_held_run(h, first, n, b->must, b->mustnt);
}

static bool is_inside(const struct dvmrt_held *h, const struct dvmrt_section *s, const struct dvmrt_section *of) {
  for (int d = 0; d < h->ndims; d++)
    if (s->low[d] < of->low[d] || s->high[d] > of->high[d])
      return false;
  return true;
}

bool dvmrt_held_all(struct dvmrt_held *h, const struct dvmrt_section *s, uint8_t must, uint8_t mustnt) {
  if (!h->unsure && (h->all & must) == must && !(h->any & mustnt))
    return true;
  for (uint8_t i = 0; i < h->nseen; i++)
    if ((h->seen[i].must & must) == must && (h->seen[i].mustnt & mustnt) == mustnt && is_inside(h, s, &h->seen[i].of))
      return true;
  if (!dvmrt_held_each(h, s, row_has, &(struct bits){must, mustnt}))
    return false;
  uint8_t at = h->nseen < DVMRT_HELD_SEEN ? h->nseen++ : h->next_seen++ % DVMRT_HELD_SEEN;
  h->seen[at].must = must;
  h->seen[at].mustnt = mustnt;
  h->seen[at].of = *s;
  return true;
}

/* ---- states --------------------------------------------------------------------------------------------------------------------- */

void dvmrt_held_look(struct dvmrt_held *h) {
  uint8_t all = 0xff, any = 0;
  if (!h->unsure)
    return;
  for (uint64_t i = 0; i < h->count; i++)
    all &= h->state[i], any |= h->state[i];
  h->all = all;
  h->any = any;
  h->unsure = false;
}

static inline uint8_t moved(uint8_t s, uint8_t allowed, enum dvmrt_move m) {
  switch (m) {
  case DVMRT_MOVE_IN: return s & DT ? s : (uint8_t)((s & ~DN) | DT | (s & HN) << 1);
  case DVMRT_MOVE_OUT: return (s | allowed) & DVMRT_MAY_READ ? s : (uint8_t)((s & MAY) | DVMRT_UNWRITTEN | DT);
  case DVMRT_MOVE_LOCAL:
    return (s | allowed) & DVMRT_MAY_READ ? s : (uint8_t)((s & MAY) | DVMRT_WAS_LOCAL | DT); /* under 'in', too: its value is there */
  case DVMRT_MOVE_END: return (uint8_t)((s & ~HT) | DT);
  case DVMRT_MOVE_END_LOCAL: return (uint8_t)((s & MAY) | DVMRT_WAS_LOCAL | HT);
  case DVMRT_MOVE_DEV_WRITE: return (uint8_t)((s & MAY) | DN | DT);
  case DVMRT_MOVE_HOST_WRITE: return (uint8_t)((s & ~(DN | NONE)) | HN);
  case DVMRT_MOVE_ACTUAL: return (uint8_t)((s & ~DT) | HT);
  case DVMRT_MOVE_GET_ACTUAL: return s & HT ? s : (uint8_t)((s & ~HN) | HT | (s & DN) >> 1);
  case DVMRT_MOVE_BOTH: return (uint8_t)((s & ~NONE) | HN | DN);
  }
  return s;
}

/* Does it leave each state as it is that has the bits 'all', and others at most of 'any'? */
static bool is_still(const struct dvmrt_held *h, enum dvmrt_move m) {
  const uint8_t all = h->all, any = h->any;
  if (h->unsure)
    return false;
  switch (m) {
  case DVMRT_MOVE_IN: return all & DT;
  case DVMRT_MOVE_OUT: return h->allowed & DVMRT_MAY_READ;
  case DVMRT_MOVE_END: return (all & DT) && !(any & HT);
  case DVMRT_MOVE_DEV_WRITE: return (all & DN) && (all & DT) && !(any & (HN | HT | NONE));
  case DVMRT_MOVE_HOST_WRITE: return (all & HN) && !(any & (DN | NONE));
  case DVMRT_MOVE_ACTUAL: return (all & HT) && !(any & DT);
  case DVMRT_MOVE_GET_ACTUAL: return all & HT;
  default: return false;
  }
}

/* device=emulate: what goes from one copy to the other then. */
static void carry(struct dvmrt_held *h, uint64_t first, uint64_t n, enum dvmrt_move m) {
  unsigned char *memory = (unsigned char *)h->base, *dev = h->here ? memory : h->copy, *host = h->here ? h->copy : memory;
  for (uint64_t i = first; i < first + n; i++) {
    uint64_t at = i * h->unit;
    uint8_t s = h->state[i];
    if (m == DVMRT_MOVE_IN && !(s & DT))
      memcpy(dev + at, host + at, h->unit);
    else if (m == DVMRT_MOVE_GET_ACTUAL && !(s & HT))
      memcpy(host + at, dev + at, h->unit);
    else if ((m == DVMRT_MOVE_LOCAL || m == DVMRT_MOVE_OUT) && !((s | h->allowed) & DVMRT_MAY_READ))
      poison(h, dev + at, h->unit);
    else if (m == DVMRT_MOVE_END_LOCAL)
      poison(h, dev + at, h->unit), poison(h, host + at, h->unit);
  }
}

void dvmrt_held_move(struct dvmrt_held *h, uint64_t first, uint64_t n, enum dvmrt_move m) {
  if (is_still(h, m))
    return;
  if (h->copy)
    carry(h, first, n, m);
  uint8_t *s = h->state + first, allowed = h->allowed;
  h->nseen = 0;
  uint8_t all = 0xff, any = 0;
  for (uint64_t i = 0; i < n; i++) {
    s[i] = moved(s[i], allowed, m);
    all &= s[i], any |= s[i];
  }
  h->unsure = n < h->count;
  if (!h->unsure)
    h->all = all, h->any = any;
}

static bool move_row(struct dvmrt_held *h, uint64_t first, uint64_t n, void *arg) {
  dvmrt_held_move(h, first, n, *(const enum dvmrt_move *)arg);
  return true;
}

void dvmrt_held_move_section(struct dvmrt_held *h, const struct dvmrt_section *s, enum dvmrt_move m) {
  dvmrt_held_look(h);
  dvmrt_held_each(h, s, move_row, &m);
}

static bool allow_row(struct dvmrt_held *h, uint64_t first, uint64_t n, void *arg) {
  for (uint64_t i = first; i < first + n; i++)
    h->state[i] |= *(const uint8_t *)arg;
  h->unsure = true;
  h->nseen = 0;
  return true;
}

void dvmrt_held_allow(struct dvmrt_held *h, const struct dvmrt_section *s, uint8_t bits) {
  if (!s || dvmrt_held_is_whole(h, s))
    h->allowed |= bits;
  else
    dvmrt_held_each(h, s, allow_row, &bits);
}

void dvmrt_held_disallow(struct dvmrt_held *h) {
  h->allowed = 0;
  dvmrt_held_look(h);
  if (!(h->any & MAY))
    return;
  for (uint64_t i = 0; i < h->count; i++)
    h->state[i] &= (uint8_t)~MAY;
  h->unsure = true;
  h->nseen = 0;
}

/* ---- copies --------------------------------------------------------------------------------------------------------------------- */

void dvmrt_held_swap(struct dvmrt_held *h) {
  unsigned char *a = (unsigned char *)h->base, *b = h->copy, part[256];
  h->here = !h->here;
  for (uint64_t n = h->end - h->base, k; b && n; n -= k, a += k, b += k) {
    k = n < sizeof(part) ? n : sizeof(part);
    memcpy(part, a, k);
    memcpy(a, b, k);
    memcpy(b, part, k);
  }
}

void dvmrt_held_fetch(struct dvmrt_held *h) {
  unsigned char *host = (unsigned char *)h->base;
  for (uint64_t i = 0; h->copy && !h->here && i < h->count; i++)
    if ((h->state[i] & (HN | DN)) == DN)
      memcpy(host + i * h->unit, h->copy + i * h->unit, h->unit);
}
