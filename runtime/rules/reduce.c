/* The value from before enters once: expected = before op partial.  Integers must agree exactly, extremes too; floating sums
 * and products agree within the rounding of two orders of evaluation, c * n * eps * sum of |terms| with n roundings (Higham, Accuracy
 * and Stability of Numerical Algorithms, 4.2; c = 4 covers both evaluations and the program's own rearrangement). */
#include "runtime/rules/reduce.h"
#include "runtime/rules/verdict.h"
#include "runtime/data/mem.h"
#include "runtime/rules/repeat.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDING 4.0L

bool dvmrt_reduce_emulates;

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

static uint64_t narrowed(struct operand t, uint64_t v) { return integer(t, &v); /* little endian: the low bytes come first */ }

static bool extreme(const char *op, bool *greatest) {
  *greatest = !strncmp(op, "max", 3);
  return *greatest || !strncmp(op, "min", 3);
}

/* Of Fortran: what is not zero is true. */
static bool of_logicals(const char *op) { return !strcmp(op, "eqv") || !strcmp(op, "neqv"); }

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
  if (of_logicals(op))
    return (!a == !b) == !strcmp(op, "eqv");
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

/* What rounding may explain: how often, and of which numbers. */
struct rounding {
  double magnitude;
  long double times;
};

static long double tolerance(struct operand t, const char *op, struct rounding by, const void *before, long double expected) {
  bool greatest;
  if (extreme(op, &greatest))
    return 0;
  long double scale = !strcmp(op, "sum") ? (long double)by.magnitude + fabsl(real(t, before)) : fabsl(expected);
  return ROUNDING * (by.times + 1) * epsilon(t) * scale;
}

static size_t bytes_that_count(struct operand t) { return t.bytes == 16 ? 10 : t.bytes; }

static bool is_real(struct operand t) { return t.kind == 'f'; }
static bool is_integer(struct operand t) { return (t.kind == 'i' || t.kind == 'u') && t.bytes <= 8; }

static void write_real(struct operand t, long double v, void *to) {
  float f = (float)v;
  double d = (double)v;
  memcpy(to, t.bytes == 4 ? (void *)&f : t.bytes == 8 ? (void *)&d : (void *)&v, bytes_that_count(t));
}

/* '*to' = a op b.  'to' may be one of them. */
static void combine(struct operand t, const char *op, const void *a, const void *b, void *to) {
  if (is_real(t)) {
    write_real(t, combine_reals(op, real(t, a), real(t, b)), to);
  } else {
    uint64_t v = combine_integers(t, op, integer(t, a), integer(t, b));
    memcpy(to, &v, t.bytes);
  }
}

static void print(struct operand t, const void *p, char *text, size_t size) {
  if (is_real(t))
    snprintf(text, size, "%.*Lg", t.bytes == 4 ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG, real(t, p));
  else
    snprintf(text, size, t.kind == 'i' ? "%" PRId64 : "%" PRIu64, integer(t, p));
}

static const struct dvmrt_item *reduction_item(const struct dvmrt_directive *d, uint32_t number) {
  const struct dvmrt_item *i = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_REDUCTION);
  while (i && number--)
    i = dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_REDUCTION);
  return i;
}

/* The clause may be right about the value and wrong about where. */
static void compare_location(const struct dvmrt_directive *d, const struct dvmrt_item *r, struct operand t,
                             const struct dvmrt_evaluation *e) {
  if (!e->loc_bytes || e->loc_bytes > 8 || e->tied || !r->loc_name)
    return;
  bool from_before = !memcmp(e->before, e->result, bytes_that_count(t));
  bool from_partial = !memcmp(e->partial, e->result, bytes_that_count(t));
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
  dvmrt_verdict_give(
      &(struct dvmrt_record){DVMRT_RECORD_MISMATCH, .directive = d, .mismatch = {r, r->ref.name, what, program, declared, ""}});
}

/* A NaN agrees with a NaN alone, and rounding makes no number infinite: an order of evaluation that does is another one. */
static bool same_real(long double have, long double want, long double slack) {
  if (have == want || isnan(have) || isnan(want))
    return have == want || (isnan(have) && isnan(want));
  return isfinite(have) && isfinite(want) && !(fabsl(have - want) > slack);
}

/* Do 'result' and 'expected' agree?  If not, the report is made; 'name' is the variable's or its element's, 'what' a part of that. */
static bool agrees_with(const struct dvmrt_directive *d, const struct dvmrt_item *r, struct operand t, const char *name, const char *what,
                        const void *result, const void *expected, long double slack) {
  char program[64], declared[64], allowed[80] = "";
  if (is_real(t)) {
    long double have = real(t, result), want = real(t, expected);
    if (same_real(have, want, slack))
      return true;
    if (slack > 0 && isfinite(slack))
      snprintf(allowed, sizeof allowed, "; rounding explains no more than %.1Lg", slack);
  } else if (!memcmp(result, expected, t.bytes) || (of_logicals(r->word) && !integer(t, result) == !integer(t, expected))) {
    return true;
  }
  if (of_logicals(r->word)) {
    snprintf(program, sizeof program, integer(t, result) ? ".true." : ".false.");
    snprintf(declared, sizeof declared, integer(t, expected) ? ".true." : ".false.");
  } else {
    print(t, result, program, sizeof program);
    print(t, expected, declared, sizeof declared);
  }
  dvmrt_verdict_give(
      &(struct dvmrt_record){DVMRT_RECORD_MISMATCH, .directive = d, .mismatch = {r, name, what, program, declared, allowed}});
  return false;
}

/* The same of 'result' and before op partial. */
static bool agrees(const struct dvmrt_directive *d, const struct dvmrt_item *r, struct operand t, const char *name, const char *what,
                   const void *before, const void *result, const void *partial, struct rounding by) {
  char expected[16];
  bool greatest;
  combine(t, r->word, before, partial, expected);
  if (is_real(t) && extreme(r->word, &greatest) && isnan(real(t, before)) && !isnan(real(t, result)))
    memcpy(expected, partial, bytes_that_count(t)); /* fmax and its kin drop it, comparisons keep it: both are the operation */
  long double slack = is_real(t) ? tolerance(t, r->word, by, before, real(t, expected)) : 0;
  return agrees_with(d, r, t, name, what, result, expected, slack);
}

/* Of what the reduction is, if its evaluations can be compared. */
static bool operand_of(const struct dvmrt_directive *d, const struct dvmrt_item *r, struct operand *t) {
  const struct dvmrt_frame *f = dvmrt_construct_of(d);
  if (!r || !r->word || !f || (!f->nest && !f->task))
    return false;
  *t = (struct operand){r->ref.type, (uint64_t)dvmrt_num_value(r->ref.element_bytes, f->args)};
  if (t->kind == 'c' && (!strcmp(r->word, "sum") || !strcmp(r->word, "product")))
    *t = (struct operand){'f', t->bytes / 2};
  return is_real(*t) || is_integer(*t);
}

static long double iterations(void) {
  return __dvmrt_now.base == UINT32_MAX ? 1 : (long double)((__dvmrt_now.write >> 1) - (__dvmrt_now.base >> 1) + 1);
}

/* A task adds to what the clause of its region names. */
static const struct dvmrt_directive *clause_of(const struct dvmrt_directive *d) {
  const struct dvmrt_frame *f = d->parallel ? NULL : dvmrt_construct_of(d);
  while (f && (f->left || strcmp(f->d->kind, "task_region") != 0))
    f = f->outer;
  return f ? f->d : d;
}

bool dvmrt_reduce_compare(const struct dvmrt_directive *d, const struct dvmrt_evaluation *e) {
  const struct dvmrt_item *r = reduction_item(d, e->number);
  struct operand t;
  if (e->disturbed || !operand_of(d, r, &t))
    return false;
  struct rounding by = {e->magnitude, e->roundings + iterations() * ((long double)e->each_iteration + 1)};
  d = clause_of(d);
  if (agrees(d, r, t, r->ref.name, "", e->before, e->result, e->partial, by))
    compare_location(d, r, t, e);
  return dvmrt_reduce_emulates;
}

/* "s[1][2]", "real part of 'z'" */
static void part_name(const struct dvmrt_item *r, uint64_t k, char *name, size_t size) {
  uint64_t element = r->ref.type == 'c' ? k / 2 : k, inner = 1;
  size_t n = (size_t)snprintf(name, size, "%s", r->ref.name);
  for (int d = 1; d < r->nextents; d++)
    inner *= (uint64_t)r->extents[d];
  for (int d = 0; d < r->nextents && n < size; d++) {
    n += (size_t)snprintf(name + n, size - n, "[%lld]", (long long)(inner ? element / inner : 0) + (long long)r->lower[d].v);
    element %= inner ? inner : 1;
    inner /= d + 1 < r->nextents && r->extents[d + 1] ? (uint64_t)r->extents[d + 1] : 1;
  }
}

static const char *part_of_complex(const struct dvmrt_item *r, uint64_t k) {
  return r->ref.type != 'c' ? "" : k % 2 ? "imaginary part of" : "real part of";
}

static bool is_of_pairs(const struct dvmrt_item *r) { return r->ref.type == 'c' && !strcmp(r->word, "product"); }

/* 'to', of two parts, may be one of them. */
static void combine_pairs(struct operand t, const void *a, const void *b, void *to) {
  const char *x = a, *y = b;
  long double re = real(t, x) * real(t, y) - real(t, x + t.bytes) * real(t, y + t.bytes);
  long double im = real(t, x) * real(t, y + t.bytes) + real(t, x + t.bytes) * real(t, y);
  write_real(t, re, to);
  write_real(t, im, (char *)to + t.bytes);
}

/* The error of a product of complex numbers is small beside the number, not beside each of its parts. */
static void compare_pair(const struct dvmrt_directive *d, const struct dvmrt_results *all, const struct dvmrt_item *r, struct operand t,
                         uint64_t k) {
  size_t at = k * t.bytes;
  const char *before = all->before, *partial = all->partial, *result = all->result;
  char expected[32], name[120];
  combine_pairs(t, before + at, partial + at, expected);
  long double size = fabsl(real(t, expected)) + fabsl(real(t, expected + t.bytes)); /* at most 1.5 times the modulus */
  long double times = all->magnitude ? (long double)all->magnitude[2 * k + 1] + (long double)all->magnitude[2 * k + 3] : 0;
  part_name(r, k, name, sizeof name);
  for (uint64_t i = 0; i < 2; i++)
    if (!agrees_with(d, r, t, name, part_of_complex(r, k + i), result + at + i * t.bytes, expected + i * t.bytes,
                     ROUNDING * (times + 1) * epsilon(t) * size))
      return;
}

static void pair_results(const struct dvmrt_directive *d, const struct dvmrt_results *all, const struct dvmrt_item *r, struct operand t) {
  const char *before = all->before, *partial = all->partial, *last = all->last;
  char *result = all->result;
  for (uint64_t k = 0; k + 1 < all->count; k += 2) {
    size_t at = k * t.bytes;
    if (memcmp(last + at, result + at, bytes_that_count(t)) || memcmp(last + at + t.bytes, result + at + t.bytes, bytes_that_count(t)))
      continue; /* somebody else has written it */
    compare_pair(d, all, r, t, k);
    if (dvmrt_reduce_emulates)
      combine_pairs(t, before + at, partial + at, result + at);
  }
}

void dvmrt_reduce_results(const struct dvmrt_directive *d, const struct dvmrt_results *all) {
  const struct dvmrt_item *r = reduction_item(d, all->number);
  struct operand t;
  if (all->disturbed || !operand_of(d, r, &t))
    return;
  d = clause_of(d);
  if (is_of_pairs(r)) {
    pair_results(d, all, r, t);
    return;
  }
  const char *before = all->before, *partial = all->partial, *last = all->last;
  char *result = all->result, name[120];
  for (uint64_t k = 0; k < all->count; k++) {
    size_t at = k * t.bytes;
    if (memcmp(last + at, result + at, bytes_that_count(t)))
      continue; /* somebody else has written it */
    part_name(r, k, name, sizeof name);
    const double *m = all->magnitude;
    struct rounding by = m ? (struct rounding){m[2 * k], m[2 * k + 1]} : (struct rounding){0, 0};
    agrees(d, r, t, name, part_of_complex(r, k), before + at, result + at, partial + at, by);
    if (dvmrt_reduce_emulates)
      combine(t, r->word, before + at, partial + at, result + at);
  }
}

/* ---- between the iterations ------------------------------------------------------------------------------------------------------- */

struct dvmrt_step {
  struct dvmrt_step *next;
  uint32_t number;
  uint64_t bytes; /* of each of the three */
  char *before, *total, *seen; /* owned; 'seen': at the last step */
};

static void neutral(struct operand t, const char *op, void *to) {
  bool greatest = false;
  uint64_t v = !strcmp(op, "product") || !strcmp(op, "eqv") ? 1 : !strcmp(op, "and") ? UINT64_MAX : 0;
  if (is_real(t)) {
    write_real(t, extreme(op, &greatest) ? (greatest ? -HUGE_VALL : HUGE_VALL) : (long double)v, to);
    return;
  }
  if (extreme(op, &greatest)) {
    uint64_t lowest = t.kind == 'i' ? (uint64_t)1 << (8 * t.bytes - 1) : 0;
    v = greatest ? lowest : ~lowest;
  }
  memcpy(to, &v, t.bytes);
}

static struct dvmrt_step *step_of(struct dvmrt_frame *f, uint32_t number, uint64_t bytes) {
  for (struct dvmrt_step *s = f->steps; s; s = s->next)
    if (s->number == number)
      return s;
  struct dvmrt_step *s = dvmrt_mem_alloc(sizeof *s);
  *s = (struct dvmrt_step){.next = f->steps, .number = number, .bytes = bytes};
  f->steps = s;
  return s;
}

/* What an operation can never do to a variable: an iteration that makes a maximum smaller, that sets a bit under 'and'. */
static bool idempotent(const char *op) { return extreme(op, &(bool){false}) || !strcmp(op, "and") || !strcmp(op, "or"); }

/* Of the element, or the pair, at the same place. */
static void step_neutral(const struct dvmrt_item *r, struct operand t, char *to) {
  neutral(t, r->word, to);
  if (is_of_pairs(r))
    write_real(t, 0, to + t.bytes);
}

static void step_combine(const struct dvmrt_item *r, struct operand t, const char *a, const char *b, char *to) {
  if (is_of_pairs(r))
    combine_pairs(t, a, b, to);
  else
    combine(t, r->word, a, b, to);
}

static void step_element(const struct dvmrt_directive *d, const struct dvmrt_item *r, struct operand t, char *value, char *total,
                         const char *seen) {
  if (!dvmrt_reduce_emulates) {
    if (idempotent(r->word))
      agrees(d, r, t, r->ref.name, "", seen, value, value, (struct rounding){0, 0});
    return;
  }
  step_combine(r, t, total, value, total);
}

static void step(const struct dvmrt_directive *d, struct dvmrt_frame *f, const struct dvmrt_item *r, uint32_t number, bool over) {
  struct operand t;
  char *value = (char *)(uintptr_t)dvmrt_num_value(r->ref.address, f->args);
  uint64_t count = (uint64_t)dvmrt_num_value(r->ref.extent[0], f->args);
  if (!value || !operand_of(d, r, &t))
    return;
  if (r->ref.type == 'c')
    count *= 2;
  uint64_t bytes = count * t.bytes;
  struct dvmrt_step *s = step_of(f, number, bytes);
  bool first = !s->before;
  if (first && over)
    return;
  if (first) {
    s->before = dvmrt_mem_alloc(3 * bytes);
    s->total = s->before + bytes;
    s->seen = s->total + bytes;
    memcpy(s->before, value, bytes);
  }
  for (uint64_t at = 0; at < bytes; at += is_of_pairs(r) ? 2 * t.bytes : t.bytes) {
    if (first)
      step_neutral(r, t, s->total + at);
    else
      step_element(d, r, t, value + at, s->total + at, s->seen + at);
    if (dvmrt_reduce_emulates && over)
      step_combine(r, t, s->before + at, s->total + at, value + at);
    else if (dvmrt_reduce_emulates)
      step_neutral(r, t, value + at);
  }
  memcpy(s->seen, value, bytes);
}

void dvmrt_reduce_step(const struct dvmrt_directive *d, uint32_t numbers, bool over) {
  struct dvmrt_frame *f = dvmrt_construct_nest();
  if (!f || f->d != d)
    return;
  for (uint32_t n = 0; n < 32; n++)
    if (numbers >> n & 1 && reduction_item(d, n))
      step(d, f, reduction_item(d, n), n, over);
}

void dvmrt_reduce_over(struct dvmrt_frame *f) {
  while (f->steps) {
    struct dvmrt_step *s = f->steps;
    f->steps = s->next;
    if (s->before)
      dvmrt_mem_free(s->before, 3 * s->bytes);
    dvmrt_mem_free(s, sizeof *s);
  }
}

void dvmrt_reduce_escape(struct dvmrt_site *access) {
  if (!dvmrt_construct_nest())
    return;
  struct dvmrt_event ev = {.access = dvmrt_site_access(access), .flags = DVMRT_READ};
  uint64_t hits = dvmrt_finding_hits();
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_ESCAPE, .event = &ev});
  dvmrt_repeat_note_escape(ev.access, hits);
}
