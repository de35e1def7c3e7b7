/* The value from before enters once: expected = before op partial.  Integers must agree exactly, extremes too; floating sums
 * and products agree within the rounding of two orders of evaluation, c * n * eps * sum of |terms| (Higham, Accuracy and
 * Stability of Numerical Algorithms, 4.2; c = 4 covers both evaluations and the program's own rearrangement). */
#include "runtime/reduce.h"
#include "runtime/explain.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDING 4.0L

struct operand {
  char kind;      /* f i u */
  uint64_t bytes;
};

static long double real(struct operand t, const void *p) {
  if (t.bytes == 4) {
    float v;
    memcpy(&v, p, sizeof v);
    return v;
  }
  if (t.bytes == 8) {
    double v;
    memcpy(&v, p, sizeof v);
    return v;
  }
  long double v;
  memcpy(&v, p, 10); /* x87: ten bytes count */
  return v;
}

static uint64_t integer(struct operand t, const void *p) {
  uint64_t v = 0;
  memcpy(&v, p, t.bytes);
  unsigned unused = 64 - 8 * (unsigned)t.bytes;
  return t.kind == 'i' ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

static uint64_t narrowed(struct operand t, uint64_t v) {
  return integer(t, &v); /* little endian: the low bytes come first */
}

static bool extreme(const char *op, bool *greatest) {
  *greatest = !strncmp(op, "max", 3);
  return *greatest || !strncmp(op, "min", 3);
}

static uint64_t combine_integers(struct operand t, const char *op, uint64_t a, uint64_t b) {
  bool greatest;
  if (extreme(op, &greatest)) {
    bool less = t.kind == 'i' ? (int64_t)a < (int64_t)b : a < b;
    return less == greatest ? b : a;
  }
  if (!strcmp(op, "sum"))
    return narrowed(t, a + b);
  if (!strcmp(op, "product"))
    return narrowed(t, a * b);
  if (!strcmp(op, "and"))
    return a & b;
  return !strcmp(op, "or") ? a | b : a ^ b;
}

static long double combine_reals(const char *op, long double a, long double b) {
  bool greatest;
  if (extreme(op, &greatest))
    return (greatest ? b > a : b < a) ? b : a;
  return !strcmp(op, "sum") ? a + b : a * b;
}

static long double epsilon(struct operand t) {
  return t.bytes == 4 ? (long double)FLT_EPSILON : t.bytes == 8 ? (long double)DBL_EPSILON : LDBL_EPSILON;
}

static long double tolerance(struct operand t, const char *op, const struct dvmrt_evaluation *e, long double expected,
                             long double iterations) {
  bool greatest;
  if (extreme(op, &greatest))
    return 0;
  long double scale = !strcmp(op, "sum") ? (long double)e->magnitude + fabsl(real(t, e->before)) : fabsl(expected);
  return ROUNDING * (iterations + 1) * epsilon(t) * scale;
}

static const struct dvmrt_item *reduction_item(const struct dvmrt_directive *d, uint32_t number) {
  const struct dvmrt_item *i = dvmrt_directive_find(d->items, 'R');
  while (i && number--)
    i = dvmrt_directive_find(i->next, 'R');
  return i;
}

/* The clause may be right about the value and wrong about where. */
static void compare_location(const struct dvmrt_directive *d, const struct dvmrt_item *r, struct operand t,
                             const struct dvmrt_evaluation *e) {
  if (!e->loc_bytes || e->loc_bytes > 8 || e->tied || !r->loc_name)
    return;
  bool from_before = !memcmp(e->before, e->result, t.bytes == 16 ? 10 : t.bytes);
  bool from_partial = !memcmp(e->partial, e->result, t.bytes == 16 ? 10 : t.bytes);
  if (from_before == from_partial)
    return; /* both have the extreme, or none bit by bit */
  const void *expected = from_before ? e->loc_before : e->loc_partial;
  if (!memcmp(expected, e->loc_result, e->loc_bytes))
    return;
  struct operand loc = {'i', e->loc_bytes};
  char program[40], declared[40], what[160];
  snprintf(program, sizeof program, "%" PRId64, (int64_t)integer(loc, e->loc_result));
  snprintf(declared, sizeof declared, "%" PRId64, (int64_t)integer(loc, expected));
  snprintf(what, sizeof what, "location '%s' of", r->loc_name);
  dvmrt_explain_mismatch(d, r, what, program, declared, "");
}

void dvmrt_reduce_compare(const struct dvmrt_directive *d, const struct dvmrt_evaluation *e) {
  const struct dvmrt_item *r = reduction_item(d, e->number);
  struct dvmrt_frame *f = dvmrt_construct_nest();
  if (!r || !r->word || e->disturbed || !f || f->d != d)
    return;
  struct operand t = {r->ref.type, (uint64_t)dvmrt_num_value(r->ref.element_bytes, NULL)};
  char program[64], declared[64], allowed[80] = "";
  if (t.kind == 'f') {
    long double result = real(t, e->result), expected = combine_reals(r->word, real(t, e->before), real(t, e->partial));
    long double slack = tolerance(t, r->word, e, expected, (long double)((__dvmrt_now.write >> 1) - (__dvmrt_now.base >> 1) + 1));
    if (result == expected || (isnan(result) && isnan(expected)) || !(fabsl(result - expected) > slack)) {
      compare_location(d, r, t, e);
      return;
    }
    int digits = t.bytes == 4 ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
    snprintf(program, sizeof program, "%.*Lg", digits, result);
    snprintf(declared, sizeof declared, "%.*Lg", digits, expected);
    if (slack > 0)
      snprintf(allowed, sizeof allowed, "; rounding explains no more than %.1Lg", slack);
  } else if ((t.kind == 'i' || t.kind == 'u') && t.bytes <= 8) {
    uint64_t result = integer(t, e->result), expected = combine_integers(t, r->word, integer(t, e->before), integer(t, e->partial));
    if (result == expected) {
      compare_location(d, r, t, e);
      return;
    }
    const char *form = t.kind == 'i' ? "%" PRId64 : "%" PRIu64;
    snprintf(program, sizeof program, form, result);
    snprintf(declared, sizeof declared, form, expected);
  } else {
    return;
  }
  dvmrt_explain_mismatch(d, r, "", program, declared, allowed);
}

void dvmrt_reduce_escape(struct dvmrt_site *access) {
  if (!dvmrt_construct_nest())
    return;
  struct dvmrt_event ev = {.access = dvmrt_site_access(access), .flags = DVMRT_READ};
  dvmrt_explain_escape(&ev);
}
