/* Elements of distributed arrays in a range. */
#include "runtime/data/finding.h"
#include "runtime/data/series.h"
#include "runtime/rules/group.h"
#include "runtime/rules/handed.h"
#include "runtime/rules/range_parts.h"
#include "runtime/rules/outdated.h"
#include "runtime/rules/remote.h"
#include "runtime/rules/repeat.h"
#include "runtime/rules/task.h"

static bool has_value(void *arg, const struct dvmrt_unit *u) {
  return !dvmrt_range_words_are(arg, u->p, u->end, false, dvmrt_range_valueless);
}

/* Does the element go to one of the same owner? */
static bool beside(const struct dvmrt_bytes *r, struct dvmrt_array *a, uintptr_t p) {
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

static bool judge_unit_value(void *arg, const struct dvmrt_unit *u) {
  const struct dvmrt_bytes *r = arg;
  if (has_value(arg, u))
    return true;
  struct dvmrt_event one = r->ev;
  one.unit = *u;
  one.flags = DVMRT_READ;
  dvmrt_check_element(&one, (struct dvmrt_array *)dvmrt_shadow_region_in(u->p, 1), u->p, u->end - u->p, true);
  return true;
}

static void judge_element(struct dvmrt_bytes *r, struct dvmrt_array *a, uintptr_t p, uintptr_t end) {
  if (beside(r, a, p))
    return;
  struct dvmrt_event one = r->ev;
  one.copied |= dvmrt_range_needs_values(r);
  dvmrt_check_element(&one, a, p, end - p, r->placed);
  r->astray |= one.lost || one.kept;
  if (dvmrt_range_needs_values(r) && r->ev.access->members)
    dvmrt_members_each(r->ev.access, r->start, p, end, judge_unit_value, r);
  else if (dvmrt_range_needs_values(r))
    judge_unit_value(r, &(struct dvmrt_unit){p, end, NULL, 0, 0});
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

/* Outside of loops they need a value, or get one; who gave it is of no interest.  False: each is to be asked. */
static bool have_values(const struct dvmrt_event *ev, struct dvmrt_array *a, uintptr_t p, uintptr_t end) {
  const struct dvmrt_region *r = &a->region;
  if (ev->nest || ev->class != DVMRT_CLASS_PLAIN)
    return false;
  if (dvmrt_array_has_values(a))
    return true;
  if ((p - r->base | end - p) & (((uintptr_t)1 << r->shift) - 1))
    return false;
  struct dvmrt_series words = {r->words + ((p - r->base) >> r->shift), (end - p) >> r->shift, 1};
  if (ev->flags == DVMRT_WRITE)
    dvmrt_series_mark(&words, DVMRT_W_ASSIGNED, 0);
  return ev->flags == DVMRT_WRITE || dvmrt_series_assigned(&words);
}

/* What becomes of the word; false: something is wrong. */
static bool word_right(const struct dvmrt_event *ev, uint32_t word, bool lenient, uint32_t *becomes) {
  enum dvmrt_verdict v;
  bool born_here = ev->nest && dvmrt_construct_born_here(ev->nest, word);
  *becomes = word;
  if (lenient && word < DVMRT_W_FIRST)
    return true;
  *becomes = dvmrt_check_word(ev->class, word, ev->flags, ev->now, ev->base, born_here, &v);
  return !v;
}

/* Changes the words if nothing is wrong with any. */
static bool words_right(struct dvmrt_event *ev, uintptr_t p, uintptr_t end, bool lenient) {
  struct dvmrt_span s;
  dvmrt_shadow_span(p, end - p, true, &s);
  if (!s.words || s.end < end)
    return false;
  for (int change = 0; change < 2; change++) {
    uint32_t word = s.words[0], becomes;
    if (!word_right(ev, word, lenient, &becomes))
      return false;
    for (uint32_t i = 0; i < s.count; i++) { /* rows were mostly written, or read, as a whole */
      if (s.words[i] != word && !word_right(ev, word = s.words[i], lenient, &becomes))
        return false;
      if (change)
        s.words[i] = becomes;
    }
  }
  return true;
}

/* Padding has none. */
static bool members_have_values(struct dvmrt_bytes *r, uintptr_t p, uintptr_t end) {
  return dvmrt_range_needs_values(r) && r->ev.access->members && dvmrt_members_each(r->ev.access, r->start, p, end, has_value, r);
}

static bool row_right(struct dvmrt_bytes *r, struct dvmrt_array *a, uintptr_t p, uintptr_t end, const int64_t *last) {
  struct dvmrt_event ev = r->ev;
  ev.array = a;
  ev.at = p;
  dvmrt_array_indices(a, p, ev.ix);
  if (dvmrt_group_nvars || a->ordinary || (!r->placed && !dvmrt_check_place_run(&ev, last)))
    return false;
  dvmrt_check_classify(&ev);
  if (!have_values(&ev, a, p, end) && !words_right(&ev, p, end, r->copied) &&
      !(members_have_values(r, p, end) && words_right(&ev, p, end, true)))
    return false;
  if (ev.flags & DVMRT_WRITE)
    dvmrt_construct_written(a, ev.access->site);
  dvmrt_task_access(&ev, p, end - p);
  return true;
}

/* ---- elements that give again what the one before gave --------------------------------------------------------------------------- */

/* Of elements that differ in the last of their subscripts; where that dimension is not divided, each has its own index in it. */
static bool same_place(const struct dvmrt_place *p, const struct dvmrt_place *q, int ndims) {
  bool same = p->kind == q->kind;
  for (int d = 0; d < ndims; d++)
    same &= p->away[d] == q->away[d] && p->has_own[d] == q->has_own[d] && (d == ndims - 1 || p->own[d] == q->own[d]);
  return same;
}

/* The last subscript before which the answer for the place is that of 'ev', up to 'last'.  Of those that are too far in this dimension the
 * last one is left out: between it and the first all widths are. */
static int64_t alike_until(const struct dvmrt_event *ev, const int64_t *last) {
  const struct dvmrt_layout *l = dvmrt_array_layout(ev->array);
  const struct dvmrt_frame *f = ev->nest;
  const int d = ev->array->ndims - 1;
  struct dvmrt_place p, q;
  int64_t own[DVMRT_NDIMS_MAX], here = ev->ix[d];
  bool has_own[DVMRT_NDIMS_MAX];
  if (!f || dvmrt_layout_everywhere(l) || !f->mapped || !f->on || !f->layout.root)
    return last[d] + 1;
  if (f->beyond.any)
    return here + 1;
  dvmrt_layout_place(l, &f->layout, __dvmrt_now.iv, ev->ix, d + 1, &p);
  dvmrt_layout_place(l, &f->layout, __dvmrt_now.iv, last, d + 1, &q);
  if (same_place(&p, &q, d + 1))
    return last[d] + 1;
  if (p.kind != DVMRT_PLACE_NEAR || !dvmrt_check_place_part(ev->array, &p) ||
      !dvmrt_layout_own(l, &f->layout, __dvmrt_now.iv, own, has_own) || !has_own[d])
    return here;
  if (here - own[d] > ev->array->high[d])
    return last[d];
  int64_t edge = own[d] - ev->array->low[d];
  return here >= edge ? here : edge <= last[d] ? edge - 1 : last[d];
}

/* Outside of nests a copy may go to an element of the same owner: that is right. */
static uintptr_t alike_in_copy(const struct dvmrt_bytes *r, struct dvmrt_array *a, uintptr_t p, uintptr_t next, uintptr_t end) {
  bool right = beside(r, a, p);
  while (next < end && beside(r, a, next) == right)
    next = element_end(a, next, end);
  return next;
}

/* Would the word be reported as the one before was, and stay as it is? */
static bool has_none_either(const struct dvmrt_event *ev, uint32_t w, uintptr_t p, const struct dvmrt_finding *f) {
  return f && f->id == DVMRT_ID_UNINITIALIZED && w != DVMRT_W_PRIVATE && ev->class != DVMRT_CLASS_PRIVATE &&
         ev->class != DVMRT_CLASS_FIRST && !dvmrt_handed_wrote(p);
}

/* Changes the words of elements as long as nothing new is wrong with them; the address behind the last.  '*valueless': how many. */
static uintptr_t pass_words(const struct dvmrt_bytes *r, struct dvmrt_event *ev, uintptr_t p, uintptr_t end, const struct dvmrt_finding *f,
                            uint64_t *valueless) {
  const uint64_t bytes = ev->array->element_bytes, granule = (uint64_t)1 << ev->array->region.shift;
  struct dvmrt_span s;
  dvmrt_shadow_span(p, end - p, true, &s);
  if (!s.words || s.end < end || (dvmrt_range_needs_values(r) && bytes != granule))
    return p;
  uint64_t i = 0;
  for (; i < s.count; i++) {
    uint32_t *w = &s.words[i];
    if (*w < DVMRT_W_FIRST && r->copied)
      continue;
    if (*w < DVMRT_W_FIRST && (ev->flags & DVMRT_READ)) {
      if (!has_none_either(ev, *w, p + i * granule, f))
        break;
      ++*valueless;
      continue;
    }
    enum dvmrt_verdict v;
    bool born_here = ev->nest && dvmrt_construct_born_here(ev->nest, *w);
    uint32_t new = dvmrt_check_word(ev->class, *w, ev->flags, ev->now, ev->base, born_here, &v);
    if (v)
      break;
    *w = new;
  }
  return i == s.count ? end : p + i * granule / bytes * bytes;
}

/* What was wrong with the first is its place, which these share; what its word said is its own. */
static uint64_t how_many_more(const struct dvmrt_finding *f, uint64_t elements, uint64_t valueless) {
  switch (f->id) {
  case DVMRT_ID_UNINITIALIZED: return valueless;
  case DVMRT_ID_LOOP_DEPENDENCE:
  case DVMRT_ID_TASK_DEPENDENCE:
  case DVMRT_ID_ACROSS_DISTANCE:
  case DVMRT_ID_READONLY_WRITE:
  case DVMRT_ID_UNDECLARED_PRIVATE: return 0;
  default: return elements;
  }
}

/* The element at 'p' has just been judged.  Behind those up to 'end' that give the same, which are counted. */
static uintptr_t pass_over(struct dvmrt_bytes *r, struct dvmrt_array *a, uintptr_t p, uintptr_t end, const int64_t *last, uint64_t hits) {
  const struct dvmrt_access *x = r->ev.access;
  const uintptr_t next = element_end(a, p, end);
  struct dvmrt_event ev = r->ev;
  bool none;
  struct dvmrt_finding *f = dvmrt_range_finding(hits, &none);
  ev.array = a;
  ev.at = p;
  dvmrt_array_indices(a, p, ev.ix);
  if (!dvmrt_repeat_wanted || (!f && !none) || dvmrt_remote_holds(a, NULL, NULL) || dvmrt_group_nvars || a->ordinary || x->varies ||
      x->buffered || (ev.nest && dvmrt_construct_clause(ev.nest, DVMRT_DIRECTIVE_ACROSS, a)))
    return next;
  int64_t more = (r->placed ? last[a->ndims - 1] + 1 : alike_until(&ev, last)) - ev.ix[a->ndims - 1] - 1;
  if (more <= 0)
    return next;
  uintptr_t until = next + (uint64_t)more * a->element_bytes;
  until = until < end ? until : end;
  if (!ev.nest && r->target)
    until = alike_in_copy(r, a, p, next, until);
  if (!ev.nest && r->target && beside(r, a, p))
    return until;
  dvmrt_check_classify(&ev);
  uint64_t valueless = 0;
  uintptr_t behind = pass_words(r, &ev, next, until, f, &valueless);
  uint64_t elements = (behind - next + a->element_bytes - 1) / a->element_bytes;
  if (f)
    dvmrt_finding_more(f, how_many_more(f, elements, valueless));
  if (elements && (ev.flags & DVMRT_WRITE))
    dvmrt_construct_written(a, x->site);
  if (elements)
    dvmrt_task_access(&ev, next, behind - next);
  return behind;
}

void dvmrt_range_array(struct dvmrt_bytes *r, struct dvmrt_array *a, uintptr_t p, uintptr_t end) {
  int64_t last[DVMRT_NDIMS_MAX];
  if ((r->ev.flags & DVMRT_WRITE) && !r->ev.nest && dvmrt_outdated_concerns(a))
    dvmrt_outdated_filled(a, p, end);
  for (uintptr_t row; p < end; p = row) {
    row = row_end(a, p, end, last);
    if (row_right(r, a, p, row, last))
      continue;
    for (uintptr_t next; p < row; p = next) {
      uint64_t hits = dvmrt_finding_hits();
      next = element_end(a, p, row);
      judge_element(r, a, p, next);
      if (next < row)
        next = pass_over(r, a, p, row, last, hits);
    }
  }
}
