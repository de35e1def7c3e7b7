#include "runtime/parallel/set.h"
#include "runtime/parallel/fail.h"
#include <stdlib.h>
#include <string.h>

struct dvmp_chunk {
  struct dvmp_chunk *before;
  size_t used, size;
  char bytes[] __attribute__((aligned(16)));
};

void *dvmp_arena_get(struct dvmp_arena *m, size_t size) {
  struct dvmp_chunk *c = m->last;
  size = (size + 15) & ~(size_t)15;
  if (!c || c->size - c->used < size) {
    size_t room = size > 4000 ? size : 4000;
    c = calloc(1, sizeof(*c) + room);
    if (!c)
      dvmp_out_of_memory();
    c->size = room;
    c->before = m->last;
    m->last = c;
  }
  void *p = c->bytes + c->used;
  c->used += size;
  return p;
}

void dvmp_arena_free(struct dvmp_arena *m) {
  while (m->last) {
    struct dvmp_chunk *c = m->last;
    m->last = c->before;
    free(c);
  }
}

/* ---- lists -------------------------------------------------------------------------------------------------------------------- */

static struct dvmp_span *spans(struct dvmp_arena *m, int n) { return dvmp_arena_get(m, (size_t)(n ? n : 1) * sizeof(struct dvmp_span)); }

struct dvmp_list dvmp_list_of(struct dvmp_arena *m, int64_t low, int64_t high) {
  if (low > high)
    return (struct dvmp_list){0, NULL};
  struct dvmp_span *s = spans(m, 1);
  *s = (struct dvmp_span){low, high};
  return (struct dvmp_list){1, s};
}

struct dvmp_list dvmp_list_meet(struct dvmp_arena *m, struct dvmp_list a, struct dvmp_list b) {
  struct dvmp_span *s = spans(m, a.n + b.n);
  int n = 0;
  for (int i = 0, k = 0; i < a.n && k < b.n;) {
    int64_t low = a.at[i].low > b.at[k].low ? a.at[i].low : b.at[k].low;
    int64_t high = a.at[i].high < b.at[k].high ? a.at[i].high : b.at[k].high;
    if (low <= high)
      s[n++] = (struct dvmp_span){low, high};
    if (a.at[i].high < b.at[k].high)
      i++;
    else
      k++;
  }
  return (struct dvmp_list){n, s};
}

struct dvmp_list dvmp_list_minus(struct dvmp_arena *m, struct dvmp_list a, struct dvmp_list b) {
  struct dvmp_span *s = spans(m, a.n + b.n);
  int n = 0;
  for (int i = 0, k = 0; i < a.n; i++) {
    int64_t low = a.at[i].low;
    while (k < b.n && b.at[k].high < low)
      k++;
    for (int j = k; j < b.n && b.at[j].low <= a.at[i].high; j++) {
      if (b.at[j].low > low)
        s[n++] = (struct dvmp_span){low, b.at[j].low - 1};
      low = b.at[j].high + 1;
    }
    if (low <= a.at[i].high)
      s[n++] = (struct dvmp_span){low, a.at[i].high};
  }
  return (struct dvmp_list){n, s};
}

struct dvmp_list dvmp_list_copy(struct dvmp_arena *m, struct dvmp_list a) { return dvmp_list_shift(m, a, 0); }

struct dvmp_list dvmp_list_join(struct dvmp_arena *m, struct dvmp_list a, struct dvmp_list b) {
  struct dvmp_span *s = spans(m, a.n + b.n);
  int n = 0;
  for (int i = 0, k = 0; i < a.n || k < b.n;) {
    struct dvmp_span x = k == b.n || (i < a.n && a.at[i].low <= b.at[k].low) ? a.at[i++] : b.at[k++];
    if (n && x.low <= s[n - 1].high + 1)
      s[n - 1].high = x.high > s[n - 1].high ? x.high : s[n - 1].high;
    else
      s[n++] = x;
  }
  return (struct dvmp_list){n, s};
}

struct dvmp_list dvmp_list_shift(struct dvmp_arena *m, struct dvmp_list a, int64_t by) {
  struct dvmp_span *s = spans(m, a.n);
  for (int i = 0; i < a.n; i++)
    s[i] = (struct dvmp_span){a.at[i].low + by, a.at[i].high + by};
  return (struct dvmp_list){a.n, s};
}

struct dvmp_list dvmp_list_widen(struct dvmp_arena *m, struct dvmp_list a, int64_t low, int64_t high, int64_t extent) {
  struct dvmp_span *s = spans(m, a.n);
  int n = 0;
  for (int i = 0; i < a.n; i++) {
    struct dvmp_span w = {a.at[i].low - low, a.at[i].high + high};
    w.low = w.low < 0 ? 0 : w.low;
    w.high = w.high >= extent ? extent - 1 : w.high;
    if (n && w.low <= s[n - 1].high + 1)
      s[n - 1].high = w.high > s[n - 1].high ? w.high : s[n - 1].high;
    else if (w.low <= w.high)
      s[n++] = w;
  }
  return (struct dvmp_list){n, s};
}

static int64_t divide_down(int64_t a, int64_t b) { return a / b - (a % b && (a < 0) != (b < 0)); }
static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b && (a < 0) == (b < 0)); }

/* All x of span 'i', of those in order of x; without any: high is low - 1, and x from 'low' on lie behind it. */
static struct dvmp_span before(struct dvmp_list a, int i, int64_t coef, int64_t add) {
  struct dvmp_span y = a.at[coef > 0 ? i : a.n - 1 - i];
  int64_t from = coef > 0 ? y.low : y.high, to = coef > 0 ? y.high : y.low;
  return (struct dvmp_span){divide_up(from - add, coef), divide_down(to - add, coef)};
}

struct dvmp_list dvmp_list_before(struct dvmp_arena *m, struct dvmp_list a, int64_t coef, int64_t add) {
  struct dvmp_span *s = spans(m, a.n);
  int n = 0;
  for (int i = 0; i < a.n; i++) {
    struct dvmp_span x = before(a, i, coef, add);
    if (x.low <= x.high)
      s[n++] = x;
  }
  return (struct dvmp_list){n, s};
}

/* 'x' is empty: does it lie between two elements, of which one may be missing at an end of the places? */
static bool is_between(struct dvmp_span x, int64_t coef, int64_t add, int64_t extent, int64_t points) {
  bool any = false;
  for (int64_t i = x.low - 1; i <= x.low; i++) {
    int64_t at = coef * i + add;
    if (at < 0 || at >= points)
      continue;
    if (i < 0 || i >= extent)
      return false;
    any = true;
  }
  return any && (coef == 2 || coef == -2);
}

struct dvmp_list dvmp_list_around(struct dvmp_arena *m, struct dvmp_list a, int64_t coef, int64_t add, int64_t low, int64_t high,
                                  int64_t extent, int64_t points) {
  struct dvmp_span *s = spans(m, a.n);
  int n = 0;
  for (int i = 0; i < a.n; i++) {
    struct dvmp_span x = before(a, i, coef, add);
    if (x.low > x.high && !is_between(x, coef, add, extent, points))
      continue;
    if (x.low <= x.high) {
      x.low = x.low < 0 ? 0 : x.low;
      x.high = x.high < extent ? x.high : extent - 1;
      if (x.low > x.high)
        continue;
    }
    if (x.low - low <= x.high + high)
      s[n++] = (struct dvmp_span){x.low - low, x.high + high};
  }
  /* Joined where they meet, and cut. */
  return dvmp_list_widen(m, (struct dvmp_list){n, s}, 0, 0, extent);
}

struct dvmp_list dvmp_list_after(struct dvmp_arena *m, struct dvmp_list a, int64_t coef, int64_t add) {
  if (!a.n)
    return a;
  int64_t first = coef * a.at[0].low + add, last = coef * a.at[a.n - 1].high + add;
  return dvmp_list_of(m, first < last ? first : last, first < last ? last : first);
}

int64_t dvmp_list_count(struct dvmp_list a) {
  int64_t n = 0;
  for (int i = 0; i < a.n; i++)
    n += a.at[i].high - a.at[i].low + 1;
  return n;
}

int dvmp_list_at(struct dvmp_list a, int64_t x) {
  int low = 0, high = a.n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (a.at[middle].high < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool dvmp_list_has(struct dvmp_list a, int64_t x) {
  int i = dvmp_list_at(a, x);
  return i < a.n && a.at[i].low <= x;
}

/* ---- sets --------------------------------------------------------------------------------------------------------------------- */

struct dvmp_set dvmp_set_meet(struct dvmp_arena *m, const struct dvmp_set *a, const struct dvmp_set *b) {
  struct dvmp_set s = {.ndims = a->ndims};
  for (int d = 0; d < a->ndims; d++)
    s.dim[d] = dvmp_list_meet(m, a->dim[d], b->dim[d]);
  return s;
}

bool dvmp_set_empty(const struct dvmp_set *s) {
  for (int d = 0; d < s->ndims; d++)
    if (!s->dim[d].n)
      return true;
  return false;
}

int64_t dvmp_set_count(const struct dvmp_set *s) {
  int64_t n = 1;
  for (int d = 0; d < s->ndims; d++)
    n *= dvmp_list_count(s->dim[d]);
  return n;
}

struct dvmp_set dvmp_set_copy(struct dvmp_arena *m, const struct dvmp_set *s) {
  struct dvmp_set c = {.ndims = s->ndims};
  for (int d = 0; d < s->ndims; d++)
    c.dim[d] = dvmp_list_shift(m, s->dim[d], 0);
  return c;
}

struct walk {
  const struct dvmp_set *s;
  const int64_t *stride;
  int last; /* the dimension whose spans are runs; all behind it are whole */
  dvmp_line_f *f;
  void *arg;
};

static void walk_dim(const struct walk *w, int d, int64_t offset) {
  struct dvmp_list l = w->s->dim[d], inner = d < w->last ? w->s->dim[d + 1] : l;
  for (int i = 0; i < l.n; i++) {
    int64_t n = l.at[i].high - l.at[i].low + 1, from = offset + l.at[i].low * w->stride[d];
    if (d == w->last)
      w->f(w->arg, from, n * w->stride[d], 0, 1);
    else if (d + 1 == w->last && inner.n == 1)
      w->f(w->arg, from + inner.at[0].low * w->stride[d + 1], (inner.at[0].high - inner.at[0].low + 1) * w->stride[d + 1], w->stride[d], n);
    else
      for (int64_t x = 0; x < n; x++)
        walk_dim(w, d + 1, from + x * w->stride[d]);
  }
}

/* The last dimension whose spans are runs: all behind it are whole. */
static int last_cut(const struct dvmp_set *s, const int64_t *extent) {
  int last = s->ndims - 1;
  while (last > 0 && s->dim[last].n == 1 && s->dim[last].at[0].low == 0 && s->dim[last].at[0].high == extent[last] - 1)
    last--;
  return last;
}

void dvmp_set_lines(const struct dvmp_set *s, const int64_t *stride, const int64_t *extent, dvmp_line_f *f, void *arg) {
  struct walk w = {s, stride, last_cut(s, extent), f, arg};
  if (!dvmp_set_empty(s))
    walk_dim(&w, 0, 0);
}

struct each_run {
  dvmp_run_f *f;
  void *arg;
};

static void runs_of_line(void *arg, int64_t offset, int64_t count, int64_t step, int64_t n) {
  const struct each_run *e = arg;
  for (int64_t i = 0; i < n; i++)
    e->f(e->arg, offset + i * step, count);
}

void dvmp_set_runs(const struct dvmp_set *s, const int64_t *stride, const int64_t *extent, dvmp_run_f *f, void *arg) {
  struct each_run e = {f, arg};
  dvmp_set_lines(s, stride, extent, runs_of_line, &e);
}

struct within {
  const struct dvmp_set *s;
  const int64_t *stride;
  int last;
  int64_t from, to;
  const struct each_run *e;
};

/* From where no element of the spans before it is in reach. */
static int first_span(struct dvmp_list l, int64_t x) {
  int from = 0, to = l.n;
  while (from < to) {
    int i = (from + to) / 2;
    if (l.at[i].high < x)
      from = i + 1;
    else
      to = i;
  }
  return from;
}

static void walk_within(const struct within *w, int d, int64_t offset) {
  const struct dvmp_list l = w->s->dim[d];
  const int64_t stride = w->stride[d], low = w->from > offset ? (w->from - offset) / stride : 0, high = (w->to - 1 - offset) / stride;
  for (int i = first_span(l, low); i < l.n && l.at[i].low <= high; i++) {
    int64_t x = l.at[i].low > low ? l.at[i].low : low, end = l.at[i].high < high ? l.at[i].high : high;
    if (d == w->last) {
      int64_t from = offset + x * stride, to = offset + (end + 1) * stride;
      from = from > w->from ? from : w->from;
      to = to < w->to ? to : w->to;
      w->e->f(w->e->arg, from, to - from);
    } else {
      for (; x <= end; x++)
        walk_within(w, d + 1, offset + x * stride);
    }
  }
}

void dvmp_set_runs_within(const struct dvmp_set *s, const int64_t *stride, const int64_t *extent, int64_t from, int64_t to, dvmp_run_f *f,
                          void *arg) {
  const struct each_run e = {f, arg};
  const struct within w = {s, stride, last_cut(s, extent), from, to, &e};
  if (from < to && !dvmp_set_empty(s))
    walk_within(&w, 0, 0);
}
