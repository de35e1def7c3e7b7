/* Values, results and sums of which both sides have one. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dvmt_tolerance tolerance_of(const struct dvmt_compare *c, struct dvmt_type type, const char *variable) {
  struct dvmt_tolerance t = dvmt_tolerance_default(type);
  const struct dvmt_config *config = c->options.config;
  const char *type_name = type.part_bytes == 4 ? "float" : type.part_bytes == 8 ? "double" : type.part_bytes == 16 ? "long-double" : "";
  if (type.part_bytes && c->options.relative >= 0)
    t.relative = c->options.relative;
  if (type.part_bytes && c->options.ulps >= 0)
    t.ulps = c->options.ulps;
  for (int pass = 0; config && pass < 2; pass++) /* a variable's own comes last */
    for (size_t i = 0; i < config->ntolerances; i++) {
      const struct dvmt_tolerance_rule *r = &config->tolerances[i];
      if (r->is_type != !pass || strcmp(r->name, pass ? variable : type_name))
        continue;
      t.relative = r->relative < 0 ? t.relative : r->relative;
      t.ulps = r->ulps < 0 ? t.ulps : r->ulps;
      t.absolute = r->absolute < 0 ? t.absolute : r->absolute;
    }
  return t;
}

static double *scale_of(struct dvmt_compare *c, uint32_t key) {
  if (key >= c->nscales) {
    double *rows = realloc(c->scales, (c->nnames + 64) * sizeof(*rows));
    if (!rows) {
      c->rc = -ENOMEM;
      return &c->no_scale;
    }
    memset(rows + c->nscales, 0, (c->nnames + 64 - c->nscales) * sizeof(*rows));
    c->scales = rows;
    c->nscales = c->nnames + 64;
  }
  return &c->scales[key];
}

/* The greatest magnitudes of what has been passed over: only now, as files that agree never need them. */
static void catch_up(struct dvmt_compare *c) {
  struct dvmt_record r;
  uint64_t to = dvmt_reader_position(c->reference);
  c->scales_behind = false;
  if (!c->scaling)
    c->scaling = dvmt_reader_again(c->reference, &c->err);
  if (!c->scaling)
    c->rc = c->err.code;
  while (!c->rc && dvmt_reader_position(c->scaling) < to) {
    int more = dvmt_reader_next(c->scaling, &r, &c->err);
    if (more <= 0) {
      c->rc = more;
      break;
    }
    if ((r.kind != DVMT_WRITE && r.kind != DVMT_READ) || r.object >= c->a.objects.n)
      continue;
    double magnitude = dvmt_value_magnitude(dvmt_type_of(dvmt_reader_site(c->scaling, r.site)->text), r.words);
    double *scale = scale_of(c, c->a.objects.key[r.object]);
    if (magnitude > *scale)
      *scale = magnitude;
  }
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

static void value_differs(struct dvmt_compare *c, struct dvmt_type type, const char *variable, const char *element, const char *text,
                          const uint64_t *a, const uint64_t *b, const struct dvmt_difference *d) {
  char x[128], y[128], message[800], ulps[64] = "";
  char special = dvmt_value_special(type, b);
  bool is_nan = special && !dvmt_value_special(type, a);
  struct dvmt_finding *f = dvmt_cmp_finding(c, is_nan ? DVMT_FOUND_NAN : DVMT_FOUND_VALUE, variable, text);
  c->totals.differing++;
  if (!f)
    return;
  note_greatest(c, f, d, element);
  if (f->count > 1)
    return;
  f->first = *d;
  dvmt_value_text(type, a, x, sizeof(x));
  dvmt_value_text(type, b, y, sizeof(y));
  f->reference_value = strdup(x);
  f->value = strdup(y);
  if (is_nan)
    snprintf(message, sizeof(message), "'%s' becomes %s here, the reference has %s", element, special == 'n' ? "NaN" : "infinite", x);
  else {
    if (type.part_bytes && d->ulps < 1e15)
      snprintf(ulps, sizeof(ulps), ", %.0f units in the last place", d->ulps);
    snprintf(message, sizeof(message), "'%s' is %s, the reference has %s", element, y, x);
    if (type.part_bytes) {
      size_t n = strlen(message);
      snprintf(message + n, sizeof(message) - n, " (relative difference %.3g%s)", d->relative, ulps);
    }
  }
  dvmt_cmp_tell(c, f, element, message);
}

static void tell_spot(struct dvmt_compare *c, const char *variable, const struct dvmt_object_def *object, int64_t offset, double relative) {
  const struct open *o = c->depth ? &c->open[c->depth - 1] : NULL;
  const char *there = NULL;
  for (size_t i = 0; o && !object && !there && i < c->a.sites.n; i++)
    if (c->a.sites.key[i] == o->key && dvmt_reader_site(c->reference, i)->kind != DVMT_SITE_ACCESS)
      there = dvmt_reader_site(c->reference, i)->text;
  struct dvmt_spot spot = {o ? o->text : NULL, variable, there, object, offset, c->enters, o ? o->execution : 0, relative};
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

static void compare_values(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  const char *text = dvmt_cmp_b_text(c, b), *variable = dvmt_cmp_key_name(c, b->key);
  struct dvmt_type type = c->b_types[b->site];
  c->totals.values++;
  double *scale = scale_of(c, b->key), magnitude = dvmt_value_magnitude(type, a->words);
  if (magnitude > *scale)
    *scale = magnitude;
  if (a->nwords != b->nwords)
    return;
  if (!memcmp(a->words, b->words, b->nwords * 8u)) {
    if (b->kind == DVMT_WRITE && type.part_bytes && dvmt_value_special(type, b->words))
      special_in_both(c, b, type);
    return;
  }
  struct dvmt_tolerance tolerance = tolerance_of(c, type, variable);
  struct dvmt_difference d = dvmt_value_compare(type, a->words, b->words, &tolerance, *scale);
  if (d.beyond && type.part_bytes && c->scales_behind) {
    catch_up(c);
    d = dvmt_value_compare(type, a->words, b->words, &tolerance, *scale_of(c, b->key));
  }
  if (!d.beyond)
    return;
  char element[300];
  dvmt_element_text(&c->b_objects[b->object], b->offset, text, element, sizeof(element));
  value_differs(c, type, variable, element, text, a->words, b->words, &d);
  tell_spot(c, variable, &c->b_objects[b->object], b->offset, d.relative);
}

static void compare_results(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  struct dvmt_type type;
  struct dvmt_span name = dvmt_result_name(dvmt_cmp_b_text(c, b), b->words[0], &type);
  char variable[256];
  snprintf(variable, sizeof(variable), "%.*s", (int)name.n, name.s);
  c->totals.values++;
  struct dvmt_tolerance tolerance = tolerance_of(c, type, variable);
  struct dvmt_difference d = dvmt_value_compare(type, a->words + 2, b->words + 2, &tolerance, dvmt_value_magnitude(type, a->words + 2));
  if (d.beyond)
    value_differs(c, type, variable, variable, dvmt_cmp_b_text(c, b), a->words + 2, b->words + 2, &d);
}

static void compare_digests(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  char message[400];
  const char *variable = dvmt_cmp_key_name(c, b->key);
  if (a->words[1] == b->words[1])
    return;
  c->totals.differing++;
  tell_spot(c, variable, NULL, 0, 0);
  struct dvmt_finding *f = dvmt_cmp_finding(c, DVMT_FOUND_VALUE, variable, dvmt_cmp_b_text(c, b));
  if (!f || f->count > 1)
    return;
  snprintf(message, sizeof(message), "array '%s' differs from the reference when this construct ends (sums of all elements; "
           "rounding counts)", variable);
  dvmt_cmp_tell(c, f, variable, message);
}

void dvmt_cmp_pair(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  if (b->kind <= DVMT_WRITE)
    compare_values(c, a, b);
  else if (b->kind == DVMT_RESULT && a->words[0] == b->words[0])
    compare_results(c, a, b);
  else if (b->kind == DVMT_DIGEST)
    compare_digests(c, a, b);
}
