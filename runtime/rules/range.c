#include "runtime/rules/range.h"
#include "runtime/data/finding.h"
#include "runtime/rules/group.h"
#include "runtime/rules/handed.h"
#include "runtime/rules/range_parts.h"
#include "runtime/rules/repeat.h"
#include "runtime/rules/task.h"

static void init(struct dvmrt_bytes *r, struct dvmrt_site *site, uint32_t flags) {
  *r = (struct dvmrt_bytes){.copied = flags & DVMRT_COPIED, .placed = flags & DVMRT_PLACED, .stored = flags & DVMRT_STORED};
  dvmrt_check_event(&r->ev, site, NULL, flags);
  r->ev.copied = r->copied;
}

/* ---- words -------------------------------------------------------------------------------------------------------------------- */

bool dvmrt_range_words_are(const struct dvmrt_bytes *r, uintptr_t p, uintptr_t end, bool any,
                           bool (*is)(const struct dvmrt_bytes *, uint32_t)) {
  for (struct dvmrt_span s; p < end; p = s.end) {
    dvmrt_shadow_span(p, end - p, false, &s);
    if (!s.words && !any)
      return false;
    for (uint32_t i = 0; s.words && i < s.count; i++)
      if (is(r, s.words[i]) == any)
        return any;
  }
  return !any;
}

bool dvmrt_range_valueless(const struct dvmrt_bytes *r, uint32_t w) {
  (void)r;
  return w < DVMRT_W_FIRST;
}

bool dvmrt_range_needs_values(const struct dvmrt_bytes *r) { return (r->ev.flags & DVMRT_READ) && !r->copied; }

struct dvmrt_finding *dvmrt_range_finding(uint64_t hits, bool *none) {
  uint64_t n = dvmrt_finding_hits() - hits;
  *none = n == 0;
  return n == 1 ? dvmrt_finding_last() : NULL;
}

/* ---- ordinary data ------------------------------------------------------------------------------------------------------------ */

static void judge_part(struct dvmrt_bytes *r, uintptr_t p, uintptr_t end, bool lenient) {
  struct dvmrt_event one = r->ev;
  one.copied |= lenient;
  dvmrt_check_memory(&one, p, end);
  r->astray |= one.kept;
}

static bool judge_unit(void *arg, const struct dvmrt_unit *u) {
  struct dvmrt_bytes *r = arg;
  r->ev.unit = *u;
  judge_part(r, u->p, u->end, !dvmrt_range_words_are(r, u->p, u->end, false, dvmrt_range_valueless));
  return true;
}

/* Elements of which some have no value, which has been told of one before: where each has one word.  'p': it is to be judged. */
static uintptr_t count_elements(uintptr_t p, uintptr_t end, uint64_t unit, struct dvmrt_finding *told) {
  struct dvmrt_span s;
  uint64_t n = 0;
  dvmrt_shadow_span(p, end - p, false, &s);
  if ((s.end - p) % unit || (s.words && s.count * unit != s.end - p))
    return p;
  for (uint32_t i = 0; s.words && i < s.count; i++) {
    bool none = s.words[i] < DVMRT_W_FIRST;
    if (none && dvmrt_handed_wrote(p + i * unit))
      return p;
    n += none;
  }
  dvmrt_finding_more(told, n);
  return s.end;
}

static void judge_elements(struct dvmrt_bytes *r, uintptr_t p, uintptr_t end, uint64_t unit) {
  struct dvmrt_finding *told = NULL;
  for (uintptr_t next; p < end; p = next) {
    if (told && !r->ev.nest && (next = count_elements(p, end, unit, told)) > p)
      continue;
    uint64_t hits = dvmrt_finding_hits();
    bool none;
    next = end - p > unit ? p + unit : end;
    judge_part(r, p, next, !dvmrt_range_words_are(r, p, next, false, dvmrt_range_valueless));
    struct dvmrt_finding *f = dvmrt_range_finding(hits, &none);
    if (f && f->id == DVMRT_ID_UNINITIALIZED && dvmrt_repeat_wanted && !dvmrt_group_nvars && !dvmrt_task_active())
      told = f;
  }
}

static void judge_read(struct dvmrt_bytes *r, uintptr_t p, uintptr_t end) {
  const struct dvmrt_access *x = r->ev.access;
  const bool members = x->members && dvmrt_range_needs_values(r), whole = !members || !r->ev.nest;
  if (r->copied || (whole && !dvmrt_range_words_are(r, p, end, true, dvmrt_range_valueless))) {
    judge_part(r, p, end, false);
    return;
  }
  if (members) {
    dvmrt_members_each(x, r->start, p, end, judge_unit, r);
    r->ev.unit = (struct dvmrt_unit){0};
    return;
  }
  judge_elements(r, p, end, x->range == 'e' && x->bytes ? x->bytes : end - p);
}

static void judge_write(struct dvmrt_bytes *r, uintptr_t p, uintptr_t end) {
  judge_part(r, p, end, false);
  if (!r->ev.nest)
    dvmrt_shadow_fill(p, end - p, DVMRT_W_ASSIGNED);
}

static void judge_data(struct dvmrt_bytes *r, uintptr_t p, uintptr_t end) {
  const uint32_t flags = r->ev.flags;
  if (flags & DVMRT_READ) {
    r->ev.flags = DVMRT_READ;
    judge_read(r, p, end);
  }
  if (flags & DVMRT_WRITE) {
    r->ev.flags = DVMRT_WRITE;
    flags == DVMRT_WRITE ? judge_write(r, p, end) : r->ev.nest ? judge_part(r, p, end, false) : (void)0;
  }
  r->ev.flags = flags;
}

/* ---- both ---------------------------------------------------------------------------------------------------------------------- */

static void judge(struct dvmrt_bytes *r, uintptr_t p, uint64_t size) {
  uintptr_t end = p + size;
  r->start = p;
  if (!dvmrt_construct_judges()) {
    if (r->ev.flags & DVMRT_WRITE)
      dvmrt_shadow_fill(p, size, DVMRT_W_ASSIGNED);
    return;
  }
  while (p < end) {
    struct dvmrt_region *region = dvmrt_shadow_region_in(p, end - p);
    uintptr_t until = !region ? end : region->base > p ? region->base : region->end < end ? region->end : end;
    if (region && region->base <= p)
      dvmrt_range_array(r, (struct dvmrt_array *)region, p, until);
    else
      judge_data(r, p, until);
    p = until;
  }
}

void dvmrt_range_access(uintptr_t p, uint64_t size, struct dvmrt_site *site, uint32_t flags) {
  struct dvmrt_bytes r;
  init(&r, site, flags);
  judge(&r, p, size);
}

void dvmrt_range_source(uintptr_t p, uint64_t size, struct dvmrt_site *site, uintptr_t dst) {
  struct dvmrt_bytes r;
  init(&r, site, DVMRT_READ | DVMRT_COPIED);
  r.target = (intptr_t)(dst - p);
  judge(&r, p, size);
}

bool dvmrt_range_target(uintptr_t p, uint64_t size, struct dvmrt_site *site) {
  struct dvmrt_bytes r;
  init(&r, site, DVMRT_WRITE);
  judge(&r, p, size);
  return !r.astray;
}
