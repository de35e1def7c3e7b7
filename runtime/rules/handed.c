#include "runtime/rules/handed.h"
#include "runtime/data/mem.h"
#include "runtime/rules/object.h"
#include "runtime/rules/reach.h"
#include <sys/single_threaded.h>

/* An object that leads to more than a call looks at. */
struct root {
  struct root *next;
  struct dvmrt_extent x;
  uint32_t calls;     /* that it was handed to */
  uint32_t reports;   /* for which it was followed */
  uint32_t missed;    /* when it was last handed without being followed, plus 1; 0: never */
  bool waits;         /* was handed and not followed since */
  bool far;           /* what only following it finds has led to something, or nobody knows whether it has */
};

/* Bytes that may be followed altogether: so many to begin with, so many more with each call. */
enum { BUCKETS = 1 << 12, BYTES_FIRST = 64 << 20, BYTES_EACH = 2 << 10, SHARE = 64, REPORTS = 8 };

static struct root *roots[BUCKETS];
static uint32_t nroots, nwaiting;
static uint64_t budget = BYTES_FIRST;
static uint32_t lost; /* what was allocated before this may have been written */

static struct root **bucket_of(uintptr_t start) { return &roots[(uint64_t)start * 0x9e3779b97f4a7c15u >> 52]; }

static struct root **link_of(uintptr_t start) {
  struct root **at = bucket_of(start);
  while (*at && (*at)->x.start != start)
    at = &(*at)->next;
  return at;
}

static struct root *root_of(struct dvmrt_extent x) {
  struct root **at = link_of(x.start), *r = *at;
  if (!r) {
    r = *at = dvmrt_mem_alloc(sizeof(*r));
    nroots++;
  }
  r->x = x;
  return r;
}

static void wait_for(struct root *r, bool waits) {
  nwaiting += waits - r->waits;
  r->waits = waits;
}

/* Pointers lie there, and other ones may have when it was handed. */
static void note_lost(const struct root *r) {
  if (r->far && r->missed > lost)
    lost = r->missed;
}

static void follow(struct root *r, uint64_t bytes) {
  struct dvmrt_reached found;
  dvmrt_reach_all(r->x, bytes, &found);
  budget -= found.bytes < budget ? found.bytes : budget;
  r->far |= found.far || found.ncut;
  wait_for(r, false);
  if (found.ncut)
    r->missed = dvmrt_heap_now + 1;
  note_lost(r);
}

static void miss(struct root *r) {
  wait_for(r, true);
  r->missed = dvmrt_heap_now + 1;
  if (dvmrt_heap_now < UINT32_MAX - 1)
    dvmrt_heap_now++;
  note_lost(r);
}

/* Small ones as long as it can be paid for, large ones more and more seldom. */
static void hand(struct dvmrt_extent x) {
  struct root *r = root_of(x);
  r->calls++;
  bool turn = !(r->calls & (r->calls - 1)) || x.size <= budget / SHARE;
  if (turn && x.size <= budget)
    follow(r, budget);
  else
    miss(r);
}

void dvmrt_handed_given(uintptr_t word, uintptr_t start, uint64_t size) {
  static struct dvmrt_reached r;
  struct dvmrt_extent x = {.start = start, .size = size};
  uintptr_t a = dvmrt_reach_address(word);
  if (dvmrt_reach_array(a))
    return;
  bool known = size || dvmrt_reach_find(a, &x);
  if (!known)
    x = (struct dvmrt_extent){.start = a};
  dvmrt_reach_shortly(x, &r);
  budget += BYTES_EACH;
  if (r.ncut && known)
    hand(x);
  for (uint32_t i = 0; i < r.ncut && !known; i++)
    hand(r.cut[i]);
}

void dvmrt_handed_written(uintptr_t word, uint64_t size) {
  struct dvmrt_extent x = {.start = word, .size = size};
  uintptr_t a = dvmrt_reach_address(word);
  if (dvmrt_reach_array(a))
    return;
  if (size || dvmrt_reach_find(a, &x))
    dvmrt_reach_settle(x);
  else
    dvmrt_reach_around(a);
}

bool dvmrt_handed_others(void) {
  static bool others;
  if (DVMRT_UNLIKELY(!others && !__libc_single_threaded))
    others = true;
  return others;
}

void dvmrt_handed_freed(uintptr_t start) {
  struct root **at = nroots ? link_of(start) : NULL, *r = at ? *at : NULL;
  if (!r)
    return;
  if (r->waits && r->x.size <= budget) {
    follow(r, budget);
  } else if (r->waits) {
    r->far = true;
    note_lost(r);
    wait_for(r, false);
  }
  *at = r->next;
  nroots--;
  dvmrt_mem_free(r, sizeof(*r));
}

static void follow_for_report(struct root *r) {
  if (r->reports++ < REPORTS) {
    follow(r, UINT64_MAX);
  } else if (r->x.size <= budget) {
    follow(r, budget);
  } else {
    r->far = true;
    note_lost(r);
  }
}

bool dvmrt_handed_wrote(uintptr_t a) {
  struct dvmrt_extent x;
  if (!nwaiting && !lost)
    return false;
  dvmrt_reach_watch(a);
  for (uint32_t i = 0; i < BUCKETS && nwaiting; i++)
    for (struct root *r = roots[i]; r; r = r->next)
      if (r->waits)
        follow_for_report(r);
  if (dvmrt_reach_watched())
    return true;
  if (!lost || !dvmrt_object_find(a, &x) || x.born >= lost)
    return false;
  dvmrt_reach_settle(x);
  return true;
}
