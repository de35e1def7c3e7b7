/* The entry points of abi.h: the short ways first, then the modules, under the lock. */
#include "runtime/rules/check.h"
#include "runtime/entry/direct.h"
#include "runtime/report/explain.h"
#include "runtime/data/finding.h"
#include "runtime/rules/group.h"
#include "runtime/abi_pieces.h"
#include "runtime/data/doubt.h"
#include "runtime/data/few.h"
#include "runtime/data/library.h"
#include "runtime/library_abi.h"
#include "runtime/data/mem.h"
#include "runtime/rules/handed.h"
#include "runtime/rules/lent.h"
#include "runtime/rules/object.h"
#include "runtime/rules/outdated.h"
#include "runtime/entry/process.h"
#include "runtime/rules/declared.h"
#include "runtime/rules/range.h"
#include "runtime/rules/section.h"
#include "runtime/rules/reduce.h"
#include "runtime/rules/region.h"
#include "runtime/rules/region_reach.h"
#include "runtime/report/stats.h"
#include "runtime/rules/stretch.h"
#include "runtime/rules/summary.h"
#include "runtime/rules/task.h"
#include "runtime/rules/turns.h"
#include "runtime/rules/repeat.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* False too where the rest of the run is not judged: then nobody reads any more what is kept of it. */
static inline bool enter(void) { return !DVMRT_UNLIKELY(dvmrt_finding_stopped) && dvmrt_mem_enter(); }

static void leave(void) {
  bool due = dvmrt_due;
  dvmrt_mem_leave();
  if (DVMRT_UNLIKELY(due))
    dvmrt_process_do_due();
}

void DVMRT_MODULE(struct dvmrt_site *first, struct dvmrt_site *last) {
  dvmrt_process_init();
  dvmrt_object_module(first);
  if (!dvmrt_mem_enter())
    return;
  dvmrt_site_module(first, last);
  leave();
}

/* What lies at these addresses next has nothing to do with what lay there. */
void __dvmrt_module_gone(struct dvmrt_site *first, struct dvmrt_site *last) {
  struct dvmrt_extent x;
  if (!dvmrt_mem_enter())
    return;
  dvmrt_repeat_end();
  dvmrt_array_sites_gone(first, last);
  dvmrt_declared_gone(first, last);
  dvmrt_region_reach_gone(first, last);
  dvmrt_site_module_gone(first, last);
  if (dvmrt_object_module_gone(first, &x)) {
    dvmrt_array_forget(x.start, x.size);
    dvmrt_shadow_fill(x.start, x.size, DVMRT_W_ASSIGNED);
  }
  leave();
}

/* ---- accesses ------------------------------------------------------------------------------------------------------------------ */

/* May a reduction be under way in it?  The list of them changes under the lock. */
static inline bool may_pend(uintptr_t a, uint64_t size) {
  return DVMRT_UNLIKELY(dvmrt_group_nvars) && (!dvmrt_mem_alone() || dvmrt_group_var(a, size));
}

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

/* Memory that gets its first value outside of loops, up to eight bytes of a page that the bits alone tell of. */
static inline bool is_first_value(uintptr_t a, uint64_t size) {
  return size <= 8 && (a & 4095) + size <= 4096 && dvmrt_shadow_entry(a) == dvmrt_shadow_entry_by_bits() && !__dvmrt_now.mask &&
         !may_pend(a, size);
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

void __dvmrt_touch(const void *p, uint64_t size, struct dvmrt_site *site, const int64_t *ix, uint32_t flags) {
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
  if (DVMRT_UNLIKELY(dvmrt_finding_stopped))
    return 1;
  if ((again && dvmrt_repeat_place(again, (uintptr_t)p, ix, flags)) || dvmrt_offsets_place(site, (uintptr_t)p, ix, flags) || !enter())
    return 0;
  dvmrt_stats_looked_at++;
  int settled = dvmrt_check_view_place((uintptr_t)p, site, view, ix, flags);
  leave();
  return settled;
}

int __dvmrt_place(const void *p, struct dvmrt_site *site, const struct dvmrt_view *view, const int64_t *ix, uint32_t flags) {
  struct dvmrt_access *again = dvmrt_repeat_of(site);
  if (again && !dvmrt_finding_stopped && dvmrt_repeat_row(again, (uintptr_t)p, ix, flags))
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

/* ---- constructs ---------------------------------------------------------------------------------------------------------------- */

/* A construct in code that interrupted the runtime runs unobserved; all that must be right is 'once'. */
static __thread struct dvmrt_site *unobserved __attribute__((tls_model("initial-exec")));

static int enter_construct(struct dvmrt_site *site, void *frame, const int64_t *args) {
  if (unobserved == site) {
    unobserved = NULL;
    return 0;
  }
  if (!enter())
    return 1;
  int run = dvmrt_construct_enter(dvmrt_directive_of(site), frame, args);
  leave();
  return run;
}

int __dvmrt_enter(struct dvmrt_site *site, void *frame, const int64_t *args) {
  return dvmrt_construct_enter_again(site, frame, args, enter_construct);
}

static void leave_construct(struct dvmrt_site *site, void *frame) {
  if (!enter()) {
    unobserved = site;
    return;
  }
  dvmrt_construct_leave(dvmrt_directive_of(site), frame);
  leave();
}

void __dvmrt_leave(struct dvmrt_site *site, void *frame) { dvmrt_construct_leave_again(site, frame, leave_construct); }

void __dvmrt_row(struct dvmrt_site *construct) {
  if (!enter())
    return;
  dvmrt_construct_row(dvmrt_directive_of(construct));
  leave();
}

static __attribute__((noinline)) int prove(struct dvmrt_site *construct, const struct dvmrt_summary *s, const int64_t *box,
                                           const int64_t *values) {
  if (!enter())
    return dvmrt_finding_stopped;
  int proved = dvmrt_summary_prove(dvmrt_directive_of(construct), s, box, values);
  leave();
  return proved;
}

int __dvmrt_summary(struct dvmrt_site *construct, const struct dvmrt_summary *s, const int64_t *box, const int64_t *values) {
  return __dvmrt_now.mask ? prove(construct, s, box, values) : dvmrt_finding_stopped;
}

int __dvmrt_data(struct dvmrt_site *construct, const void *p, uint64_t size) {
  if (!enter())
    return 0;
  int known = dvmrt_summary_data(dvmrt_directive_of(construct), (uintptr_t)p, size);
  leave();
  return known;
}

int __dvmrt_stretch(struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  if (!enter())
    return dvmrt_finding_stopped;
  int proved = dvmrt_stretch_prove(s, turns, first);
  leave();
  return proved;
}

static __attribute__((noinline)) int prove_turns(struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  if (dvmrt_turns_certain(s, turns, first))
    return 1;
  if (!enter())
    return 0;
  int proved = dvmrt_turns_prove(s, turns, first);
  leave();
  return proved;
}

int __dvmrt_turns(struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  if (DVMRT_UNLIKELY(dvmrt_finding_stopped))
    return 1;
  if (!__dvmrt_now.mask)
    return prove_turns(s, turns, first);
  return !dvmrt_mem_inside() && dvmrt_turns_own(s, turns, first);
}

int __dvmrt_certain(const struct dvmrt_pieces *pieces, uint64_t n, uint64_t turns, const uintptr_t *first) {
  return !__dvmrt_now.mask && !dvmrt_doubt_any_piece(pieces, n, turns, first);
}

void __dvmrt_direct(struct dvmrt_site *site, const int64_t *args) {
  if (!enter())
    return;
  dvmrt_repeat_end();
  dvmrt_direct_run(dvmrt_directive_of(site), args);
  leave();
}

const struct dvmrt_view *__dvmrt_view(struct dvmrt_site *construct, uint32_t use, uint32_t shift) {
  static const struct dvmrt_view none = {.first_read = DVMRT_W_FIRST, .first_write = UINT32_MAX};
  if (!enter())
    return &none;
  const struct dvmrt_view *v = dvmrt_construct_view(dvmrt_directive_of(construct), use, shift);
  leave();
  return v;
}

int __dvmrt_reduction(struct dvmrt_site *construct, uint32_t number, uint32_t state, const void *before, const void *result,
                      const void *partial, double magnitude, double roundings, const void *loc_before, const void *loc_result,
                      const void *loc_partial, uint64_t loc_bytes) {
  if (!enter())
    return 0;
  struct dvmrt_evaluation e = {.number = number,
                               .disturbed = state & 1,
                               .tied = state & 2,
                               .before = before,
                               .result = result,
                               .partial = partial,
                               .magnitude = magnitude,
                               .roundings = roundings,
                               .each_iteration = state >> DVMRT_ROUNDINGS_SHIFT,
                               .loc_before = loc_before,
                               .loc_result = loc_result,
                               .loc_partial = loc_partial,
                               .loc_bytes = loc_bytes};
  bool replace = dvmrt_reduce_compare(dvmrt_directive_of(construct), &e);
  leave();
  return replace;
}

void __dvmrt_results(struct dvmrt_site *construct, uint32_t number, uint32_t state, const void *before, void *result, const void *partial,
                     const void *last, const double *magnitude, uint64_t count) {
  if (!enter())
    return;
  struct dvmrt_results r = {number, state & 1, before, result, partial, last, magnitude, count};
  dvmrt_reduce_results(dvmrt_directive_of(construct), &r);
  leave();
}

void __dvmrt_step(struct dvmrt_site *construct, uint32_t numbers, uint32_t over) {
  if (!enter())
    return;
  dvmrt_reduce_step(dvmrt_directive_of(construct), numbers, over);
  leave();
}

void __dvmrt_escape(struct dvmrt_site *access) {
  if (DVMRT_UNLIKELY(dvmrt_finding_stopped) || dvmrt_repeat_count(access, DVMRT_REPEAT_ESCAPE) || !enter())
    return;
  dvmrt_reduce_escape(access);
  leave();
}

/* ---- memory -------------------------------------------------------------------------------------------------------------------- */

/* Arrays in the range cease; the words then say 'word'. */
static void renew(uintptr_t a, uint64_t size, uint32_t word) {
  if (DVMRT_UNLIKELY(dvmrt_group_nvars))
    dvmrt_group_ends(a, size);
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_held_forget(a, size);
  dvmrt_task_forget(a, size);
  dvmrt_array_forget(a, size);
  dvmrt_shadow_fill(a, size, word);
}

/* Outside of loops, and nobody but the map of doubts has to know. */
static bool only_doubts(uintptr_t a, uint64_t size) {
  return !__dvmrt_now.mask && !may_pend(a, size) && !dvmrt_task_remembers() && dvmrt_shadow_told_by_bits(a, size);
}

/* The same, of a small object on one page or two that have bits of their own: most objects of the stack. */
static inline bool small_and_own(uintptr_t a, uint64_t size) {
  uintptr_t own = dvmrt_shadow_entry_by_bits();
  return size <= 512 && dvmrt_shadow_entry(a) == own && dvmrt_shadow_entry(a + size - 1) == own && !__dvmrt_now.mask &&
         !may_pend(a, size) && !dvmrt_task_remembers();
}

/* The same in a nest, where the object has words that inserted code reads itself. */
static bool born_in_nest(uintptr_t a, uint64_t size) {
  uintptr_t e = dvmrt_shadow_entry(a), granule = (uintptr_t)2 << (e & 3);
  if (!__dvmrt_now.mask || ((e & 3) != 1 && (e & 3) != 2) || (a & 4095) + size > 4096 || ((a | size) & (granule - 1)) ||
      dvmrt_group_nvars || dvmrt_task_remembers() || !dvmrt_doubt_set_if_own(a, size))
    return false;
  uint32_t word = dvmrt_construct_born_word(), *w = dvmrt_shadow_at(e, a), *end = w + size / granule;
  if (end - w >= DVMRT_FEW_LEAST)
    dvmrt_few_set(w, (uint64_t)(end - w), word);
  else
    while (w < end)
      *w++ = word;
  return true;
}

void __dvmrt_born(const void *p, uint64_t size) {
  if (!size || !enter())
    return;
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_held_forget((uintptr_t)p, size);
  if (born_in_nest((uintptr_t)p, size)) {
    dvmrt_object_born((uintptr_t)p, size, (uintptr_t)__builtin_frame_address(0));
    leave();
    return;
  }
  if (small_and_own((uintptr_t)p, size))
    dvmrt_doubt_set_own((uintptr_t)p, size);
  else if (only_doubts((uintptr_t)p, size))
    dvmrt_shadow_fill((uintptr_t)p, size, DVMRT_W_NEVER);
  else
    renew((uintptr_t)p, size, dvmrt_construct_born_word());
  dvmrt_object_born((uintptr_t)p, size, (uintptr_t)__builtin_frame_address(0));
  leave();
}

void __dvmrt_live(const void *p, uint64_t size) {
  if (__dvmrt_now.mask) {
    __dvmrt_born(p, size);
    return;
  }
  if (!size || dvmrt_object_is_last((uintptr_t)p, size) || !enter())
    return;
  dvmrt_object_born((uintptr_t)p, size, (uintptr_t)__builtin_frame_address(0));
  leave();
}

void __dvmrt_over(const void *p, uint64_t size) {
  if (!enter())
    return;
  if (dvmrt_construct_judges())
    dvmrt_shadow_fill((uintptr_t)p, size, DVMRT_W_PRIVATE);
  leave();
}

void __dvmrt_unwound(const void *frame) {
  if (!enter())
    return;
  dvmrt_object_unwound((uintptr_t)frame);
  leave();
}

void __dvmrt_landed(const void *frame) {
  if (!enter())
    return;
  dvmrt_construct_landed(frame);
  leave();
}

static void mark_written(uintptr_t a, uint64_t size) {
  const uintptr_t end = a + size;
  for (struct dvmrt_region *r = dvmrt_shadow_region_in(a, size); r; r = r->end < end ? dvmrt_shadow_region_in(r->end, end - r->end) : NULL)
    dvmrt_construct_written((struct dvmrt_array *)r, NULL);
}

static void assign(const void *p, uint64_t size) {
  uintptr_t a = (uintptr_t)p;
  if (is_first_value(a, size)) {
    dvmrt_doubt_clear_few(a, size);
    return;
  }
  if (size && small_and_own(a, size)) {
    dvmrt_doubt_clear_own(a, size);
    return;
  }
  if (!size || only_doubts(a, size)) {
    dvmrt_doubt_clear(a, size);
    return;
  }
  if (!enter())
    return;
  mark_written(a, size);
  dvmrt_task_assigned(a, size);
  dvmrt_shadow_fill(a, size, __dvmrt_now.mask ? __dvmrt_now.write : DVMRT_W_ASSIGNED);
  leave();
}

/* Written by something that is no access of the source, or whose place in it nobody tells. */
static void write_held(uintptr_t a, uint64_t size, struct dvmrt_site *site) {
  if (!enter())
    return;
  dvmrt_region_writes(a, size, site);
  dvmrt_region_keep(a, size);
  leave();
}

void __dvmrt_assign(const void *p, uint64_t size) {
  assign(p, size);
  if (DVMRT_UNLIKELY(dvmrt_held_count) && size)
    write_held((uintptr_t)p, size, NULL);
}

int __dvmrt_run(const void *first, int64_t step, uint64_t more, uint64_t size, uint32_t flags) {
  uint64_t way, distance = (uint64_t)(step < 0 ? -step : step);
  if (__dvmrt_now.mask || __builtin_mul_overflow(distance, more, &way) || way >> 40)
    return 0;
  uintptr_t low = step < 0 ? (uintptr_t)first - way : (uintptr_t)first;
  uint64_t n = way + size;
  if (!dvmrt_doubt_any(low, n))
    return 1;
  if (!(flags & DVMRT_STORED) && (!(flags & DVMRT_WRITE) || !only_doubts(low, n)))
    return 0;
  __dvmrt_assign((const void *)low, n);
  return 1;
}

/* What functions assign in a block of remote_access. */
static void outdate(uintptr_t a, uint64_t size) {
  if (!enter())
    return;
  dvmrt_outdated_memory(a, a + size);
  leave();
}

void __dvmrt_fill(const void *p, uint64_t size) {
  uintptr_t a = (uintptr_t)p;
  if (DVMRT_UNLIKELY(dvmrt_outdated_open) && size)
    outdate(a, size);
  if (!__dvmrt_now.mask) {
    __dvmrt_assign(p, size);
    return;
  }
  if (!size || !enter())
    return;
  mark_written(a, size);
  dvmrt_task_assigned(a, size);
  dvmrt_check_filled(a, size);
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_writes(a, size, NULL);
  leave();
}

/* What the source does not have the target does not have either. */
static void copy_words(uintptr_t dst, uintptr_t src, uint64_t size) {
  mark_written(dst, size);
  dvmrt_task_assigned(dst, size);
  if (__dvmrt_now.mask)
    dvmrt_shadow_copy(dst, src, size, __dvmrt_now.write, __dvmrt_now.base, dvmrt_construct_born_word());
  else
    dvmrt_shadow_copy(dst, src, size, DVMRT_W_ASSIGNED, UINT32_MAX, 0);
  if (DVMRT_UNLIKELY(dvmrt_held_count)) {
    dvmrt_region_writes(dst, size, NULL);
    dvmrt_region_keep(dst, size);
  }
}

/* To where nobody but the map of doubts has to know: is nothing of the source in doubt?  True: done. */
static bool copy_certain(const void *dst, uintptr_t src, uint64_t size) {
  if (dvmrt_doubt_any(src, size))
    return false;
  if (!dvmrt_doubt_any((uintptr_t)dst, size))
    return true;
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    return false;
  assign(dst, size);
  return true;
}

void __dvmrt_copy(const void *dst, const void *src, uint64_t size) {
  if (!size || (only_doubts((uintptr_t)dst, size) && copy_certain(dst, (uintptr_t)src, size)))
    return;
  if (!enter())
    return;
  if (dvmrt_check_copied_nowhere((uintptr_t)dst)) {
    dvmrt_mem_leave();
    return;
  }
  copy_words((uintptr_t)dst, (uintptr_t)src, size);
  leave();
}

static void copy_at(const void *dst, const void *src, uint64_t size, struct dvmrt_site *to, struct dvmrt_site *from) {
  uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
  const bool doubts = only_doubts(d, size) && only_doubts(s, size);
  if (!size || (doubts && copy_certain(dst, s, size)) || !enter())
    return;
  const bool judged = !doubts || DVMRT_UNLIKELY(dvmrt_held_count); /* else there is nothing to say: the doubts go with the data */
  if (from && DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_reads(s, size, from, false);
  if (from && judged)
    dvmrt_range_source(s, size, from, d);
  if (!to || !judged || dvmrt_range_target(d, size, to))
    copy_words(d, s, size);
  leave();
}

void __dvmrt_copy_at(const void *dst, const void *src, uint64_t size, struct dvmrt_site *to, struct dvmrt_site *from) {
  copy_at(dst, src, size, to, from);
  if (DVMRT_UNLIKELY(dvmrt_outdated_open) && size)
    outdate((uintptr_t)dst, size);
}

void __dvmrt_look_copy(const void *dst, const void *src, uint64_t size, struct dvmrt_site *to, struct dvmrt_site *from, uint32_t born) {
  if (!__dvmrt_now.mask && !dvmrt_doubt_any((uintptr_t)dst, size) && !dvmrt_doubt_any((uintptr_t)src, size))
    return;
  if (born)
    __dvmrt_born(dst, size);
  if (to || from)
    __dvmrt_copy_at(dst, src, size, to, from);
  else
    __dvmrt_copy(dst, src, size);
}

void __dvmrt_read_at(const void *p, uint64_t size, struct dvmrt_site *site, uint32_t flags) {
  uintptr_t a = (uintptr_t)p;
  if (!p || !size || !site || (only_doubts(a, size) && ((flags & DVMRT_COPIED) || !dvmrt_doubt_any(a, size))))
    return;
  if (!enter())
    return;
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_reads(a, size, site, dvmrt_site_access(site)->role == 'i');
  dvmrt_range_access(a, size, site, flags);
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_keep(a, size);
  leave();
}

void __dvmrt_write_at(const void *p, uint64_t size, struct dvmrt_site *site) {
  if (!p || !size)
    return;
  if (!site || only_doubts((uintptr_t)p, size)) {
    __dvmrt_fill(p, size);
    return;
  }
  if (!enter())
    return;
  dvmrt_range_access((uintptr_t)p, size, site, DVMRT_WRITE);
  if (DVMRT_UNLIKELY(dvmrt_held_count)) {
    dvmrt_region_writes((uintptr_t)p, size, site);
    dvmrt_region_keep((uintptr_t)p, size);
  }
  leave();
}

void __dvmrt_section(const void *p, uint64_t bytes, struct dvmrt_site *site, uint32_t flags, uint32_t n, const int64_t *dims) {
  struct dvmrt_elements s = {.site = site, .first = (uintptr_t)p, .bytes = bytes, .flags = flags, .n = n ? n : 1, .extent = {1}};
  uintptr_t low;
  uint64_t size;
  for (uint32_t d = 0; d < n; d++) {
    s.extent[d] = dims[2 * d];
    s.stride[d] = dims[2 * d + 1];
  }
  if (!p || !bytes || !dvmrt_section_bounds(&s, &low, &size))
    return;
  if (flags && only_doubts(low, size) && ((flags & (DVMRT_COPIED | DVMRT_WRITE)) || !dvmrt_doubt_any(low, size)))
    return;
  if (!enter())
    return;
  if (flags & DVMRT_LENT)
    dvmrt_lent_begin(s.first, bytes, site);
  else if (flags & DVMRT_RETURNED)
    dvmrt_lent_end(s.first);
  else if (flags)
    dvmrt_section_access(&s);
  else
    dvmrt_check_target(s.first, site);
  leave();
}

uint64_t __dvmrt_length(const void *p, uint64_t limit) {
  if (!p || !limit)
    return 0;
  uint64_t n = strnlen(p, limit);
  return n < limit ? n + 1 : n;
}

static void given(const void *p, uint64_t size) {
  if (!p || !enter())
    return;
  dvmrt_handed_given((uintptr_t)p, (uintptr_t)p, size);
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_given((uintptr_t)p);
  leave();
}

void __dvmrt_foreign(const void *p) { given(p, 0); }
void __dvmrt_given(const void *p, uint64_t size) { given(p, size); }

static void written(const void *p, uint64_t size) {
  if (!p || !enter())
    return;
  dvmrt_handed_written((uintptr_t)p, size);
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_given((uintptr_t)p);
  leave();
}

void __dvmrt_written(const void *p) { written(p, 0); }

static void unseen_part(const void *p, const struct dvmrt_part *part) {
  if (part->what & DVMRT_PART_ASSIGN)
    __dvmrt_assign(p, part->size);
  if (part->what & DVMRT_PART_GIVEN)
    given(p, part->size);
}

/* As the pass does where it sees the name. */
static void library_part(const void *p, const struct dvmrt_part *part, const char *letters) {
  unsigned argument = (unsigned)(part->what >> DVMRT_PART_ARGUMENT);
  char letter = argument == DVMRT_PART_RESULT ? 'r' : dvmrt_library_letter(letters, argument);
  if (letter == 'r')
    return;
  if (letter == 'l' && dvmrt_handed_others())
    unseen_part(p, part);
  else if (part->what & DVMRT_PART_ASSIGN)
    __dvmrt_fill(p, part->size);
  else
    written(p, part->size);
}

static void handed(const char *letters, const struct dvmrt_part *parts, uint32_t n, va_list pointers) {
  for (uint32_t i = 0; i < n; i++) {
    const void *p = va_arg(pointers, const void *);
    letters ? library_part(p, &parts[i], letters) : unseen_part(p, &parts[i]);
  }
}

void __dvmrt_handed(const struct dvmrt_part *parts, uint32_t n, ...) {
  va_list pointers;
  va_start(pointers, n);
  handed(NULL, parts, n, pointers);
  va_end(pointers);
}

DVMRT_EXPORT void __dvmrt_handed_to(const void *callee, const struct dvmrt_part *parts, uint32_t n, ...) {
  va_list pointers;
  va_start(pointers, n);
  handed(dvmrt_library_letters(callee), parts, n, pointers);
  va_end(pointers);
}

static void heap_new(uintptr_t a, uint64_t size, uint32_t word) {
  dvmrt_heap_add(a, size);
  if (size)
    renew(a, size, word);
}

void __dvmrt_heap_new(const void *p, uint64_t size) {
  if (!p || !enter())
    return;
  heap_new((uintptr_t)p, size, dvmrt_construct_born_word());
  leave();
}

void __dvmrt_heap_zero(const void *p, uint64_t size) {
  if (!p || !enter())
    return;
  uint32_t zero = dvmrt_site_has_directives() ? DVMRT_W_ZERO : DVMRT_W_ASSIGNED;
  heap_new((uintptr_t)p, size, __dvmrt_now.mask ? __dvmrt_now.write : zero);
  leave();
}

static void heap_forget(uintptr_t a) {
  struct dvmrt_extent x;
  dvmrt_handed_freed(a);
  if (dvmrt_heap_remove(a, &x) && x.size)
    renew(x.start, x.size, DVMRT_W_ASSIGNED);
}

void __dvmrt_heap_free(const void *p) {
  if (!p || !enter())
    return;
  heap_forget((uintptr_t)p);
  leave();
}

/* Under the lock: another thread that is given the old block waits with its words until ours have moved. */
static void *realloc_known(void *p, uint64_t size, struct dvmrt_extent x) {
  dvmrt_handed_freed(x.start);
  void *q = realloc(p, size);
  if (!q)
    return NULL;
  uintptr_t a = (uintptr_t)p, b = (uintptr_t)q;
  uint64_t keep = x.size < size ? x.size : size;
  uint32_t born = dvmrt_construct_born_word();
  if (a != b) {
    dvmrt_array_forget(b, size);
    dvmrt_shadow_copy(b, a, keep, DVMRT_W_ASSIGNED, UINT32_MAX, 0);
    renew(a, x.size, DVMRT_W_ASSIGNED);
    dvmrt_heap_remove(a, &x);
  } else {
    dvmrt_array_forget(a, x.size); /* it begins where it began, but has another shape */
  }
  if (size > keep)
    renew(b + keep, size - keep, born);
  else if (a == b && x.size > keep)
    renew(a + keep, x.size - keep, DVMRT_W_ASSIGNED);
  dvmrt_heap_add(b, size);
  dvmrt_heap_is_old(b, x.born);
  return q;
}

void *__dvmrt_realloc(void *p, uint64_t size) {
  if (!p) {
    void *q = malloc(size);
    __dvmrt_heap_new(q, size);
    return q;
  }
  struct dvmrt_extent x;
  if (!enter())
    return realloc(p, size);
  void *q;
  if (size && dvmrt_heap_find((uintptr_t)p, &x) && x.start == (uintptr_t)p) {
    q = realloc_known(p, size, x);
  } else {
    heap_forget((uintptr_t)p);
    q = realloc(p, size);
  }
  leave();
  return q;
}
