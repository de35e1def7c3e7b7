/* Entry points of abi.h: accesses.  The short ways first, then the modules, under the lock. */
#include "runtime/entry/inside.h"
#include "runtime/rules/check.h"
#include "runtime/rules/object.h"
#include "runtime/rules/region.h"
#include "runtime/report/stats.h"
#include "runtime/rules/repeat.h"
#include <stdarg.h>

/* Decides what needs no lock and no site.  True: done. */
static inline bool touch_word(uint32_t *wp, uint32_t flags) {
  const struct dvmrt_now *now = &__dvmrt_now;
  uint32_t w = *wp;
  if (w == now->write)
    return true;
  if ((flags & DVMRT_READ) && w < DVMRT_W_FIRST)
    return false;
  if (flags & DVMRT_WRITE) {
    if (w >= now->first_write)
      return false;
    *wp = now->write;
    return true;
  }
  if (w < now->first_read)
    *wp = now->write & ~1u;
  return w < now->first_read || !(w & now->mask);
}

/* Ordinary data on pages that inserted code does not read itself: beside an array, with odd sizes.  Their records change under
 * the lock: to be called with it, or where nobody else can change them. */
static bool touch_page(uintptr_t a, uint64_t size, uint32_t flags) {
  uint32_t count, *words = dvmrt_shadow_peek(a, size, &count);
  if (!words)
    return count && !__dvmrt_now.mask;
  for (uint32_t i = 0; i < count; i++)
    if (!touch_word(&words[i], flags))
      return false;
  return count > 0;
}

/* The first assignment in an iteration of a private datum, or of one that began to live in it: the commonest reasons to come here. */
static bool touch_private(uint32_t *wp, uintptr_t a, uint64_t size, uint32_t flags) {
  if (flags != DVMRT_WRITE || !__dvmrt_now.mask || dvmrt_mem_inside())
    return false;
  bool born = *wp == dvmrt_construct_born_word() && !dvmrt_group_nvars && !dvmrt_task_remembers();
  if (!born && !dvmrt_construct_private(a, size))
    return false;
  *wp = __dvmrt_now.write;
  return true;
}

/* Have all words of [a, a + size) a value that nobody may take for none later?  On one page whose words inserted code can read. */
static bool has_values(uintptr_t e, uintptr_t a, uint64_t size) {
  if (!(e & 3))
    return true;
  const uint32_t *w = dvmrt_shadow_at(e, a), *last = dvmrt_shadow_at(e, a + size - 1);
  for (; w <= last; w++)
    if (*w <= DVMRT_W_ZERO)
      return false;
  return true;
}

/* A write of whole granules gives them a value.  True: it is one. */
static bool give_values(uintptr_t e, uintptr_t a, uint64_t size, uint32_t flags) {
  uint64_t granule = (uint64_t)2 << (e & 3);
  if ((flags & (DVMRT_READ | DVMRT_WRITE)) != DVMRT_WRITE || ((a | size) & (granule - 1)))
    return false;
  for (uint32_t *w = dvmrt_shadow_at(e, a), *end = w + size / granule; w < end; w++)
    *w = DVMRT_W_ASSIGNED;
  return true;
}

/* Outside of loops: what has values, and what gets some, is no longer in doubt.  True: done. */
static bool touch_sequential(uintptr_t e, uintptr_t a, uint64_t size, uint32_t flags) {
  if ((a & 4095) + size > 4096 || may_pend(a, size))
    return false;
  if (e == dvmrt_shadow_entry_by_bits()) {
    if (flags & DVMRT_READ)
      return !dvmrt_doubt_any(a, size);
    dvmrt_doubt_clear_own(a, size);
    return true;
  } else if ((e & 3) == 3 || (!has_values(e, a, size) && !give_values(e, a, size, flags))) {
    return false;
  }
  dvmrt_doubt_clear(a, size);
  return true;
}

static void touch_resolve(uintptr_t a, uint64_t size) {
  if (!__dvmrt_now.mask && !(dvmrt_group_nvars && dvmrt_group_var(a, size)) && dvmrt_shadow_certain(a, size))
    dvmrt_doubt_clear(a, size);
}

/* Outside of loops, reading a struct to copy it: that it may have no value is no matter, only where it lies is. */
static bool copies_quietly(uintptr_t e) {
  return !__dvmrt_now.mask && ((e & 3) != 3 || e == dvmrt_shadow_entry_by_bits()) && !dvmrt_group_nvars && !dvmrt_task_remembers();
}

/* Such an assignment, and nothing else than the map of doubts has to know of it.  True: done. */
static inline bool gives_first_value(uintptr_t a, uint64_t size, uint32_t flags) {
  if ((flags & (DVMRT_READ | DVMRT_WRITE | DVMRT_NAMED)) != DVMRT_WRITE || DVMRT_UNLIKELY(dvmrt_held_count) || !is_first_value(a, size))
    return false;
  dvmrt_doubt_clear_few(a, size);
  return true;
}

static void touch(const void *p, uint64_t size, struct dvmrt_site *site, const int64_t *ix, uint32_t flags) {
  uintptr_t a = (uintptr_t)p, e = dvmrt_shadow_entry(a);
  unsigned code = e & 3;
  struct dvmrt_access *again = dvmrt_repeat_of(site);
  if (again && dvmrt_repeat_touch(again, a, size, flags))
    return;
  if (again && dvmrt_repeat_known(again, DVMRT_REPEAT_WAITS) && enter()) {
    bool done = dvmrt_check_assigns_again(again, a, ix, flags & ~(uint32_t)DVMRT_NAMED);
    leave();
    if (done)
      return;
  }
  bool plain = !(flags & DVMRT_NAMED);
  if ((flags & (DVMRT_COPIED | DVMRT_WRITE)) == DVMRT_COPIED && copies_quietly(e))
    return;
  if (!__dvmrt_now.mask && plain && touch_sequential(e, a, size, flags))
    return;
  bool alone = dvmrt_mem_alone();
  if (plain && (code == 1 || code == 2) && size == 4u * code && !(a & (size - 1))) {
    uint32_t *wp = dvmrt_shadow_at(e, a);
    if (touch_word(wp, flags) || touch_private(wp, a, size, flags))
      return;
  } else if (plain && alone && !may_pend(a, size) && touch_page(a, size, flags)) {
    touch_resolve(a, size);
    return;
  }
  if (!enter())
    return;
  if (plain && !alone && (code == 0 || code == 3) && !(dvmrt_group_nvars && dvmrt_group_var(a, size)) && touch_page(a, size, flags)) {
    touch_resolve(a, size);
    dvmrt_mem_leave();
    return;
  }
  if (!__dvmrt_now.mask && plain && e == dvmrt_shadow_entry_by_bits() && !dvmrt_object_judges(dvmrt_site_access(site))) {
    dvmrt_shadow_settle(a, size, DVMRT_W_ASSIGNED);
    leave();
    return;
  }
  dvmrt_stats_looked_at++;
  dvmrt_check_touch(a, size, site, ix, flags);
  touch_resolve(a, size);
  leave();
}

/* Data that regions use stay of interest, whatever has been found out about their values. */
static void keep(uintptr_t a, uint64_t size) {
  if (!enter())
    return;
  dvmrt_region_keep(a, size);
  leave();
}

/* Results that a nest computes, each of which an iteration of this execution has written: others read and write it, and it stays as it is.
 * Subscripts may be wrong. */
enum { RESULTS = 4 };
static struct result {
  uint32_t serial;
  uintptr_t low, high;
} results[RESULTS];

static inline struct result *result_at(uintptr_t a) { return &results[a >> 3 & (RESULTS - 1)]; }

static inline bool touch_result(uintptr_t a, uint64_t size, const int64_t *ix) {
  const struct result *r = result_at(a);
  if (!__dvmrt_now.mask || ix || a < r->low || a + size > r->high || dvmrt_group_nvars || !dvmrt_mem_alone() || dvmrt_mem_inside() ||
      dvmrt_task_remembers())
    return false;
  const struct dvmrt_frame *f = dvmrt_construct_nest();
  return f && f->serial == r->serial;
}

static void note_result(uintptr_t a, uint64_t size, const int64_t *ix, uint32_t flags) {
  if (!__dvmrt_now.mask || ix || flags != DVMRT_WRITE || !dvmrt_mem_alone() || !dvmrt_construct_reduces(a, size))
    return;
  *result_at(a) = (struct result){dvmrt_construct_nest()->serial, a, a + size};
}

static void touch_held(uintptr_t a, uint64_t size, struct dvmrt_site *site, const int64_t *ix, uint32_t flags) {
  if (!enter())
    return;
  dvmrt_region_touch(a, size, site, ix, flags);
  leave();
}

static __attribute__((noinline)) void touch_far(const void *p, uint64_t size, struct dvmrt_site *site, const int64_t *ix, uint32_t flags) {
  if (gives_first_value((uintptr_t)p, size, flags))
    return;
  if (DVMRT_UNLIKELY(dvmrt_finding_stopped) || (!dvmrt_held_count && dvmrt_offsets_touch(site, (uintptr_t)p, size, ix, flags)) ||
      touch_result((uintptr_t)p, size, ix))
    return;
  const bool held = DVMRT_UNLIKELY(dvmrt_held_count) && !(flags & DVMRT_BORN) &&
                    !(dvmrt_mem_alone() && dvmrt_region_unchanged((uintptr_t)p, size, site, flags));
  if (held)
    touch_held((uintptr_t)p, size, site, ix, flags);
  touch(p, size, site, ix, flags);
  if (held)
    keep((uintptr_t)p, size);
  note_result((uintptr_t)p, size, ix, flags);
}

/* A site that gives the subscripts of its element. */
static __attribute__((noinline)) void touch_subscripts(const void *p, uint64_t size, struct dvmrt_site *site, const int64_t *ix,
                                                       uint32_t flags) {
  const struct dvmrt_near *n = dvmrt_offsets_near(site, (uintptr_t)p, size, flags);
  if (!n || !dvmrt_array_is_at(n->array, (uintptr_t)p, ix) || !dvmrt_offsets_again(n, site, (uintptr_t)p, flags))
    touch_far(p, size, site, ix, flags);
}

/* Without a call, and so without registers to save, where a site goes on as it began. */
void __dvmrt_touch(const void *p, uint64_t size, struct dvmrt_site *site, const int64_t *ix, uint32_t flags) {
  if (DVMRT_UNLIKELY(dvmrt_finding_stopped | dvmrt_held_count))
    return touch_far(p, size, site, ix, flags);
  const struct dvmrt_near *n = dvmrt_offsets_near(site, (uintptr_t)p, size, flags);
  if (n && ix && n->array)
    return touch_subscripts(p, size, site, ix, flags);
  if (!n || !dvmrt_offsets_again(n, site, (uintptr_t)p, flags))
    touch_far(p, size, site, ix, flags);
}

int __dvmrt_result(const void *p, uint64_t size, struct dvmrt_site *site, uint32_t flags) {
  __dvmrt_touch(p, size, site, NULL, flags);
  return !dvmrt_finding_stopped && touch_result((uintptr_t)p, size, NULL);
}

static __attribute__((noinline)) void look(const void *p, uint64_t size, struct dvmrt_site *site, uint32_t flags, uint32_t count,
                                           va_list subscripts) {
  int64_t ix[DVMRT_NDIMS_MAX];
  for (uint32_t i = 0; i < count && i < DVMRT_NDIMS_MAX; i++)
    ix[i] = va_arg(subscripts, int64_t);
  if (site)
    __dvmrt_touch(p, size, site, count ? ix : NULL, flags);
  else
    __dvmrt_assign(p, size);
}

/* Called where a function asks so often that the question is not put inline: mostly there is no doubt. */
void __dvmrt_look(const void *p, uint64_t size, struct dvmrt_site *site, uint32_t flags, uint32_t count, ...) {
  if (!__dvmrt_now.mask && !(size <= 8 ? dvmrt_doubt_few((uintptr_t)p, size) : dvmrt_doubt_any((uintptr_t)p, size)))
    return;
  if (gives_first_value((uintptr_t)p, size, site ? flags : DVMRT_WRITE))
    return;
  va_list subscripts;
  va_start(subscripts, count);
  look(p, size, site, flags, count, subscripts);
  va_end(subscripts);
}

void __dvmrt_bounds(const void *p, struct dvmrt_site *site, const int64_t *ix, uint32_t dim, int64_t extent, uint32_t flags) {
  if (DVMRT_UNLIKELY(dvmrt_finding_stopped) || dvmrt_repeat_count(site, DVMRT_REPEAT_BOUNDS) || !enter())
    return;
  dvmrt_check_bounds((uintptr_t)p, site, ix, dim, extent, flags);
  leave();
}

/* What follows is called for each access that has been reported: what is not counted by one look is for another function. */

static __attribute__((noinline)) int place(const void *p, struct dvmrt_site *site, const struct dvmrt_view *view, const int64_t *ix,
                                           uint32_t flags) {
  struct dvmrt_access *again = dvmrt_repeat_of(site);
  if ((again && dvmrt_repeat_place(again, (uintptr_t)p, ix, flags)) || dvmrt_offsets_place(site, (uintptr_t)p, ix, flags) || !enter())
    return 0;
  dvmrt_stats_looked_at++;
  int settled = dvmrt_check_view_place((uintptr_t)p, site, view, ix, flags);
  leave();
  return settled;
}

int __dvmrt_place(const void *p, struct dvmrt_site *site, const struct dvmrt_view *view, const int64_t *ix, uint32_t flags) {
  struct dvmrt_access *again = dvmrt_repeat_of(site);
  if (DVMRT_UNLIKELY(dvmrt_finding_stopped))
    return 1;
  if (again ? dvmrt_repeat_row(again, (uintptr_t)p, ix, flags) : dvmrt_offsets_place_again(site, (uintptr_t)p, ix, flags))
    return 0;
  return place(p, site, view, ix, flags);
}

static __attribute__((noinline)) uint32_t local(struct dvmrt_site *site, uint32_t word, uint32_t kind, uint32_t flags, const int64_t *ix) {
  struct dvmrt_access *again = dvmrt_repeat_of(site);
  if (DVMRT_UNLIKELY(dvmrt_finding_stopped))
    return DVMRT_W_ASSIGNED;
  if (again && dvmrt_repeat_local(again, &word, kind, flags))
    return word;
  if (!enter())
    return flags & DVMRT_WRITE ? DVMRT_W_ASSIGNED : word;
  dvmrt_stats_looked_at++;
  word = dvmrt_check_local(site, word, kind, flags, ix);
  leave();
  return word;
}

uint32_t __dvmrt_local(struct dvmrt_site *site, uint32_t word, uint32_t kind, uint32_t flags, const int64_t *ix) {
  struct dvmrt_access *again = dvmrt_repeat_of(site);
  if (again && !dvmrt_finding_stopped && dvmrt_repeat_sum(again, word, flags))
    return word;
  return local(site, word, kind, flags, ix);
}
