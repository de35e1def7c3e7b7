#include "runtime/rules/section.h"
#include "runtime/rules/check.h"
#include "runtime/rules/range.h"
#include "runtime/rules/region.h"

/* An assignment of arrays in the sequential part reads, element by element, what goes to the element at the same place of its target:
 * the reads wait for that. */
enum { WAITING_MAX = 32 };
static struct dvmrt_elements waiting[WAITING_MAX];
uint32_t dvmrt_section_nwaiting;

bool dvmrt_section_bounds(const struct dvmrt_elements *s, uintptr_t *low, uint64_t *size) {
  uintptr_t high = s->first;
  *low = s->first;
  for (uint32_t d = 0; d < s->n; d++) {
    if (s->extent[d] <= 0)
      return false;
    uintptr_t way = (uintptr_t)((s->extent[d] - 1) * s->stride[d]);
    if (s->stride[d] < 0)
      *low += way;
    else
      high += way;
  }
  *size = high - *low + s->bytes;
  return true;
}

/* ---- plain --------------------------------------------------------------------------------------------------------------------- */

/* Dimensions that continue each other are one. */
static void join(struct dvmrt_elements *s) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < s->n; d++) {
    if (s->extent[d] == 1)
      continue;
    if (n && s->stride[d] == s->stride[n - 1] * s->extent[n - 1]) {
      s->extent[n - 1] *= s->extent[d];
    } else {
      s->extent[n] = s->extent[d];
      s->stride[n++] = s->stride[d];
    }
  }
  s->n = n;
}

static bool next(const struct dvmrt_elements *s, uint32_t from, int64_t *at, uintptr_t *p) {
  for (uint32_t d = from; d < s->n; d++) {
    *p += (uintptr_t)s->stride[d];
    if (++at[d] < s->extent[d])
      return true;
    *p -= (uintptr_t)(s->stride[d] * s->extent[d]);
    at[d] = 0;
  }
  return false;
}

static void judge(const struct dvmrt_elements *whole) {
  struct dvmrt_elements s = *whole;
  join(&s);
  const bool runs = s.n && s.stride[0] == (int64_t)s.bytes;
  uint64_t size = runs ? s.bytes * (uint64_t)s.extent[0] : s.bytes;
  int64_t at[DVMRT_NDIMS_MAX] = {0};
  uintptr_t p = s.first;
  do
    dvmrt_range_access(p, size, s.site, s.flags);
  while (next(&s, runs, at, &p));
}

/* For an element that is known: what one of the section has to say is not what the next one has. */
static void judge_for_target(const struct dvmrt_elements *s) {
  int64_t at[DVMRT_NDIMS_MAX] = {0};
  uintptr_t p = s->first;
  do
    dvmrt_range_access(p, s->bytes, s->site, s->flags);
  while (next(s, 0, at, &p));
}

/* ---- in pairs ------------------------------------------------------------------------------------------------------------------ */

struct walk {
  struct dvmrt_elements *s;
  uintptr_t p;
  int64_t at[DVMRT_NDIMS_MAX];
};

static int64_t count(const struct dvmrt_elements *s) {
  int64_t n = 1;
  for (uint32_t d = 0; d < s->n; d++)
    n *= s->extent[d];
  return n;
}

static struct dvmrt_array *array_at(uintptr_t p) { return (struct dvmrt_array *)dvmrt_shadow_region_in(p, 1); }

/* Elements of the two walks from here on, along the innermost dimension: have the owners of the targets what is read? */
static int beside_along(const struct walk *from, const struct walk *to, int64_t n) {
  const uintptr_t ends[2][2] = {{from->p, from->p + (uintptr_t)((n - 1) * from->s->stride[0])},
                                {to->p, to->p + (uintptr_t)((n - 1) * to->s->stride[0])}};
  struct dvmrt_array *a = array_at(ends[0][0]), *b = array_at(ends[1][0]);
  int64_t ix[2][2][DVMRT_NDIMS_MAX];
  if (a != array_at(ends[0][1]) || b != array_at(ends[1][1]))
    return -1;
  if (!a)
    return 1;
  if (!b)
    return dvmrt_layout_everywhere(dvmrt_array_layout(a));
  for (int end = 0; end < 2; end++) {
    dvmrt_array_indices(a, ends[0][end], ix[0][end]);
    dvmrt_array_indices(b, ends[1][end], ix[1][end]);
  }
  if (n == 1)
    return dvmrt_layout_beside(dvmrt_array_layout(a), ix[0][0], dvmrt_array_layout(b), ix[1][0]);
  return dvmrt_layout_beside_along(dvmrt_array_layout(a), ix[0], dvmrt_array_layout(b), ix[1]);
}

static void access_run(const struct walk *w, int64_t n, uint32_t flags) {
  if (w->s->stride[0] == (int64_t)w->s->bytes) {
    dvmrt_range_access(w->p, w->s->bytes * (uint64_t)n, w->s->site, w->s->flags | flags);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    dvmrt_range_access(w->p + (uintptr_t)(i * w->s->stride[0]), w->s->bytes, w->s->site, w->s->flags | flags);
}

static void read_run(struct walk from, struct walk to, int64_t n) {
  if (beside_along(&from, &to, n) == 1) {
    access_run(&from, n, DVMRT_PLACED);
    return;
  }
  for (int64_t k = 0; k < n; k++) {
    access_run(&from, 1, beside_along(&from, &to, 1) == 1 ? DVMRT_PLACED : 0);
    dvmrt_check_close_waiting_of(dvmrt_site_access(from.s->site));
    from.p += (uintptr_t)from.s->stride[0];
    to.p += (uintptr_t)to.s->stride[0];
  }
}

/* 'n' elements of all of them, which no walk leaves its innermost dimension with.  The last walk is the target: it is assigned when all
 * has been read. */
static void judge_run(struct walk *w, uint32_t nwalks, int64_t n) {
  for (uint32_t i = 0; i + 1 < nwalks; i++)
    read_run(w[i], w[nwalks - 1], n);
  access_run(&w[nwalks - 1], n, 0);
}

/* False: it was the last one. */
static bool advance(struct walk *w, int64_t n) {
  w->at[0] += n;
  w->p += (uintptr_t)(n * w->s->stride[0]);
  if (w->at[0] < w->s->extent[0])
    return true;
  w->p -= (uintptr_t)(w->s->extent[0] * w->s->stride[0]);
  w->at[0] = 0;
  return next(w->s, 1, w->at, &w->p);
}

static void judge_pairs(struct dvmrt_elements *target) {
  struct walk w[WAITING_MAX + 1] = {{0}};
  uint32_t nwalks = 0;
  for (uint32_t i = 0; i < dvmrt_section_nwaiting; i++)
    if (count(&waiting[i]) == count(target))
      w[nwalks++] = (struct walk){.s = &waiting[i], .p = waiting[i].first};
    else
      judge(&waiting[i]);
  w[nwalks++] = (struct walk){.s = target, .p = target->first};
  for (bool more = true; more;) {
    int64_t n = INT64_MAX;
    for (uint32_t i = 0; i < nwalks; i++) {
      int64_t left = w[i].s->extent[0] - w[i].at[0];
      n = left < n ? left : n;
    }
    judge_run(w, nwalks, n);
    for (uint32_t i = 0; i < nwalks; i++)
      more &= advance(&w[i], n);
  }
  dvmrt_section_nwaiting = 0;
}

/* What they waited for does not come: everybody needed the values. */
void dvmrt_section_close(void) {
  uint32_t n = dvmrt_section_nwaiting;
  dvmrt_section_nwaiting = 0;
  for (uint32_t i = 0; i < n; i++)
    judge(&waiting[i]);
  dvmrt_check_close_waiting();
}

/* ---- regions ------------------------------------------------------------------------------------------------------------------- */

static void touch_run(const struct dvmrt_elements *s, uintptr_t p, int64_t n, bool printed) {
  if (printed && !(s->flags & DVMRT_WRITE)) {
    dvmrt_region_reads(p, s->bytes * (uint64_t)n, s->site, true);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    dvmrt_region_touch(p + (uint64_t)i * s->bytes, s->bytes, s->site, NULL, s->flags);
}

static void touch_regions(const struct dvmrt_elements *whole, bool printed) {
  struct dvmrt_elements s = *whole;
  join(&s);
  const bool runs = s.n && s.stride[0] == (int64_t)s.bytes;
  int64_t at[DVMRT_NDIMS_MAX] = {0};
  uintptr_t p = s.first;
  do
    touch_run(&s, p, runs ? s.extent[0] : 1, printed);
  while (next(&s, runs, at, &p));
}

void dvmrt_section_access(struct dvmrt_elements *s) {
  struct dvmrt_event ev;
  uintptr_t low;
  uint64_t size;
  dvmrt_check_event(&ev, s->site, NULL, s->flags);
  const struct dvmrt_access *x = ev.access, *first = dvmrt_section_nwaiting ? dvmrt_site_access(waiting[0].site) : NULL;
  const bool belongs = first && dvmrt_site_same_expression(first, x) && (x->role == 'r' || x->role == 'l');
  if (dvmrt_section_nwaiting && (ev.nest || !belongs))
    dvmrt_section_close();
  if (!dvmrt_section_bounds(s, &low, &size))
    return;
  if (DVMRT_UNLIKELY(dvmrt_held_count) && !dvmrt_region_quiet(low, size, s->flags))
    touch_regions(s, dvmrt_site_printed(x));
  if (!ev.nest && x->role == 'r' && dvmrt_check_has_target(x)) {
    judge_for_target(s);
    return;
  }
  if (!ev.nest && x->role == 'r' && dvmrt_section_nwaiting < WAITING_MAX && dvmrt_shadow_region_in(low, size)) {
    waiting[dvmrt_section_nwaiting++] = *s;
    return;
  }
  if (dvmrt_section_nwaiting && x->role == 'l' && dvmrt_shadow_region_in(low, size))
    judge_pairs(s);
  else if (dvmrt_section_nwaiting && x->role == 'l') {
    dvmrt_section_close();
    judge(s);
  } else {
    judge(s);
  }
}
