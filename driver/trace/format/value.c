#include "driver/trace/format/value.h"
#include "runtime/trace/text.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dvmt_type dvmt_type_of(const char *text) {
  struct dvmt_type t = {'o', 0, 0};
  struct dvmt_span y = dvmt_text_line(text, DVMRT_TRACE_VALUE);
  if (!y.s || y.n < 2)
    return t;
  int64_t bytes = dvmt_span_number((struct dvmt_span){y.s + 1, y.n - 1}, 0);
  if (bytes < 1 || bytes > 32 || !strchr("fqiubpcw", y.s[0]))
    return t;
  t = (struct dvmt_type){y.s[0], (uint8_t)bytes, 0};
  if (t.kind == 'f' || t.kind == 'c')
    t.part_bytes = (uint8_t)(t.kind == 'c' ? bytes / 2 : bytes);
  return t;
}

const char *dvmt_type_name(struct dvmt_type t, char *buf, size_t size) {
  const char *real = t.part_bytes == 2 ? "_Float16" : t.part_bytes == 4 ? "float" : t.part_bytes == 8 ? "double" : "long double";
  switch (t.kind) {
  case 'f': snprintf(buf, size, "%s", real); break;
  case 'c': snprintf(buf, size, "%s complex", real); break;
  case 'q': snprintf(buf, size, "_Float128"); break;
  case 'b': snprintf(buf, size, "bool"); break;
  case 'p': snprintf(buf, size, "pointer"); break;
  case 'w': snprintf(buf, size, "%d bytes of unknown type", t.bytes); break;
  case 'i':
  case 'u': snprintf(buf, size, "%s%d-bit integer", t.kind == 'u' ? "unsigned " : "", 8 * t.bytes); break;
  default: snprintf(buf, size, "%d bytes", t.bytes);
  }
  return buf;
}

/* ---- parts ----------------------------------------------------------------------------------------------------------------- */

static unsigned parts_of(struct dvmt_type t) { return t.kind == 'c' ? 2 : 1; }

static double half(uint16_t h) {
  int exponent = h >> 10 & 31, fraction = h & 1023;
  double v = exponent == 31 ? (fraction ? NAN : INFINITY) : ldexp(exponent ? 1024 + fraction : fraction, (exponent ? exponent : 1) - 25);
  return h & 0x8000 ? -v : v;
}

/* Part number 'part' of a floating value. */
static long double part_of(struct dvmt_type t, const uint64_t *words, unsigned part) {
  const char *at = (const char *)words + part * t.part_bytes;
  float f;
  double d;
  long double l;
  uint16_t h;
  switch (t.part_bytes) {
  case 2: memcpy(&h, at, 2); return half(h);
  case 4: memcpy(&f, at, 4); return f;
  case 8: memcpy(&d, at, 8); return d;
  default:
    l = 0;
    memcpy(&l, at, 10);
    return l;
  }
}

static int digits_of(struct dvmt_type t) {
  return t.part_bytes == 2 ? 5 : t.part_bytes == 4 ? FLT_DECIMAL_DIG : t.part_bytes == 8 ? DBL_DECIMAL_DIG : LDBL_DECIMAL_DIG;
}
static long double epsilon_of(struct dvmt_type t) {
  return t.part_bytes == 2   ? 0x1p-10L
         : t.part_bytes == 4 ? (long double)FLT_EPSILON
         : t.part_bytes == 8 ? (long double)DBL_EPSILON
                             : LDBL_EPSILON;
}

static int64_t as_signed(struct dvmt_type t, const uint64_t *words) {
  unsigned shift = t.bytes < 8 ? 64 - 8u * t.bytes : 0;
  return (int64_t)(words[0] << shift) >> shift;
}

/* ---- text ------------------------------------------------------------------------------------------------------------------ */

/* The shortest text that reads back as the same number. */
static void real_text(struct dvmt_type t, long double v, char *buf, size_t size) {
  for (int digits = t.part_bytes == 4 ? 6 : 15; digits < digits_of(t); digits++) {
    snprintf(buf, size, "%.*Lg", digits, v);
    long double back = strtold(buf, NULL);
    if (t.part_bytes == 4 ? (float)back == (float)v : t.part_bytes == 8 ? (double)back == (double)v : back == v)
      return;
  }
  snprintf(buf, size, "%.*Lg", digits_of(t), v);
}

static void wide_text(const uint64_t *words, unsigned n, char *buf, size_t size) {
  size_t at = (size_t)snprintf(buf, size, "0x");
  for (unsigned i = n; i-- > 0 && at < size;)
    at += (size_t)snprintf(buf + at, size - at, i + 1 == n ? "%llx" : "%016llx", (unsigned long long)words[i]);
}

static void decimal_text(unsigned __int128 v, bool negative, char *buf, size_t size) {
  char digits[48];
  size_t n = sizeof(digits);
  digits[--n] = 0;
  do
    digits[--n] = (char)('0' + (int)(v % 10));
  while (v /= 10);
  snprintf(buf, size, "%s%s", negative ? "-" : "", digits + n);
}

/* ---- words of which nobody knows what they are ------------------------------------------------------------------------------- */

static const struct dvmt_type as_double = {'f', 8, 8}, as_floats = {'c', 8, 4};

/* Whether the word may well be such a number, or two: zero, or of a magnitude that people compute with. */
static bool looks_like(struct dvmt_type t, const uint64_t *word) {
  long double most = t.part_bytes == 8 ? 0x1p200L : 0x1p60L;
  for (unsigned p = 0; p < parts_of(t); p++) {
    long double v = fabsl(part_of(t, word, p));
    if (v != 0 && !(v < most && v > 1 / most))
      return false;
  }
  return true;
}

void dvmt_value_text(struct dvmt_type t, const uint64_t *words, char *buf, size_t size) {
  char re[64], im[64];
  switch (t.kind) {
  case 'f': real_text(t, part_of(t, words, 0), buf, size); break;
  case 'c':
    real_text(t, part_of(t, words, 0), re, sizeof(re));
    real_text(t, part_of(t, words, 1), im, sizeof(im));
    snprintf(buf, size, "%s%s%si", re, im[0] == '-' ? "" : "+", im);
    break;
  case 'b': snprintf(buf, size, "%s", words[0] ? "true" : "false"); break;
  case 'p': snprintf(buf, size, "%s", words[0] ? "non-null" : "null"); break;
  case 'i':
  case 'u':
    if (t.bytes > 8) {
      unsigned __int128 v = (unsigned __int128)words[1] << 64 | words[0];
      bool negative = t.kind == 'i' && words[1] >> 63;
      decimal_text(negative ? -v : v, negative, buf, size);
    } else if (t.kind == 'u')
      snprintf(buf, size, "%llu", (unsigned long long)words[0]);
    else
      snprintf(buf, size, "%lld", (long long)as_signed(t, words));
    break;
  case 'w':
    if (words[0] && looks_like(as_double, words)) {
      real_text(as_double, part_of(as_double, words, 0), buf, size);
      break;
    }
    /* fall through */
  default: wide_text(words, (t.bytes + 7u) / 8, buf, size);
  }
}

char dvmt_value_special(struct dvmt_type t, const uint64_t *words) {
  char found = 0;
  if (!t.part_bytes)
    return 0;
  for (unsigned p = 0; p < parts_of(t); p++) {
    long double v = part_of(t, words, p);
    if (isnan(v))
      return 'n';
    if (isinf(v))
      found = 'i';
  }
  return found;
}

double dvmt_value_magnitude(struct dvmt_type t, const uint64_t *words) {
  double most = 0;
  if (!t.part_bytes)
    return 0;
  for (unsigned p = 0; p < parts_of(t); p++) {
    double v = fabs((double)part_of(t, words, p));
    if (isfinite(v) && v > most)
      most = v;
  }
  return most;
}

/* ---- comparison ------------------------------------------------------------------------------------------------------------ */

bool dvmt_value_same(struct dvmt_type t, const uint64_t *a, const uint64_t *b) {
  if (t.kind == 'p' || t.kind == 'b')
    return !a[0] == !b[0];
  if (!t.part_bytes)
    return !memcmp(a, b, (t.bytes + 7u) / 8 * 8);
  for (unsigned p = 0; p < parts_of(t); p++) {
    long double x = part_of(t, a, p), y = part_of(t, b, p);
    if (x != y && !(isnan(x) && isnan(y)))
      return false;
  }
  return true;
}

bool dvmt_type_comparable(struct dvmt_type a, struct dvmt_type b) {
  if (a.kind == b.kind && a.bytes == b.bytes)
    return true;
  return strchr("fciub", a.kind) && strchr("fciub", b.kind);
}

struct dvmt_type dvmt_type_narrower(struct dvmt_type a, struct dvmt_type b) {
  if (!a.part_bytes || !b.part_bytes)
    return a.part_bytes ? a : b;
  return a.part_bytes < b.part_bytes ? a : b;
}

/* Numbers of the type between the two. */
static double ulps_between(struct dvmt_type t, long double x, long double y) {
  if (t.part_bytes == 4 || t.part_bytes == 8) {
    int64_t i, j;
    if (t.part_bytes == 8) {
      double a = (double)x, b = (double)y;
      memcpy(&i, &a, 8);
      memcpy(&j, &b, 8);
      i = i < 0 ? INT64_MIN - i : i;
      j = j < 0 ? INT64_MIN - j : j;
    } else {
      float a = (float)x, b = (float)y;
      int32_t m, n;
      memcpy(&m, &a, 4);
      memcpy(&n, &b, 4);
      i = m < 0 ? (int64_t)INT32_MIN - m : m;
      j = n < 0 ? (int64_t)INT32_MIN - n : n;
    }
    return (double)(i > j ? (uint64_t)i - (uint64_t)j : (uint64_t)j - (uint64_t)i); /* their difference is exact, they would not be */
  }
  long double most = fmaxl(fabsl(x), fabsl(y));
  int exponent;
  if (most == 0)
    return 0;
  frexpl(most, &exponent);
  return (double)(fabsl(x - y) / ldexpl(epsilon_of(t), exponent - 1));
}

/* Magnitudes are known but for a factor of four: what is asked for may not be exceeded by way of them. */
double dvmt_value_rounding(struct dvmt_type t, const struct dvmt_tolerance *tolerance, double magnitude) {
  double usual = fmax(16 * (double)epsilon_of(t), tolerance->relative / 1000);
  return tolerance->exact ? 0 : fmin(usual, tolerance->relative / 4) * magnitude;
}

static void compare_part(struct dvmt_type t, long double x, long double y, const struct dvmt_tolerance *tol, double slack,
                         struct dvmt_difference *d) {
  if (isnan(x) && isnan(y))
    return;
  if (x == y) {
    d->beyond |= tol->exact && signbit(x) != signbit(y);
    return;
  }
  if (!isfinite(x) || !isfinite(y)) {
    *d = (struct dvmt_difference){INFINITY, INFINITY, INFINITY, true};
    return;
  }
  long double away = fabsl(x - y), most = fmaxl(fabsl(x), fabsl(y));
  double relative = most > 0 ? (double)(away / most) : 0, ulps = ulps_between(t, x, y);
  d->beyond |= tol->exact || !(relative <= tol->relative || ulps <= tol->ulps || away <= tol->absolute || away <= slack);
  d->absolute = fmax(d->absolute, (double)away);
  d->relative = fmax(d->relative, relative);
  d->ulps = fmax(d->ulps, ulps);
}

static __int128 as_wide(struct dvmt_type t, const uint64_t *words) {
  if (t.bytes > 8)
    return (__int128)((unsigned __int128)words[1] << 64 | words[0]);
  return t.kind == 'i' ? (__int128)as_signed(t, words) : (__int128)words[0];
}

static void compare_integers(struct dvmt_type ta, const uint64_t *a, struct dvmt_type tb, const uint64_t *b,
                             const struct dvmt_tolerance *tol, struct dvmt_difference *d) {
  __int128 x = as_wide(ta, a), y = as_wide(tb, b);
  bool wraps = ta.bytes > 8 && tb.bytes > 8 && ta.kind != tb.kind; /* the top half of one has no place in the other */
  if (x == y && !(wraps && x < 0))
    return;
  d->absolute = fabs((double)x - (double)y);
  d->relative = d->absolute / fmax(fabs((double)x), fabs((double)y));
  d->beyond = tol->exact || !(d->absolute <= tol->absolute || d->relative <= tol->relative);
}

/* A part of any number. */
static long double number_of(struct dvmt_type t, const uint64_t *words, unsigned part) {
  if (t.part_bytes)
    return part < parts_of(t) ? part_of(t, words, part) : 0;
  return part ? 0 : (long double)as_wide(t, words);
}

double dvmt_value_real(struct dvmt_type t, const uint64_t *words) { return strchr("fciub", t.kind) ? (double)number_of(t, words, 0) : 0; }

/* They agree if they do as a double or as two floats. */
static struct dvmt_difference compare_words(const uint64_t *a, const uint64_t *b) {
  static const struct dvmt_type *const types[] = {&as_floats, &as_double};
  struct dvmt_difference d = {0, 0, 0, true};
  for (int i = 0; i < 2 && d.beyond; i++)
    if (looks_like(*types[i], a) && looks_like(*types[i], b)) {
      struct dvmt_tolerance t = dvmt_tolerance_default(*types[i]);
      t.ulps = 0;
      d = (struct dvmt_difference){0, 0, 0, false};
      for (unsigned p = 0; p < parts_of(*types[i]); p++)
        compare_part(*types[i], part_of(*types[i], a, p), part_of(*types[i], b, p), &t, 0, &d);
    }
  return d;
}

struct dvmt_difference dvmt_value_compare(struct dvmt_type ta, const uint64_t *a, struct dvmt_type tb, const uint64_t *b,
                                          const struct dvmt_tolerance *tolerance, double slack) {
  struct dvmt_difference d = {0, 0, 0, false};
  bool one_type = ta.kind == tb.kind && ta.bytes == tb.bytes;
  if (one_type && !tolerance->exact && dvmt_value_same(ta, a, b))
    return d;
  if (!dvmt_type_comparable(ta, tb)) {
    d.beyond = true;
    return d;
  }
  if (!ta.part_bytes && !tb.part_bytes) {
    if (strchr("iub", ta.kind))
      compare_integers(ta, a, tb, b, tolerance, &d);
    else if (ta.kind == 'w' && !tolerance->exact)
      d = compare_words(a, b);
    else
      d.beyond = !dvmt_value_same(ta, a, b);
    return d;
  }
  struct dvmt_type narrow = dvmt_type_narrower(ta, tb);
  unsigned parts = parts_of(ta) > parts_of(tb) ? parts_of(ta) : parts_of(tb);
  for (unsigned p = 0; p < parts; p++)
    compare_part(narrow, number_of(ta, a, p), number_of(tb, b, p), tolerance, slack, &d);
  if (one_type && tolerance->exact && memcmp(a, b, (ta.bytes + 7u) / 8 * 8)) /* NaNs of another kind too */
    d.beyond = true;
  return d;
}

struct dvmt_tolerance dvmt_tolerance_default(struct dvmt_type t) {
  switch (t.part_bytes) {
  case 2: return (struct dvmt_tolerance){2e-2, 4, 0, false};
  case 4: return (struct dvmt_tolerance){1e-5, 4, 0, false};
  case 8: return (struct dvmt_tolerance){1e-10, 4, 0, false};
  case 16: return (struct dvmt_tolerance){1e-13, 4, 0, false};
  default: return (struct dvmt_tolerance){0, 0, 0, false};
  }
}

double dvmt_type_rounding(struct dvmt_type t) {
  switch (t.part_bytes) {
  case 2: return 0x1p-11;
  case 4: return 0x1p-24;
  case 8: return 0x1p-53;
  case 16: return 0x1p-64;
  default: return 0;
  }
}
