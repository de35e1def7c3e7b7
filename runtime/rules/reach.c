#include "runtime/rules/reach.h"
#include "runtime/data/doubt.h"
#include "runtime/data/mem.h"
#include "runtime/data/shadow.h"
#include "runtime/rules/construct.h"
#include "runtime/rules/object.h"
#include <string.h>

enum { STATIC_BYTES = 1024, LEAST_ADDRESS = 4096, CHUNK_WORDS = 4096 };

/* ---- data that count as assigned -------------------------------------------------------------------------------------------------- */

static uintptr_t watched;
static bool met;

void dvmrt_reach_watch(uintptr_t a) {
  watched = a;
  met = false;
}

bool dvmrt_reach_watched(void) {
  watched = 0;
  return met;
}

static void meet(uintptr_t start, uint64_t size) { met |= watched - start < size; }

uintptr_t dvmrt_reach_address(uint64_t word) { return word & (((uintptr_t)1 << DVMRT_ADDRESS_BITS) - 1); }
/* The same without marks in its lowest bits. */
static uintptr_t aligned(uintptr_t a) { return a & ~(uintptr_t)7; }

bool dvmrt_reach_find(uintptr_t a, struct dvmrt_extent *x) { return dvmrt_object_find(a, x) || dvmrt_object_find(aligned(a), x); }

bool dvmrt_reach_array(uintptr_t a) {
  struct dvmrt_region *region = dvmrt_shadow_region_in(a, 1);
  if (!region)
    return false;
  meet(region->base, region->end - region->base);
  dvmrt_shadow_settle(region->base, region->end - region->base, DVMRT_W_ASSIGNED);
  return true;
}

/* Privates of a construct that is over: as far as valueless words reach, since nobody knows where static data end. */
void dvmrt_reach_around(uintptr_t a) {
  enum { REACH = 1 << 16 };
  uintptr_t low = aligned(a), high = a;
  if (!dvmrt_shadow_entry(a))
    return;
  while (low && a - low < REACH && dvmrt_shadow_word(low - 1) < DVMRT_W_FIRST)
    low--;
  while (high - a < REACH && dvmrt_shadow_word(high) < DVMRT_W_FIRST)
    high++;
  meet(low, high - low);
  dvmrt_shadow_settle(low, high - low, DVMRT_W_ASSIGNED);
}

/* What began to live in this iteration is written in it: as assigned before the nest it would look shared. */
void dvmrt_reach_settle(struct dvmrt_extent x) {
  const struct dvmrt_frame *nest = dvmrt_construct_nest();
  struct dvmrt_span s;
  meet(x.start, x.size);
  if (dvmrt_shadow_settled(x.start, x.size))
    return;
  for (uintptr_t a = x.start; nest && a < x.start + x.size; a = s.end) {
    dvmrt_shadow_span(a, x.start + x.size - a, false, &s);
    for (uint32_t i = 0; i < s.count; i++)
      if (dvmrt_construct_born_here(nest, s.words[i]))
        s.words[i] = __dvmrt_now.write;
  }
  dvmrt_shadow_settle(x.start, x.size, DVMRT_W_ASSIGNED);
}

/* ---- objects that are reached ------------------------------------------------------------------------------------------------------- */

struct search {
  struct dvmrt_reach_limits limits;
  struct dvmrt_reached *found;
  struct dvmrt_extent *x;
  uint32_t n, cap;
  uint32_t *slots, nslots; /* where each lies in 'x', plus 1, by a hash of its start; NULL: few, looked through */
  bool full;               /* one more could not be taken */
};

static uint32_t *slot_of(const struct search *s, uintptr_t start) {
  uint32_t at = (uint32_t)((uint64_t)start * 0x9e3779b97f4a7c15u >> 32) & (s->nslots - 1);
  while (s->slots[at] && s->x[s->slots[at] - 1].start != start)
    at = (at + 1) & (s->nslots - 1);
  return &s->slots[at];
}

static bool is_known(const struct search *s, uintptr_t start) {
  if (s->slots)
    return *slot_of(s, start);
  for (uint32_t i = 0; i < s->n; i++)
    if (s->x[i].start == start)
      return true;
  return false;
}

static void more_slots(struct search *s) {
  dvmrt_mem_free(s->slots, s->nslots * sizeof(*s->slots));
  s->nslots *= 2;
  s->slots = dvmrt_mem_alloc(s->nslots * sizeof(*s->slots));
  for (uint32_t i = 0; i < s->n; i++)
    *slot_of(s, s->x[i].start) = i + 1;
}

static void take(struct search *s, struct dvmrt_extent x) {
  if (is_known(s, x.start))
    return;
  if (s->n == s->limits.objects) {
    s->full = true;
    return;
  }
  if (s->n >= DVMRT_REACH_SHORT_OBJECTS)
    s->found->far = true;
  if (s->slots) {
    s->x = dvmrt_mem_grow(s->x, &s->cap, s->n + 1, sizeof(*s->x));
    *slot_of(s, x.start) = s->n + 1;
  }
  s->x[s->n++] = x;
  if (s->slots && s->n > s->nslots / 2)
    more_slots(s);
}

/* 'offset': how far behind the beginning of what is looked at it was found. */
static void take_pointer(struct search *s, uint64_t word, uint64_t offset) {
  struct dvmrt_extent x;
  uintptr_t a = dvmrt_reach_address(word);
  if (a < LEAST_ADDRESS || !dvmrt_shadow_is_known(a)) /* most words are small numbers, or of something else */
    return;
  if (dvmrt_reach_array(a)) {
    s->found->far |= offset >= DVMRT_REACH_SHORT_BYTES;
  } else if (dvmrt_reach_find(a, &x)) {
    s->found->far |= offset >= DVMRT_REACH_SHORT_BYTES && word == a;
    take(s, x);
  } else {
    dvmrt_reach_around(a);
  }
}

/* Pointers in the object, as a garbage collector would look for them.  What is known of an object may be old: unseen code may
 * have freed the memory, and its pages may be gone. */
static void scan(struct search *s, struct dvmrt_extent x) {
  static uint64_t words[CHUNK_WORDS]; /* not on the stack: a handler's may be small */
  uint64_t size = x.size < s->limits.each ? x.size : s->limits.each, skip = -x.start & 7;
  if (size > s->limits.bytes - s->found->bytes)
    size = s->limits.bytes - s->found->bytes;
  s->full |= size < x.size;
  s->found->bytes += size;
  for (uint64_t at = skip, want, got; at + 8 <= size; at += got * 8) {
    want = (size - at) / 8 < CHUNK_WORDS ? (size - at) / 8 : CHUNK_WORDS;
    got = dvmrt_mem_read(words, x.start + at, want);
    for (uint64_t i = 0; i < got; i++)
      take_pointer(s, words[i], at + i * 8);
    if (got < want)
      break;
  }
}

/* A va_list of x86-64 (psABI 3.5.7), as callers pass one on to vsscanf and its kin. */
struct arguments {
  uint32_t gp_offset, fp_offset;
  uintptr_t overflow, saved;
};
enum { SAVED_BYTES = 48, SAVED_ALL = 176, OVERFLOW_BYTES = 128, STACK_BYTES = 8 << 20 };

static bool on_this_stack(uintptr_t a) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  return a > here && a - here < STACK_BYTES;
}

static void scan_arguments(struct search *s, struct dvmrt_extent x) {
  uint64_t words[sizeof(struct arguments) / 8];
  struct arguments v;
  if (x.size != sizeof(v) || (x.start & 7) || dvmrt_mem_read(words, x.start, sizeof(v) / 8) != sizeof(v) / 8)
    return;
  memcpy(&v, words, sizeof(v));
  if (v.gp_offset > SAVED_BYTES || v.gp_offset % 8 || v.fp_offset < SAVED_BYTES || v.fp_offset > SAVED_ALL || v.fp_offset % 16 ||
      !on_this_stack(v.overflow) || !on_this_stack(v.saved))
    return;
  /* All of them: the callee may have taken those that it wrote through. */
  scan(s, (struct dvmrt_extent){.start = v.saved, .size = SAVED_BYTES});
  scan(s, (struct dvmrt_extent){.start = v.overflow - OVERFLOW_BYTES, .size = OVERFLOW_BYTES});
  scan(s, (struct dvmrt_extent){.start = v.overflow, .size = OVERFLOW_BYTES});
}

static void note_cut(struct search *s, struct dvmrt_extent x) {
  if (s->full && s->found->ncut < DVMRT_REACH_SHORT_OBJECTS)
    s->found->cut[s->found->ncut++] = x;
  s->full = false;
}

static void follow(struct search *s) {
  for (uint32_t i = 0; i < s->n; i++) {
    struct dvmrt_extent x = s->x[i];
    dvmrt_reach_settle(x);
    scan(s, x);
    scan_arguments(s, x);
    note_cut(s, x);
  }
}

void dvmrt_reach_shortly(struct dvmrt_extent x, struct dvmrt_reached *r) {
  static struct dvmrt_extent few[DVMRT_REACH_SHORT_OBJECTS];
  struct search s = {.limits = {DVMRT_REACH_SHORT_BYTES, UINT64_MAX, DVMRT_REACH_SHORT_OBJECTS}, .found = r, .x = few};
  r->ncut = 0;
  r->bytes = 0;
  r->far = false;
  if (x.size) {
    take(&s, x);
  } else { /* in no object that is known: what lies around it, and the pointers in static data from there on */
    dvmrt_reach_around(x.start);
    uintptr_t end = dvmrt_object_static_end(x.start);
    scan(&s, (struct dvmrt_extent){.start = x.start, .size = end - x.start < STATIC_BYTES ? end - x.start : STATIC_BYTES});
    s.full = false;
  }
  follow(&s);
}

void dvmrt_reach_all(struct dvmrt_extent x, uint64_t bytes, struct dvmrt_reached *r) {
  struct search s = {.limits = {UINT64_MAX, bytes, UINT32_MAX}, .found = r, .nslots = 256};
  r->ncut = 0;
  r->bytes = 0;
  r->far = false;
  s.slots = dvmrt_mem_alloc(s.nslots * sizeof(*s.slots));
  take(&s, x);
  follow(&s);
  dvmrt_mem_free(s.slots, s.nslots * sizeof(*s.slots));
  dvmrt_mem_free(s.x, s.cap * sizeof(*s.x));
}
