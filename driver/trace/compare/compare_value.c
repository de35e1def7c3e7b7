/* Values, results and sums of which both sides have one. */
#include "driver/trace/compare/compare_private.h"
#include "runtime/trace/results.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/lead.h"
#include "runtime/trace/digest.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dvmt_tolerance dvmt_compare_tolerance(const struct dvmt_compare_options *o, struct dvmt_type type, const char *variable) {
  struct dvmt_tolerance t = dvmt_tolerance_default(type);
  const struct dvmt_config *config = o->config;
  const char *type_name = type.part_bytes == 4 ? "float" : type.part_bytes == 8 ? "double" : type.part_bytes == 16 ? "long-double" : "";
  if (type.part_bytes && o->relative >= 0)
    t.relative = o->relative;
  if (type.part_bytes && o->ulps >= 0)
    t.ulps = o->ulps;
  for (int pass = 0; config && pass < 2; pass++) /* a variable's own comes last */
    for (size_t i = 0; i < config->ntolerances; i++) {
      const struct dvmt_tolerance_rule *r = &config->tolerances[i];
      if (r->is_type != !pass || strcmp(r->name, pass ? variable : type_name))
        continue;
      t.relative = r->relative < 0 ? t.relative : r->relative;
      t.ulps = r->ulps < 0 ? t.ulps : r->ulps;
      t.absolute = r->absolute < 0 ? t.absolute : r->absolute;
    }
  t.exact = o->exact || (type.part_bytes && t.relative == 0 && t.ulps == 0 && t.absolute == 0);
  return t;
}

/* In another order each addition rounds otherwise: all of them the same way, at worst, as sums of values of one sign do.  Sums that may have
 * lost all but two digits are told of. */
struct dvmt_result_tolerance dvmt_compare_result_tolerance(const struct dvmt_compare_options *o, struct dvmt_type type,
                                                           const char *variable, const char *text, uint64_t number, uint64_t iterations) {
  struct dvmt_tolerance t = dvmt_compare_tolerance(o, type, variable);
  double least = dvmt_value_rounding(type, &t, 1), rounding = (double)iterations * dvmt_type_rounding(type);
  if (t.exact || t.relative != dvmt_tolerance_default(type).relative || !dvmt_result_adds_up(text, number))
    return (struct dvmt_result_tolerance){t, t.exact ? 0 : least}; /* somebody has asked for it */
  rounding = rounding < 1e-2 ? rounding : 1e-2;
  t.relative = rounding > t.relative ? rounding : t.relative;
  return (struct dvmt_result_tolerance){t, rounding > least ? rounding : least};
}

static struct dvmt_tolerance tolerance_of(const struct dvmt_compare *c, struct dvmt_type type, const char *variable) {
  return dvmt_compare_tolerance(&c->options, type, variable);
}

static void note_greatest(struct dvmt_compare *c, struct dvmt_finding *f, const struct dvmt_difference *d, const char *element) {
  char at[256];
  if (f->count > 1 && !(d->relative > f->greatest.relative))
    return;
  f->greatest = *d;
  free(f->greatest_element);
  free(f->greatest_iteration);
  f->greatest_element = strdup(element);
  f->greatest_iteration = strdup(dvmt_cmp_iteration_text(c, at, sizeof(at)));
}

/* A pair of values, each as its own side has it. */
struct pair {
  const uint64_t *led_a, *led_b; /* where the pointers lead that the accesses went through, or NULL */
  struct dvmt_type ta, tb;
  const uint64_t *a, *b;
  const char *variable, *text; /* text: of the run's site */
};

static void say_difference(const struct pair *p, const struct dvmt_difference *d, const char *element, const char *x, const char *y,
                           char *message, size_t size) {
  char ulps[64] = "", was[48], is[48];
  bool changed = p->ta.kind != p->tb.kind || p->ta.bytes != p->tb.bytes;
  bool floating = p->ta.part_bytes || p->tb.part_bytes;
  if (floating && d->ulps < 1e15)
    snprintf(ulps, sizeof(ulps), ", %.0f units in the last place", d->ulps);
  size_t n = (size_t)snprintf(message, size, "'%s' is %s, the reference has %s", element, y, x);
  if (floating && n < size)
    n += (size_t)snprintf(message + n, size - n, " (relative difference %.3g%s)", d->relative, ulps);
  if (changed && n < size)
    snprintf(message + n, size - n, "; it is %s here and %s there", dvmt_type_name(p->tb, is, sizeof(is)),
             dvmt_type_name(p->ta, was, sizeof(was)));
}

static void value_differs(struct dvmt_compare *c, const struct pair *p, const char *element, const struct dvmt_difference *d) {
  char x[128], y[128], message[800];
  char special = dvmt_value_special(p->tb, p->b);
  bool is_nan = special && !dvmt_value_special(p->ta, p->a);
  struct dvmt_finding *f = dvmt_cmp_finding(c, is_nan ? DVMT_FOUND_NAN : DVMT_FOUND_VALUE, p->variable, p->text);
  if (!f)
    return;
  note_greatest(c, f, d, element);
  if (f->count > 1)
    return;
  f->first = *d;
  if (p->led_a || p->tb.kind == 'p')
    dvmt_cmp_lead_text(c, p->led_a ? *p->led_a : *p->a, true, x, sizeof(x));
  else
    dvmt_value_text(p->ta, p->a, x, sizeof(x));
  if (p->led_b || p->tb.kind == 'p')
    dvmt_cmp_lead_text(c, p->led_b ? *p->led_b : *p->b, false, y, sizeof(y));
  else
    dvmt_value_text(p->tb, p->b, y, sizeof(y));
  f->reference_value = strdup(x);
  f->value = strdup(y);
  if (p->led_b)
    snprintf(message, sizeof(message), "'%s' is %s through %s here, in the reference through %s", element,
             c->now && c->now->kind == DVMT_READ ? "read" : "written", y, x);
  else if (is_nan)
    snprintf(message, sizeof(message), "'%s' becomes %s here, the reference has %s", element, special == 'n' ? "NaN" : "infinite", x);
  else
    say_difference(p, d, element, x, y, message, sizeof(message));
  dvmt_cmp_tell(c, f, element, message);
}

static void tell_spot(struct dvmt_compare *c, const char *variable, const struct dvmt_object_def *object, int64_t offset,
                      const struct dvmt_difference *d, const struct pair *p) {
  const struct open *o = c->depth ? &c->open[c->depth - 1] : NULL;
  const char *there = NULL;
  for (size_t i = 0; o && !object && !there && i < c->a.sites.n; i++)
    if (c->a.sites.key[i] == o->key && dvmt_reader_site(c->reference, i)->kind != DVMT_SITE_ACCESS)
      there = dvmt_reader_site(c->reference, i)->text;
  struct dvmt_spot spot = {.construct = o ? o->text : NULL,
                           .variable = variable,
                           .in_reference = there,
                           .object = object,
                           .offset = offset,
                           .enters = c->enters,
                           .execution = o ? o->execution : 0,
                           .reference_execution = o ? o->reference_execution : 0};
  if (d) {
    spot.relative = d->relative;
    spot.absolute = d->absolute;
    spot.ulps = d->ulps;
  }
  if (p) {
    spot.value = dvmt_value_real(p->tb, p->b);
    spot.reference = dvmt_value_real(p->ta, p->a);
  }
  if (!object && c->now && c->now->kind == DVMT_DIGEST) {
    const struct dvmt_object_def *of = &c->b_objects[c->now->object];
    spot.array = of->flags & DVMT_OBJECT_ARRAY ? of : NULL;
    spot.shared = !spot.array && c->now->nwords > 2 && strcmp(variable, DVMT_EXECUTED) != 0;
  }
  if (c->options.spot)
    c->options.spot(c->options.spot_arg, &spot);
}

/* No difference, but seldom meant: said once for each variable and place. */
static void special_in_both(struct dvmt_compare *c, const struct item *b, struct dvmt_type type) {
  const char *text = dvmt_cmp_b_text(c, b);
  struct dvmt_finding *f = dvmt_cmp_finding(c, DVMT_FOUND_NAN, dvmt_cmp_key_name(c, b->key), text);
  char element[300], message[500];
  if (!f || f->count > 1)
    return;
  f->warning = true;
  dvmt_element_text(&c->b_objects[b->object], b->offset, text, element, sizeof(element));
  snprintf(message, sizeof(message), "'%s' becomes %s here, as in the reference", element,
           dvmt_value_special(type, b->words) == 'n' ? "NaN" : "infinite");
  dvmt_cmp_tell(c, f, element, message);
}

/* ---- the worst that was accepted --------------------------------------------------------------------------------------------- */

static void within(struct dvmt_compare *c, const struct pair *p, const char *element, const struct dvmt_difference *d) {
  struct dvmt_compare_totals *t = &c->totals;
  char at[512], place[400];
  t->within++;
  t->untyped += p->tb.kind == 'w';
  if (t->within > 1 && !(d->relative > c->worst_relative))
    return;
  c->worst_relative = d->relative;
  struct dvmt_where w = dvmt_site_where(p->text);
  dvmt_where_text(&w, place, sizeof(place));
  dvmt_cmp_iteration_text(c, at, sizeof(at));
  snprintf(c->worst, sizeof(c->worst), "%.3g of '%s' at %s%s%s", d->relative, element, place, *at ? ", " : "", at);
  t->worst = c->worst;
}

/* ---- values ------------------------------------------------------------------------------------------------------------------ */

/* Whether what is beyond the plain tolerance is rounding of what cancels. */
static bool is_rounding(struct dvmt_compare *c, const struct item *a, const struct item *b, const struct pair *p,
                        const struct dvmt_tolerance *tolerance) {
  struct dvmt_type narrow = dvmt_type_narrower(p->ta, p->tb);
  double magnitude, away = 0;
  if (tolerance->relative == 0 || tolerance->exact || !narrow.part_bytes) /* units in the last place are asked for, and no more */
    return false;
  if (dvmt_cmp_is_accepted(c, a, b))
    return true;
  if (b->kind != DVMT_WRITE || !dvmt_cmp_operands(c, b, &magnitude, &away))
    magnitude = dvmt_cmp_site_magnitude(c, a);
  double slack = dvmt_value_rounding(narrow, tolerance, magnitude) + 4 * away;
  if (dvmt_value_compare(p->ta, p->a, p->tb, p->b, tolerance, slack).beyond)
    return false;
  if (b->kind == DVMT_WRITE)
    dvmt_cmp_accept(c, a, b);
  return true;
}

/* Said once for each variable, though its values may agree. */
static void note_retyped(struct dvmt_compare *c, const struct item *b, const struct pair *p) {
  char one[300], was[48], is[48];
  size_t n = strlen(c->retyped);
  c->last_retyped = b->site + 1;
  snprintf(one, sizeof(one), "'%s' (", p->variable);
  if (strstr(c->retyped, one))
    return;
  snprintf(one, sizeof(one), "'%s' (%s, %s in the reference)", p->variable, dvmt_type_name(p->tb, is, sizeof(is)),
           dvmt_type_name(p->ta, was, sizeof(was)));
  if (n + strlen(one) + 8 < sizeof(c->retyped))
    snprintf(c->retyped + n, sizeof(c->retyped) - n, "%s%s", n ? ", " : "", one);
  else if (n + 6 < sizeof(c->retyped) && !strstr(c->retyped, ", .."))
    snprintf(c->retyped + n, sizeof(c->retyped) - n, ", ..");
  c->totals.retyped = c->retyped;
}

static void values_differ(struct dvmt_compare *c, const struct item *a, const struct item *b, const struct pair *p) {
  struct dvmt_tolerance tolerance = tolerance_of(c, dvmt_type_narrower(p->ta, p->tb), p->variable);
  struct dvmt_difference d = dvmt_value_compare(p->ta, p->a, p->tb, p->b, &tolerance, 0);
  bool beyond = d.beyond && !is_rounding(c, a, b, p, &tolerance);
  char element[300];
  dvmt_cmp_note_digits(c, b->key, dvmt_type_narrower(p->ta, p->tb), d.relative);
  if ((p->ta.kind != p->tb.kind || p->ta.bytes != p->tb.bytes) && c->last_retyped != b->site + 1)
    note_retyped(c, b, p);
  if (p->tb.part_bytes)
    dvmt_cmp_note_operand(c, b, dvmt_value_magnitude(p->tb, p->b), beyond ? 0 : d.absolute);
  if (!d.beyond && d.absolute == 0) { /* another type, the same number */
    c->totals.identical++;
    return;
  }
  dvmt_element_text(&c->b_objects[b->object], b->offset, p->text, element, sizeof(element));
  if (!beyond)
    return within(c, p, element, &d);
  c->totals.differing++;
  value_differs(c, p, element, &d);
  tell_spot(c, p->variable, &c->b_objects[b->object], b->offset, &d, p);
}

/* ---- pointers ---------------------------------------------------------------------------------------------------------------- */

/* Behind the value, where the site says so. */
static const uint64_t *led(const struct item *it, unsigned n, unsigned where) {
  return (where & DVMT_SITE_LEADS) && it->nwords == n + 1 ? &it->words[n] : NULL;
}

/* Whether both lead to the same; else it is told. */
static __attribute__((noinline)) bool pointers_agree(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  struct dvmt_type ta = c->a_types[a->site], tb = c->b_types[b->site];
  struct pair p = {
      .ta = ta, .tb = tb, .a = a->words, .b = b->words, .variable = dvmt_cmp_key_name(c, b->key), .text = dvmt_cmp_b_text(c, b)};
  const uint64_t *x = led(a, (ta.bytes + 7u) / 8, dvmt_reader_site(c->reference, a->site)->where),
                 *y = led(b, (tb.bytes + 7u) / 8, c->b_sites[b->site].where);
  bool values = ta.kind != 'p' || tb.kind != 'p' || dvmt_cmp_leads_agree(c, a->words[0], b->words[0]);
  if (values && (!x || !y || dvmt_cmp_leads_agree(c, *x, *y)))
    return true;
  const struct dvmt_difference d = {INFINITY, INFINITY, INFINITY, true};
  char element[300];
  if (values) {
    p.led_a = x;
    p.led_b = y;
  }
  dvmt_element_text(&c->b_objects[b->object], b->offset, p.text, element, sizeof(element));
  c->totals.differing++;
  value_differs(c, &p, element, &d);
  tell_spot(c, p.variable, &c->b_objects[b->object], b->offset, NULL, NULL);
  return false;
}

/* NaN or infinite, at once for most values. */
static bool may_be_special(struct dvmt_type t, const uint64_t *words) {
  return t.part_bytes && (t.part_bytes != 8 || t.bytes != 8 || (words[0] >> 52 & 0x7ff) == 0x7ff);
}

static void compare_values(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  struct dvmt_type ta = c->a_types[a->site], tb = c->b_types[b->site];
  c->totals.values++;
  c->full |= b->kind == DVMT_READ;
  unsigned n = (tb.bytes + 7u) / 8; /* behind it may be what was there before a call, or where a pointer leads */
  if ((tb.kind == 'p' || b->nwords > n) && !pointers_agree(c, a, b))
    return;
  if (a->nwords >= n && same_words(a->words, b->words, n && n < b->nwords ? n : b->nwords) && ta.kind == tb.kind && ta.bytes == tb.bytes) {
    c->totals.identical++;
    dvmt_cmp_note_digits(c, b->key, tb, 0);
    if (b->kind == DVMT_WRITE && may_be_special(tb, b->words) && dvmt_value_special(tb, b->words))
      special_in_both(c, b, tb);
    if (tb.part_bytes && c->full)
      dvmt_cmp_note_operand(c, b, dvmt_value_magnitude(tb, b->words), 0);
    return;
  }
  const struct pair p = {NULL, NULL, ta, tb, a->words, b->words, dvmt_cmp_key_name(c, b->key), dvmt_cmp_b_text(c, b)};
  values_differ(c, a, b, &p);
}

bool dvmt_cmp_is_no_change(struct dvmt_compare *c, const struct item *it, bool of_reference) {
  struct dvmt_type t = of_reference ? c->a_types[it->site] : c->b_types[it->site];
  unsigned n = (t.bytes + 7u) / 8;
  if (it->kind != DVMT_WRITE || !n || it->nwords != 2 * n)
    return false;
  struct dvmt_tolerance tolerance = tolerance_of(c, t, dvmt_cmp_key_name(c, it->key));
  return !dvmt_value_compare(t, it->words, t, it->words + n, &tolerance, 0).beyond;
}

/* A result's number counts R lines, which an edit may have moved: the name decides (compare_order.c pairs them so). */
static void compare_results(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  struct dvmt_type ta, tb;
  struct dvmt_span name = dvmt_result_name(dvmt_cmp_b_text(c, b), b->words[0], &tb);
  char variable[256], element[300];
  dvmt_text_result(dvmt_cmp_b_text(c, b), b->words[0], element, sizeof(element));
  dvmt_result_name(dvmt_cmp_a_text(c, a), a->words[0], &ta);
  snprintf(variable, sizeof(variable), "%.*s", (int)name.n, name.s);
  const struct pair p = {NULL, NULL, ta, tb, a->words + 2, b->words + 2, variable, dvmt_cmp_b_text(c, b)};
  c->totals.values++;
  const struct dvmt_result_tolerance t =
      dvmt_compare_result_tolerance(&c->options, dvmt_type_narrower(ta, tb), variable, dvmt_cmp_b_text(c, b), b->words[0], c->iterations);
  double slack = dvmt_value_rounding(dvmt_type_narrower(ta, tb), &t.tolerance, dvmt_value_magnitude(ta, a->words + 2));
  slack = fmax(slack, t.rounding * fmax(dvmt_results_magnitude(a->words[1]), dvmt_results_magnitude(b->words[1])));
  struct dvmt_difference d = dvmt_value_compare(ta, a->words + 2, tb, b->words + 2, &t.tolerance, slack);
  if (!d.beyond && d.absolute == 0)
    c->totals.identical++;
  else if (!d.beyond)
    within(c, &p, element, &d);
  else {
    c->totals.differing++;
    value_differs(c, &p, element, &d);
    tell_spot(c, variable, NULL, 0, &d, &p);
  }
}

void dvmt_compare_iterations_text(uint64_t reference, uint64_t run, char *buf, size_t size) {
  unsigned long long least = reference < run ? run - reference : reference - run;
  if (reference == run)
    snprintf(buf, size, "as many iterations are executed here as in the reference (%llu), but not the same: some by nobody, others twice",
             (unsigned long long)run);
  else
    snprintf(buf, size, "%llu iterations are executed here, in the reference %llu: %llu or more %s", (unsigned long long)run,
             (unsigned long long)reference, least,
             reference < run ? "are executed twice, or are none of the reference" : "are executed by nobody");
}

/* Iterations that nobody executes, or that are executed more than once. */
static void iterations_differ(struct dvmt_compare *c, uint64_t reference, uint64_t run) {
  char message[300];
  dvmt_compare_iterations_text(reference, run, message, sizeof(message));
  dvmt_cmp_structure(c, reference < run ? "repeated iteration" : "lost iteration", "", c->open[c->depth - 1].text, message);
}

static void compare_digests(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  char message[400];
  const char *variable = dvmt_cmp_key_name(c, b->key);
  bool executed = !strcmp(variable, DVMT_EXECUTED);
  c->counted_sums += executed;
  if (a->words[1] == b->words[1] && a->words[0] == b->words[0]) {
    c->totals.identical++;
    return;
  }
  if (executed && c->options.partial) {
    c->totals.identical++;
    return;
  }
  c->totals.differing++;
  tell_spot(c, variable, NULL, 0, NULL, NULL);
  if (executed) {
    iterations_differ(c, a->words[0], b->words[0]);
    return;
  }
  struct dvmt_finding *f = dvmt_cmp_finding(c, DVMT_FOUND_VALUE, variable, dvmt_cmp_b_text(c, b));
  if (!f || f->count > 1)
    return;
  bool array = b->nwords < 3 || c->b_objects[b->object].flags & DVMT_OBJECT_ARRAY;
  snprintf(message, sizeof(message), "'%s' differs from the reference when this construct ends (%srounding differences count)", variable,
           array ? "sums of all its elements; " : "no clause names it; ");
  dvmt_cmp_tell(c, f, variable, message);
}

void dvmt_cmp_pair(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  c->now = b;
  c->totals.compared++;
  c->totals.sums += b->kind == DVMT_DIGEST || b->kind == DVMT_RESULT;
  if (b->kind <= DVMT_WRITE)
    compare_values(c, a, b);
  else if (b->kind == DVMT_RESULT)
    compare_results(c, a, b);
  else if (b->kind == DVMT_DIGEST)
    compare_digests(c, a, b);
  else
    c->totals.identical++;
  c->now = NULL;
}
