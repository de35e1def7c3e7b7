/* What is usual is looked for several words at a time; all else, a word at a time. */
#include "runtime/data/series.h"

/* Below 2^31 a word is a number with a sign: differences tell by theirs what is smaller, which the processor can do for several words
 * at once.  Words from 2^31 on (DVMRT_W_FILLED) are found with those that are wrong. */
typedef uint32_t words4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint32_t words8 __attribute__((vector_size(32), aligned(4), may_alias));

struct findings {
  uint32_t a, b;
};

/* Lanes that hold words of the series: all, or each other one. */
#define FOLD4(x) (step == 1 ? x[0] | x[1] | x[2] | x[3] : x[0] | x[2])
#define FOLD8(x) (step == 1 ? x[0] | x[1] | x[2] | x[3] | x[4] | x[5] | x[6] | x[7] : x[0] | x[2] | x[4] | x[6])

/* NAME(w, span, step, a, b): A and B of the words x, or-ed.  'w': the lowest word; the last one is w[span - 1]. */
#define SCAN_FORM(NAME, WORDS, LANES, FOLD, A, B)                                                                                          \
  static struct findings NAME(const uint32_t *w, size_t span, size_t step, uint32_t a, uint32_t b) {                                       \
    struct findings found = {0, 0};                                                                                                        \
    size_t i = 0;                                                                                                                          \
    if (step <= 2) {                                                                                                                       \
      WORDS any = {0}, other = {0};                                                                                                        \
      for (; i + LANES <= span; i += LANES) {                                                                                              \
        WORDS x = *(const WORDS *)(w + i);                                                                                                 \
        any |= (A);                                                                                                                        \
        other |= (B);                                                                                                                      \
      }                                                                                                                                    \
      found.a = FOLD(any);                                                                                                                 \
      found.b = FOLD(other);                                                                                                               \
    }                                                                                                                                      \
    for (; i < span; i += step) {                                                                                                          \
      uint32_t x = w[i];                                                                                                                   \
      found.a |= (A);                                                                                                                      \
      found.b |= (B);                                                                                                                      \
    }                                                                                                                                      \
    (void)b;                                                                                                                               \
    return found;                                                                                                                          \
  }

#ifdef __x86_64__
/* 1: the processor compares eight words at a time; -1: it has not been asked. */
static int wide = -1;
static bool is_wide(void) {
  if (wide < 0) {
    __builtin_cpu_init();
    wide = __builtin_cpu_supports("avx2") != 0;
  }
  return wide;
}
#define SCAN_FORMS(NAME, A, B)                                                                                                             \
  __attribute__((target("avx2"))) SCAN_FORM(NAME##_wide, words8, 8, FOLD8, A, B) SCAN_FORM(NAME##_narrow, words4, 4, FOLD4, A, B)
#define CHOOSE(NAME) (is_wide() ? NAME##_wide : NAME##_narrow)
#else
#define SCAN_FORMS(NAME, A, B) SCAN_FORM(NAME##_narrow, words4, 4, FOLD4, A, B)
#define CHOOSE(NAME) NAME##_narrow
#endif

/* The same of a series: which of the turns is the first does not matter. */
#define SCAN(NAME, A, B)                                                                                                                   \
  SCAN_FORMS(NAME, A, B)                                                                                                                   \
  static struct findings NAME(const struct dvmrt_series *s, uint32_t a, uint32_t b) {                                                      \
    size_t step = s->count == 1 ? 1 : (size_t)(s->step < 0 ? -s->step : s->step);                                                          \
    const uint32_t *w = s->step < 0 ? s->words + s->step * (ptrdiff_t)(s->count - 1) : s->words;                                           \
    return CHOOSE(NAME)(w, (s->count - 1) * step + 1, step, a, b);                                                                         \
  }
SCAN(differences, x ^ a, 0)
SCAN(signs_below, x | (x - a), 0)
SCAN(signs_outside, (x - a) | (b - x), 0) /* one of them has it, also for words from 2^31 on */
SCAN(signs_untouched_or_odd, x | (x - a) | (x << 31), 0)
/* No value, or written: odd, and not below 'a'.  And: below 'a'. */
SCAN(signs_unreadable, x | (x - DVMRT_W_FIRST) | (~(x - a) & (x << 31)), x - a)

bool dvmrt_series_is(const struct dvmrt_series *s, uint32_t word) { return !differences(s, word, 0).a; }

bool dvmrt_series_between(const struct dvmrt_series *s, uint32_t low, uint32_t high) { return !(signs_outside(s, low, high - 1).a >> 31); }

static bool any_below(const struct dvmrt_series *s, uint32_t least) { return signs_below(s, least, 0).a >> 31; }

bool dvmrt_series_assigned(const struct dvmrt_series *s) {
  if (!any_below(s, DVMRT_W_FIRST))
    return true;
  for (size_t i = 0; i < s->count; i++)
    if (s->words[(ptrdiff_t)i * s->step] < DVMRT_W_FIRST)
      return false;
  return true;
}

static bool readable_one_by_one(const struct dvmrt_series *s, const struct dvmrt_limits *l, uint32_t now) {
  for (size_t i = 0; i < s->count; i++) {
    uint32_t w = s->words[(ptrdiff_t)i * s->step];
    if (w < DVMRT_W_FIRST || (w >= l->first_read && (w & l->mask) && w != now))
      return false;
  }
  return true;
}

bool dvmrt_series_readable(const struct dvmrt_series *s, const struct dvmrt_limits *l, uint32_t now, enum dvmrt_freshness *fresh) {
  if (!l->mask || l->mask > 1) {
    *fresh = l->mask ? DVMRT_SOME_FRESH : DVMRT_NONE_FRESH;
    return l->mask ? readable_one_by_one(s, l, now) : dvmrt_series_assigned(s);
  }
  if (*fresh == DVMRT_ALL_FRESH && dvmrt_series_between(s, DVMRT_W_FIRST, l->first_read))
    return true;
  if (*fresh == DVMRT_NONE_FRESH && !(signs_untouched_or_odd(s, l->first_read, 0).a >> 31))
    return true;
  struct findings f = signs_unreadable(s, l->first_read, 0);
  *fresh = f.b >> 31 ? DVMRT_SOME_FRESH : DVMRT_NONE_FRESH;
  return !(f.a >> 31) || readable_one_by_one(s, l, now);
}

bool dvmrt_series_writable(const struct dvmrt_series *s, const struct dvmrt_limits *l, uint32_t now) {
  uint32_t least = l->first_write, read_by = least ? now & ~1u : now;
  if (least == UINT32_MAX || (least && dvmrt_series_between(s, 0, least)))
    return true;
  for (size_t i = 0; now && i < s->count; i++) {
    uint32_t w = s->words[(ptrdiff_t)i * s->step];
    if (w >= least && w != now && w != read_by)
      return false;
  }
  return now;
}

void dvmrt_series_mark_read(const struct dvmrt_series *s, uint32_t first_read, uint32_t mark, uint32_t advance) {
  enum { SOME = 128 };
  for (size_t i = 0, end; i < s->count; i = end) {
    end = i + SOME < s->count ? i + SOME : s->count;
    struct dvmrt_series part = {s->words + (ptrdiff_t)i * s->step, end - i, s->step};
    if (!any_below(&part, first_read))
      continue;
    for (size_t k = i; k < end; k++) {
      uint32_t *w = &s->words[(ptrdiff_t)k * s->step];
      if (*w < first_read)
        *w = mark + (uint32_t)k * advance;
    }
  }
}

void dvmrt_series_mark(const struct dvmrt_series *s, uint32_t mark, uint32_t advance) {
  uint32_t *w = s->words;
  if (s->step == 1) /* the compiler makes vectors of it */
    for (size_t i = 0; i < s->count; i++, mark += advance)
      w[i] = mark;
  else
    for (size_t i = 0; i < s->count; i++, mark += advance)
      w[(ptrdiff_t)i * s->step] = mark;
}

size_t dvmrt_series_valueless(const struct dvmrt_series *s) {
  size_t n = 0;
  for (size_t i = 0; i < s->count; i++)
    n += s->words[(ptrdiff_t)i * s->step] < DVMRT_W_FIRST;
  return n;
}
