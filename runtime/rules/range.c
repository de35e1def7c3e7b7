#include "runtime/rules/range.h"
#include "runtime/rules/check.h"
#include "runtime/rules/group.h"
#include "runtime/rules/task.h"

struct range {
  struct dvmrt_event ev; /* of each part, as it begins */
  bool copied;           /* what has no value is copied so */
  bool stored;           /* by a statement of the program */
  bool placed;           /* where it lies has been judged */
  intptr_t target;       /* from an address to where its content goes; 0: nowhere, or not known */
  bool astray;           /* some of it was written where it must not be */
};

static void init(struct range *r, struct dvmrt_site *site, uint32_t flags) {
  *r = (struct range){.copied = flags & DVMRT_COPIED, .placed = flags & DVMRT_PLACED, .stored = flags & DVMRT_STORED};
  dvmrt_check_event(&r->ev, site, NULL, flags);
  r->ev.copied = r->copied;
}

/* ---- elements of distributed arrays ------------------------------------------------------------------------------------------- */

/* Does the element go to one of the same owner? */
static bool beside(const struct range *r, struct dvmrt_array *a, uintptr_t p) {
  struct dvmrt_array *to = r->target ? (struct dvmrt_array *)dvmrt_shadow_region_in(p + (uintptr_t)r->target, 1) : NULL;
  int64_t from_ix[DVMRT_NDIMS_MAX], to_ix[DVMRT_NDIMS_MAX];
  if (!to || r->ev.nest)
    return false;
  dvmrt_array_indices(a, p, from_ix);
  dvmrt_array_indices(to, p + (uintptr_t)r->target, to_ix);
  return dvmrt_layout_beside(dvmrt_array_layout(a), from_ix, dvmrt_array_layout(to), to_ix);
}

static uintptr_t element_end(const struct dvmrt_array *a, uintptr_t p, uintptr_t end) {
  uint64_t bytes = a->element_bytes;
  uintptr_t next = a->region.base + ((p - a->region.base) / bytes + 1) * bytes;
  return next < end ? next : end;
}

static void judge_element(struct range *r, struct dvmrt_array *a, uintptr_t p, uintptr_t end) {
  if (beside(r, a, p))
    return;
  struct dvmrt_event one = r->ev;
  dvmrt_check_element(&one, a, p, end - p, r->placed);
  r->astray |= one.lost || one.kept;
}

/* To the end of the innermost row, and the subscripts of its last element. */
static uintptr_t row_end(const struct dvmrt_array *a, uintptr_t p, uintptr_t end, int64_t *last) {
  dvmrt_array_indices(a, p, last);
  int d = a->ndims - 1;
  uintptr_t start = p - (p - a->region.base) % a->element_bytes;
  uint64_t left = (uint64_t)(a->extent[d] - last[d]), wanted = (end - start + a->element_bytes - 1) / a->element_bytes;
  uint64_t n = left < wanted ? left : wanted;
  last[d] += (int64_t)n - 1;
  return start + n * a->element_bytes < end ? start + n * a->element_bytes : end;
}

/* Changes the words if nothing is wrong with any. */
static bool words_right(const struct range *r, struct dvmrt_event *ev, uintptr_t p, uintptr_t end) {
  struct dvmrt_span s;
  dvmrt_shadow_span(p, end - p, true, &s);
  if (!s.words || s.end < end)
    return false;
  for (int change = 0; change < 2; change++)
    for (uint32_t i = 0; i < s.count; i++) {
      enum dvmrt_verdict v;
      bool born_here = ev->nest && dvmrt_construct_born_here(ev->nest, s.words[i]);
      if (r->copied && s.words[i] < DVMRT_W_FIRST)
        continue;
      uint32_t w = dvmrt_check_word(ev->class, s.words[i], ev->flags, ev->now, ev->base, born_here, &v);
      if (change)
        s.words[i] = w;
      else if (v)
        return false;
    }
  return true;
}

static bool row_right(const struct range *r, struct dvmrt_array *a, uintptr_t p, uintptr_t end, const int64_t *last) {
  struct dvmrt_event ev = r->ev;
  ev.array = a;
  ev.at = p;
  dvmrt_array_indices(a, p, ev.ix);
  if (dvmrt_group_nvars || a->ordinary || (!r->placed && !dvmrt_check_place_run(&ev, last)))
    return false;
  dvmrt_check_classify(&ev);
  if (!words_right(r, &ev, p, end))
    return false;
  if (ev.flags & DVMRT_WRITE)
    dvmrt_construct_written(a, ev.access->site);
  dvmrt_task_access(&ev, p, end - p);
  return true;
}

static void judge_array(struct range *r, struct dvmrt_array *a, uintptr_t p, uintptr_t end) {
  int64_t last[DVMRT_NDIMS_MAX];
  for (uintptr_t row; p < end; p = row) {
    row = row_end(a, p, end, last);
    if (row_right(r, a, p, row, last))
      continue;
    for (uintptr_t next; p < row; p = next) {
      next = element_end(a, p, row);
      judge_element(r, a, p, next);
    }
  }
}

/* ---- ordinary data ------------------------------------------------------------------------------------------------------------ */

/* Is there a word in the range of which 'is' holds for all (or, with 'any', for one)? */
static bool words_are(const struct range *r, uintptr_t p, uintptr_t end, bool any, bool (*is)(const struct range *, uint32_t)) {
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

static bool valueless(const struct range *r, uint32_t w) {
  (void)r;
  return w < DVMRT_W_FIRST;
}

static bool read_by_nest(const struct range *r, uint32_t w) {
  return w >= r->ev.base && !(w & 1) && !dvmrt_construct_born_here(r->ev.nest, w);
}

static void judge_part(struct range *r, uintptr_t p, uintptr_t end, bool lenient) {
  struct dvmrt_event one = r->ev;
  one.copied |= lenient;
  dvmrt_check_memory(&one, p, end);
  r->astray |= one.kept;
}

/* What is used: elements need values; of anything else some part does, padding has none. */
static void judge_read(struct range *r, uintptr_t p, uintptr_t end) {
  const struct dvmrt_access *x = r->ev.access;
  if (r->copied || !words_are(r, p, end, true, valueless)) {
    judge_part(r, p, end, false);
    return;
  }
  uint64_t unit = x->range == 'e' && x->bytes ? x->bytes : end - p;
  for (uintptr_t next; p < end; p = next) {
    next = end - p > unit ? p + unit : end;
    judge_part(r, p, next, !words_are(r, p, next, false, valueless));
  }
}

/* Data of a mapped nest that functions fill: their first assignment by the program is judged, unless the nest has read them before. */
static void judge_write(struct range *r, uintptr_t p, uintptr_t end) {
  const struct dvmrt_var *var;
  struct dvmrt_frame *nest = r->ev.nest;
  if (nest && !r->stored && dvmrt_construct_class(nest, p, &var) == DVMRT_CLASS_FIRST && !words_are(r, p, end, true, read_by_nest)) {
    dvmrt_task_assigned(p, end - p);
    dvmrt_check_filled(p, end - p);
    return;
  }
  judge_part(r, p, end, false);
  if (!nest)
    dvmrt_shadow_fill(p, end - p, DVMRT_W_ASSIGNED);
}

static void judge_data(struct range *r, uintptr_t p, uintptr_t end) {
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

static void judge(struct range *r, uintptr_t p, uint64_t size) {
  uintptr_t end = p + size;
  if (!dvmrt_construct_judges()) {
    if (r->ev.flags & DVMRT_WRITE)
      dvmrt_shadow_fill(p, size, DVMRT_W_ASSIGNED);
    return;
  }
  while (p < end) {
    struct dvmrt_region *region = dvmrt_shadow_region_in(p, end - p);
    uintptr_t until = !region ? end : region->base > p ? region->base : region->end < end ? region->end : end;
    if (region && region->base <= p)
      judge_array(r, (struct dvmrt_array *)region, p, until);
    else
      judge_data(r, p, until);
    p = until;
  }
}

void dvmrt_range_access(uintptr_t p, uint64_t size, struct dvmrt_site *site, uint32_t flags) {
  struct range r;
  init(&r, site, flags);
  judge(&r, p, size);
}

void dvmrt_range_source(uintptr_t p, uint64_t size, struct dvmrt_site *site, uintptr_t dst) {
  struct range r;
  init(&r, site, DVMRT_READ | DVMRT_COPIED);
  r.target = (intptr_t)(dst - p);
  judge(&r, p, size);
}

bool dvmrt_range_target(uintptr_t p, uint64_t size, struct dvmrt_site *site) {
  struct range r;
  init(&r, site, DVMRT_WRITE);
  judge(&r, p, size);
  return !r.astray;
}
