#include "runtime/data/array.h"
#include "runtime/data/edges.h"
#include "runtime/data/facts.h"
#include "runtime/data/heap.h"
#include "runtime/data/mem.h"
#include "runtime/data/series.h"
#include "runtime/data/storage.h"
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* A pointer variable with an array directive whose value is not known yet. */
struct pointer {
  struct pointer *next;
  struct dvmrt_directive *d;
  uintptr_t variable;
  int64_t args[];
};

static struct dvmrt_array *arrays;
static struct pointer *pointers;
static uint32_t version = 1;      /* of all maps; a change of any makes the cached layouts old */
static unsigned declared_sites;

/* ---- shape ------------------------------------------------------------------------------------------------------------------ */

static unsigned granule_shift(uintptr_t base, uint64_t element_bytes) {
  unsigned shift = 0;
  uint64_t bits = base | element_bytes;
  while (shift < 4 && !(bits & ((uint64_t)1 << shift)))
    shift++;
  return shift;
}

static uint64_t elements_of(const struct dvmrt_array *a) {
  uint64_t n = 1;
  for (int d = 0; d < a->ndims; d++)
    n *= (uint64_t)a->extent[d];
  return n;
}

/* Fills in the extents; the first one may follow from the size of the allocation.  False: no usable shape. */
static bool shape_set(struct dvmrt_array *a, const struct dvmrt_ref *ref, const int64_t *args) {
  uint64_t inner = a->element_bytes;
  a->ndims = ref->ndims;
  a->granule = ref->granule;
  for (int d = ref->ndims - 1; d >= 0; d--) {
    int64_t n = dvmrt_num_value(ref->extent[d], args);
    struct dvmrt_extent x;
    if (n < 0 && d == 0 && inner && dvmrt_heap_find(a->address, &x))
      n = (int64_t)((x.start + x.size - a->address) / inner);
    if (n <= 0)
      return false;
    a->extent[d] = n;
    a->stride[d] = d == ref->ndims - 1 ? 1 : a->stride[d + 1] * a->extent[d + 1];
    if (__builtin_mul_overflow(inner, (uint64_t)n, &inner) || inner > (uint64_t)1 << 46)
      return false;
  }
  return ref->ndims > 0;
}

int64_t dvmrt_array_added(const struct dvmrt_array *a, const struct dvmrt_access *x, int d) {
  return x->axis[d].add + (x->lower_varies >> d & 1 ? x->lower[d] - a->lower[d] : 0);
}

void dvmrt_array_indices(const struct dvmrt_array *a, uintptr_t at, int64_t *ix) {
  int64_t k = (int64_t)((at - a->region.base) / a->element_bytes);
  for (int d = 0; d < a->ndims; d++) {
    ix[d] = k / a->stride[d];
    k %= a->stride[d];
  }
}

/* ---- registry ---------------------------------------------------------------------------------------------------------------- */

static size_t words_bytes(const struct dvmrt_region *r) { return ((r->end - r->base) >> r->shift) * sizeof(uint32_t); }

void (*dvmrt_array_gone)(struct dvmrt_array *a);
const struct dvmrt_onto *(*dvmrt_array_onto)(void);
void (*dvmrt_array_placed)(const struct dvmrt_directive *d, const struct dvmrt_item *own, const struct dvmrt_array *a, const int64_t *args);

static void destroy(struct dvmrt_array *a) {
  if (dvmrt_array_gone)
    dvmrt_array_gone(a);
  dvmrt_edges_moved(a);
  for (struct dvmrt_array **l = &arrays; *l; l = &(*l)->next) {
    if (*l == a) {
      *l = a->next;
      break;
    }
  }
  if (!a->is_template) {
    dvmrt_shadow_region_remove(&a->region);
    if (a->region.words)
      dvmrt_mem_unmap(a->region.words, words_bytes(&a->region));
  }
  version++;
  dvmrt_mem_free(a, sizeof(*a));
}

void dvmrt_array_forget(uintptr_t a, uint64_t n) {
  struct dvmrt_region *r;
  while ((r = dvmrt_shadow_region_in(a, n ? n : 1)))
    destroy((struct dvmrt_array *)r);
}

void dvmrt_array_sites_gone(const struct dvmrt_site *first, const struct dvmrt_site *last) {
  for (struct dvmrt_array *a = arrays; a; a = a->next) {
    if (a->moved && a->moved->site >= first && a->moved->site < last)
      a->moved = NULL;
    if (a->writer >= first && a->writer < last)
      a->writer = NULL;
    if (a->site >= first && a->site < last)
      a->site = NULL;
  }
}

/* What was known of the memory before it became an array; zero by calloc is no value of a distributed one. */
static void take_words(struct dvmrt_array *a, bool fresh) {
  struct dvmrt_region *r = &a->region;
  size_t n = (r->end - r->base) >> r->shift;
  for (size_t i = 0; !fresh && i < n; i++) {
    uint32_t w = dvmrt_shadow_word(r->base + (i << r->shift));
    r->words[i] = !a->ordinary && (w < DVMRT_W_FIRST || w == DVMRT_W_ZERO) ? DVMRT_W_NEVER : w;
  }
}

static struct dvmrt_array *same_shape(const struct dvmrt_array *a) {
  struct dvmrt_region *r = dvmrt_shadow_region_in(a->address, 1);
  struct dvmrt_array *b = (struct dvmrt_array *)r;
  if (!b || b->ordinary || b->address != a->address || b->element_bytes != a->element_bytes || b->ndims != a->ndims ||
      memcmp(a->extent, b->extent, sizeof(a->extent)))
    return NULL;
  return b;
}

/* 'fresh': the memory has no value yet, whatever its words say (static data are zero as C says, distributed ones are not). */
static bool region_make(struct dvmrt_array *a, bool fresh) {
  uint64_t bytes = elements_of(a) * a->element_bytes;
  a->region = (struct dvmrt_region){
      .base = a->address, .end = a->address + bytes, .shift = granule_shift(a->address, a->element_bytes | a->granule)};
  size_t size = words_bytes(&a->region);
  a->region.words = dvmrt_mem_map(size);
  if (!a->region.words)
    return false;
  take_words(a, fresh);
  dvmrt_array_forget(a->address, bytes);
  dvmrt_shadow_region_add(&a->region);
  return true;
}

unsigned dvmrt_array_count(void) { return declared_sites; }

struct dvmrt_array *dvmrt_array_first(void) { return arrays; }

/* ---- directives ---------------------------------------------------------------------------------------------------------------- */

/* What the directive says, and no more. */
static void placing_set(struct dvmrt_array *a, const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *own = d->items, *target = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ALIGN);
  a->distributed = own->ndist > 0;
  for (int i = 0; i < a->ndims; i++) {
    const struct dvmrt_rule *r = i < own->ndist ? &own->rule[i] : NULL;
    a->dist[i] = r ? own->dist[i] : DVMRT_DIST_WHOLE;
    a->unit[i] = r && r->kind == 'm' ? dvmrt_num_value(r->number, args) : 0;
  }
  a->aligned = target != NULL;
  if (target) {
    a->target_address = (uintptr_t)dvmrt_num_value(target->ref.address, args);
    a->target_name = target->ref.name;
    a->ntarget = target->naxes;
    for (int i = 0; i < target->naxes; i++)
      a->map[i] = dvmrt_placing_coord(&target->axis[i], args);
  }
}

void dvmrt_array_form(struct dvmrt_array *form, const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *own = d->items;
  form->is_template = own->key == DVMRT_DIRECTIVE_TEMPLATE;
  form->ndims = own->ref.ndims;
  form->dynamic = d->dynamic;
  for (int i = 0; i < form->ndims; i++)
    form->extent[i] = dvmrt_num_value(own->ref.extent[i], args);
  placing_set(form, d, args);
  dvmrt_placing_shadow(own, args, form->ndims, form->low, form->high);
}

static void distribution_set(struct dvmrt_array *a, const struct dvmrt_directive *d, const int64_t *args) {
  if (dvmrt_array_placed)
    dvmrt_array_placed(d, d->items, a, args);
  a->placed = d;
  a->judged = false;
  placing_set(a, d, args);
  a->onto = dvmrt_array_onto ? dvmrt_array_onto() : NULL;
  version++;
}

static void lower_set(struct dvmrt_array *a, const struct dvmrt_item *own, const int64_t *args) {
  for (int i = 0; i < own->nlower && i < a->ndims; i++)
    a->lower[i] = dvmrt_num_value(own->lower[i], args);
}

static void describe(struct dvmrt_array *a, struct dvmrt_directive *d, struct dvmrt_item *own, const int64_t *args) {
  a->site = d->site;
  a->declared = d->pos;
  a->name = own->ref.name;
  a->dynamic = d->dynamic;
  a->type = own->ref.type;
  lower_set(a, own, args);
  distribution_set(a, d, args);
  a->shadow_given = own->nwidths > 0;
  dvmrt_placing_shadow(own, args, a->ndims, a->low, a->high);
}

/* A pointer's declaration and what it is bound to later are one. */
static void count_site(const struct dvmrt_directive *d, const char *name) {
  static struct {
    struct dvmrt_pos pos;
    const char *name;
  } seen[256];
  unsigned n = declared_sites < 256 ? declared_sites : 256;
  for (unsigned i = 0; i < n; i++)
    if (seen[i].pos.line == d->pos.line && seen[i].pos.column == d->pos.column && seen[i].pos.file == d->pos.file &&
        !strcmp(seen[i].name, name))
      return;
  if (n < 256) {
    seen[n].pos = d->pos;
    seen[n].name = name;
  }
  declared_sites++;
}

static void declare_template(struct dvmrt_directive *d, struct dvmrt_item *own, const int64_t *args) {
  uintptr_t address = (uintptr_t)dvmrt_num_value(own->ref.address, args);
  struct dvmrt_array *a = dvmrt_array_target(address);
  if (a && a->is_template && d->visible)
    return; /* of several program units: it stays where it has been moved */
  if (!a || !a->is_template) {
    a = dvmrt_mem_alloc(sizeof(*a));
    a->is_template = true;
    a->address = address;
    a->next = arrays;
    arrays = a;
  }
  a->ndims = own->ref.ndims;
  for (int i = 0; i < a->ndims; i++)
    a->extent[i] = dvmrt_num_value(own->ref.extent[i], args);
  describe(a, d, own, args);
}

static void declare_pointer(struct dvmrt_directive *d, uintptr_t variable, const int64_t *args) {
  struct pointer *p = pointers;
  while (p && p->variable != variable)
    p = p->next;
  if (!p || p->d->nslots < d->nslots) {
    p = dvmrt_mem_alloc(sizeof(*p) + (size_t)d->nslots * sizeof(*args));
    p->next = pointers;
    pointers = p;
  }
  p->d = d;
  p->variable = variable;
  for (int i = 0; i < d->nslots; i++)
    p->args[i] = args[i];
}

/* Has what a static array is aligned with been allocated only now, or again? */
static bool lost_target(const struct dvmrt_array *a, const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *target = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ALIGN);
  return a->aligned && target && a->target_address != (uintptr_t)dvmrt_num_value(target->ref.address, args) &&
         !dvmrt_array_target(a->target_address);
}

/* Static data that become a distributed array have no value; what a pointer comes to may have some. */
/* ALLOCATE with SOURCE= of Fortran. */
static void give_values(struct dvmrt_array *a) {
  const size_t n = (a->region.end - a->region.base) >> a->region.shift;
  for (size_t i = 0; i < n; i++)
    a->region.words[i] = DVMRT_W_ASSIGNED;
}

static struct dvmrt_array *declare_at(struct dvmrt_directive *d, struct dvmrt_item *own, uintptr_t address, const int64_t *args) {
  struct dvmrt_array shape = {.address = address, .element_bytes = (uint64_t)dvmrt_num_value(own->ref.element_bytes, args)};
  if (!address || !shape.element_bytes || !shape_set(&shape, &own->ref, args))
    return NULL;
  bool pointer = own->ref.flags & DVMRT_REF_POINTER;
  bool keeps = !pointer && d->fortran && dvmrt_storage_static(address);
  struct dvmrt_array *a = same_shape(&shape);
  if (a && a->site && keeps) {
    if (lost_target(a, d, args))
      distribution_set(a, d, args);
    return a;
  }
  if (!a || (!pointer && a->site != d->site)) {
    a = dvmrt_mem_alloc(sizeof(*a));
    *a = shape;
    if (!region_make(a, !pointer && !(keeps && dvmrt_shadow_region_in(address, 1)))) {
      dvmrt_mem_free(a, sizeof(*a));
      return NULL;
    }
    a->next = arrays;
    arrays = a;
  } else if (!pointer) {
    memset(a->region.words, 0, words_bytes(&a->region));
    dvmrt_shadow_lost(&a->region);
    dvmrt_array_stale(a);
    a->ever_renewed = a->ever_written = false;
  } else {
    return a; /* another variable's: its directive stays */
  }
  if (d->init)
    give_values(a);
  describe(a, d, own, args);
  return a;
}

struct dvmrt_array *dvmrt_array_watch(const struct dvmrt_item *own, const int64_t *args) {
  const struct dvmrt_ref *ref = &own->ref;
  struct dvmrt_array shape = {.address = (uintptr_t)dvmrt_num_value(ref->address, args),
                              .element_bytes = (uint64_t)dvmrt_num_value(ref->element_bytes, args),
                              .ordinary = true};
  if (!shape.address || !shape.element_bytes || !shape_set(&shape, ref, args))
    return NULL;
  struct dvmrt_array *a = dvmrt_mem_alloc(sizeof(*a));
  *a = shape;
  a->name = ref->name;
  a->type = ref->type;
  for (int i = 0; i < a->ndims; i++)
    a->low[i] = a->high[i] = 1;
  lower_set(a, own, args);
  if (!region_make(a, false)) {
    dvmrt_mem_free(a, sizeof(*a));
    return NULL;
  }
  a->next = arrays;
  arrays = a;
  return a;
}

/* Iterations that are over do not matter any more: elements with a value are all alike. */
static uint32_t settled_word(uint32_t w) { return w < DVMRT_W_FIRST || w == DVMRT_W_ZERO ? w : DVMRT_W_ASSIGNED; }

void dvmrt_array_unwatch(struct dvmrt_array *a) {
  struct dvmrt_region r = a->region;
  size_t n = (r.end - r.base) >> r.shift, bytes = words_bytes(&r);
  a->region.words = NULL; /* ours now */
  destroy(a);
  for (size_t i = 0, from = 0; i < n; i++) {
    uint32_t w = settled_word(r.words[i]);
    if (i + 1 < n && settled_word(r.words[i + 1]) == w)
      continue;
    dvmrt_shadow_fill(r.base + (from << r.shift), (i + 1 - from) << r.shift, w);
    from = i + 1;
  }
  dvmrt_mem_unmap(r.words, bytes);
}

void dvmrt_array_declare(struct dvmrt_directive *d, const int64_t *args) {
  struct dvmrt_item *own = d->items;
  if (!own)
    return;
  count_site(d, own->ref.name);
  if (own->key == DVMRT_DIRECTIVE_TEMPLATE) {
    declare_template(d, own, args);
    return;
  }
  struct dvmrt_item *variable = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_POINTER);
  if (variable)
    declare_pointer(d, (uintptr_t)dvmrt_num_value(variable->ref.address, args), args);
  declare_at(d, own, (uintptr_t)dvmrt_num_value(own->ref.address, args), args);
}

static void undefine(struct dvmrt_array *a) {
  size_t n = (a->region.end - a->region.base) >> a->region.shift;
  for (size_t i = 0; i < n; i++)
    a->region.words[i] = DVMRT_W_NEWVALUE;
  dvmrt_shadow_lost(&a->region);
}

/* Is 'a' itself, or aligned with it, perhaps through others? */
static bool goes_with(const struct dvmrt_array *x, const struct dvmrt_array *a) {
  for (int links = 0; x && links < 64; links++) { /* alignments may form a ring */
    if (x == a)
      return true;
    x = x->aligned ? dvmrt_array_target(x->target_address) : NULL;
  }
  return false;
}

void dvmrt_array_redistribute(struct dvmrt_directive *d, const int64_t *args) {
  struct dvmrt_item *own = d->items;
  if (!own)
    return;
  struct dvmrt_array *a = own->ref.flags & DVMRT_REF_TEMPLATE ? dvmrt_array_target((uintptr_t)dvmrt_num_value(own->ref.address, args))
                                                              : dvmrt_array_of(&own->ref, args);
  if (!a)
    return;
  distribution_set(a, d, args);
  for (struct dvmrt_array *x = arrays; x; x = x->next)
    if (goes_with(x, a)) {
      dvmrt_array_stale(x);
      dvmrt_edges_moved(x);
      x->moved = d;
    }
  if (d->new_value && !a->is_template)
    undefine(a);
}

/* ---- finding ------------------------------------------------------------------------------------------------------------------- */

/* The variable may be gone (a local one): its memory is asked for, not read. */
static bool peek(uintptr_t at, uintptr_t *value) {
  struct iovec to = {value, sizeof(*value)}, from = {(void *)at, sizeof(*value)};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof(*value);
}

static struct dvmrt_array *bind_late(uintptr_t address) {
  for (struct pointer *p = pointers; p; p = p->next) {
    uintptr_t v;
    if (peek(p->variable, &v) && v == address)
      return declare_at(p->d, p->d->items, address, p->args);
  }
  return NULL;
}

struct dvmrt_array *dvmrt_array_at(uintptr_t address) {
  if (!address)
    return NULL;
  struct dvmrt_region *r = dvmrt_shadow_region_in(address, 1);
  return r ? (struct dvmrt_array *)r : bind_late(address);
}

struct dvmrt_array *dvmrt_array_of(struct dvmrt_ref *ref, const int64_t *args) {
  return dvmrt_array_at((uintptr_t)dvmrt_num_value(ref->address, args));
}

struct dvmrt_array *dvmrt_array_target(uintptr_t address) {
  for (struct dvmrt_array *a = arrays; a; a = a->next)
    if (a->is_template && a->address == address)
      return a;
  return dvmrt_array_at(address);
}

/* ---- layout ------------------------------------------------------------------------------------------------------------------- */

const struct dvmrt_layout *dvmrt_array_layout(struct dvmrt_array *a) {
  if (a->layout_version == version)
    return &a->layout;
  struct dvmrt_layout *l = &a->layout;
  a->layout_version = version; /* before the chain is followed: a ring of alignments ends here */
  *l = (struct dvmrt_layout){.root = NULL};
  struct dvmrt_array *target = a->aligned ? dvmrt_array_target(a->target_address) : NULL;
  if (target && target != a) {
    struct dvmrt_layout of_target = *dvmrt_array_layout(target);
    dvmrt_layout_of_aligned(l, &of_target, a->map, a->ntarget);
  } else if (a->distributed) {
    dvmrt_layout_of_root(l, a, a->ndims, a->extent, a->dist);
    memcpy(l->unit, a->unit, sizeof(l->unit));
  }
  a->layout_version = version; /* binding a late pointer may have counted it up */
  return l;
}

/* ---- shadow edges --------------------------------------------------------------------------------------------------------------- */

void dvmrt_array_widths(struct dvmrt_array *a, const struct dvmrt_item *item, const int64_t *args, struct dvmrt_box *box) {
  dvmrt_placing_widths(item, args, a->ndims, a->low, a->high, box);
}

void dvmrt_array_renew(struct dvmrt_array *a, const struct dvmrt_box *box) {
  a->ever_renewed = true;
  a->moved = NULL;
  for (int i = 0; i < a->nboxes; i++)
    if (!memcmp(&a->boxes[i], box, sizeof(*box)))
      return;
  if (a->nboxes == DVMRT_RENEWALS_MAX) {
    memmove(a->boxes, a->boxes + 1, sizeof(a->boxes) - sizeof(a->boxes[0]));
    a->nboxes--;
  }
  a->boxes[a->nboxes++] = *box;
}

uint64_t dvmrt_array_key(struct dvmrt_array *a, uint64_t h) {
  dvmrt_array_layout(a);
  h = dvmrt_key_mix(h, (uintptr_t)a);
  h = dvmrt_key_mix(h, a->layout_version);
  h = dvmrt_key_mix(h, (uintptr_t)a->moved);
  h = dvmrt_edges_key(a, h);
  h = dvmrt_key_mix(h, (uint64_t)a->named_renewed << 2 | (uint64_t)a->ever_renewed << 1 | (uint64_t)a->named_edges);
  for (int d = 0; d < a->ndims; d++)
    h = dvmrt_key_mix(dvmrt_key_mix(h, (uint64_t)a->low[d]), (uint64_t)a->high[d]);
  for (int i = 0; i < a->nboxes; i++) {
    h = dvmrt_key_mix(h, a->boxes[i].corner);
    for (int d = 0; d < a->ndims; d++)
      h = dvmrt_key_mix(dvmrt_key_mix(h, (uint64_t)a->boxes[i].low[d]), (uint64_t)a->boxes[i].high[d]);
  }
  return dvmrt_key_mix(h, (uint64_t)a->nboxes);
}

void dvmrt_array_stale(struct dvmrt_array *a) {
  dvmrt_edges_stale(a);
  a->nboxes = 0;
  a->dirty = false;
}

bool dvmrt_array_has_values(struct dvmrt_array *a) {
  enum { WAIT = 16, WAIT_MAX = 1 << 20 };
  const struct dvmrt_region *r = &a->region;
  if (a->full && a->full_losses == r->losses)
    return true;
  a->full = false;
  if (a->full_asked++ < a->full_wait)
    return false;
  struct dvmrt_series words = {r->words, (r->end - r->base) >> r->shift, 1};
  a->full = words.count && dvmrt_series_assigned(&words);
  a->full_losses = r->losses;
  a->full_asked = 0;
  a->full_wait = a->full ? 0 : !a->full_wait ? WAIT : a->full_wait < WAIT_MAX ? 2 * a->full_wait : WAIT_MAX;
  return a->full;
}

bool dvmrt_box_covers(const struct dvmrt_box *b, const struct dvmrt_place *p, int ndims) {
  if (p->naway > 1 && !b->corner)
    return false;
  for (int d = 0; d < ndims; d++)
    if (p->away[d] < -b->low[d] || p->away[d] > b->high[d])
      return false;
  return true;
}

void dvmrt_array_facts(struct dvm_facts *f) {
  f->arrays = (uintptr_t)&arrays;
  DVMRT_FACT(f, ARRAY_NEXT, struct dvmrt_array, next);
  DVMRT_FACT(f, ARRAY_NAME, struct dvmrt_array, name);
  DVMRT_FACT(f, ARRAY_FILE, struct dvmrt_array, declared.file);
  DVMRT_FACT(f, ARRAY_LINE, struct dvmrt_array, declared.line);
  DVMRT_FACT(f, ARRAY_ADDRESS, struct dvmrt_array, address);
  DVMRT_FACT(f, ARRAY_TEMPLATE, struct dvmrt_array, is_template);
  DVMRT_FACT(f, ARRAY_DISTRIBUTED, struct dvmrt_array, distributed);
  DVMRT_FACT(f, ARRAY_ALIGNED, struct dvmrt_array, aligned);
  DVMRT_FACT(f, ARRAY_DYNAMIC, struct dvmrt_array, dynamic);
  DVMRT_FACT(f, ARRAY_ORDINARY, struct dvmrt_array, ordinary);
  DVMRT_FACT(f, ARRAY_TYPE, struct dvmrt_array, type);
  DVMRT_FACT(f, ARRAY_ELEMENT, struct dvmrt_array, element_bytes);
  DVMRT_FACT(f, ARRAY_NDIMS, struct dvmrt_array, ndims);
  DVMRT_FACT(f, ARRAY_EXTENT, struct dvmrt_array, extent);
  DVMRT_FACT(f, ARRAY_DIST, struct dvmrt_array, dist);
  DVMRT_FACT(f, ARRAY_TARGET, struct dvmrt_array, target_name);
  DVMRT_FACT(f, ARRAY_NTARGET, struct dvmrt_array, ntarget);
  DVMRT_FACT(f, ARRAY_MAP, struct dvmrt_array, map);
  DVMRT_FACT(f, ARRAY_LOW, struct dvmrt_array, low);
  DVMRT_FACT(f, ARRAY_HIGH, struct dvmrt_array, high);
  DVMRT_FACT(f, ARRAY_NBOXES, struct dvmrt_array, nboxes);
  DVMRT_FACT(f, ARRAY_BOXES, struct dvmrt_array, boxes);
  DVMRT_FACT(f, ARRAY_EDGE_RENEWED, struct dvmrt_array, named_renewed);
  DVMRT_FACT(f, ARRAY_EVER_RENEWED, struct dvmrt_array, ever_renewed);
  DVMRT_FACT(f, ARRAY_EVER_WRITTEN, struct dvmrt_array, ever_written);
  DVMRT_FACT(f, ARRAY_DIRTY, struct dvmrt_array, dirty);
  DVMRT_FACT(f, ARRAY_WRITER, struct dvmrt_array, writer);
  DVMRT_FACT(f, ARRAY_WRITER_IN, struct dvmrt_array, writer_in);
  f->fields[DVM_FACTS_BOX_BYTES].bytes = sizeof(struct dvmrt_box);
  DVMRT_FACT(f, BOX_LOW, struct dvmrt_box, low);
  DVMRT_FACT(f, BOX_HIGH, struct dvmrt_box, high);
  DVMRT_FACT(f, BOX_CORNER, struct dvmrt_box, corner);
}
