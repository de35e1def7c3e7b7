#include "runtime/trace/compare.h"
#include "runtime/trace/compare_private.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/name.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_AHEAD = 64, STRETCH_MAX = 4096 };

/* ---- names that both sides share ------------------------------------------------------------------------------------------- */

static uint32_t intern(struct dvmt_compare *c, const char *name) {
  for (size_t i = 0; i < c->nnames; i++)
    if (!strcmp(c->names[i], name))
      return (uint32_t)i;
  char **rows = realloc(c->names, (c->nnames + 1) * sizeof(*rows));
  char *copy = strdup(name);
  if (rows)
    c->names = rows;
  if (!rows || !copy) {
    free(copy);
    c->rc = -ENOMEM;
    return 0;
  }
  c->names[c->nnames] = copy;
  return (uint32_t)c->nnames++;
}

static bool add_key(struct keys *k, uint32_t key) {
  uint32_t *rows = realloc(k->key, (k->n + 1) * sizeof(*rows));
  if (!rows)
    return false;
  rows[k->n++] = key;
  k->key = rows;
  return true;
}

/* A construct is the same if kind, file (without folders) and line are. */
static uint32_t site_key(struct dvmt_compare *c, const char *text) {
  char name[512];
  struct dvmt_where w = dvmt_site_where(text);
  struct dvmt_span kind = dvmt_site_kind(text);
  size_t at = w.file.n;
  while (at && w.file.s[at - 1] != '/')
    at--;
  snprintf(name, sizeof(name), "\1%.*s %.*s %u", (int)kind.n, kind.s, (int)(w.file.n - at), w.file.s ? w.file.s + at : "", w.line);
  return intern(c, name);
}

static void learn_reference(struct dvmt_compare *c) {
  while (c->a.sites.n < dvmt_reader_nsites(c->reference) && !c->rc)
    if (!add_key(&c->a.sites, site_key(c, dvmt_reader_site(c->reference, c->a.sites.n)->text)))
      c->rc = -ENOMEM;
  while (c->a.objects.n < dvmt_reader_nobjects(c->reference) && !c->rc)
    if (!add_key(&c->a.objects, intern(c, dvmt_reader_object(c->reference, c->a.objects.n)->name)))
      c->rc = -ENOMEM;
}

static void add_item(struct dvmt_compare *c, struct items *l, const struct item *it) {
  if (l->n == l->cap) {
    size_t cap = l->cap ? 2 * l->cap : 256;
    struct item *rows = realloc(l->row, cap * sizeof(*rows));
    if (!rows) {
      c->rc = -ENOMEM;
      return;
    }
    l->row = rows;
    l->cap = cap;
  }
  l->row[l->n++] = *it;
}

static void to_item(const struct keys *sites, const struct keys *objects, const struct dvmt_record *r, struct item *it) {
  bool value = r->kind <= DVMT_WRITE || r->kind == DVMT_DIGEST;
  it->kind = r->kind;
  it->nwords = (uint8_t)(r->nwords < ITEM_WORDS ? r->nwords : ITEM_WORDS);
  it->site = r->site;
  it->object = r->object;
  it->key = value ? objects->key[r->object] : sites->key[r->site];
  it->offset = r->kind <= DVMT_WRITE ? r->offset : 0;
  if (it->nwords)
    memcpy(it->words, r->words, it->nwords * 8u);
}

/* ---- the reference --------------------------------------------------------------------------------------------------------- */

/* The next record of the reference in 'c->ahead'; false at its end. */
static bool peek(struct dvmt_compare *c) {
  struct dvmt_record r;
  if (c->has_ahead || c->rc)
    return c->has_ahead;
  for (;;) {
    int rc = dvmt_reader_next(c->reference, &r, &c->err);
    if (rc < 0)
      c->rc = rc;
    if (!rc && dvmt_reader_torn(c->reference))
      c->over = true;
    if (rc <= 0)
      return false;
    if (r.kind == DVMT_LOST) {
      c->a_damaged = true;
      continue;
    }
    learn_reference(c);
    if (c->rc)
      return false;
    to_item(&c->a.sites, &c->a.objects, &r, &c->ahead);
    return c->has_ahead = true;
  }
}

static struct item *take(struct dvmt_compare *c) {
  c->has_ahead = false;
  return &c->ahead;
}

static bool is_anchor(const struct item *it) { return it->kind == DVMT_ENTER || it->kind == DVMT_LEAVE || it->kind == DVMT_ITER; }

static const char *a_text(const struct dvmt_compare *c, const struct item *it) { return dvmt_reader_site(c->reference, it->site)->text; }
static const char *b_text(const struct dvmt_compare *c, const struct item *it) { return c->b_sites[it->site].text; }
static bool b_parallel(const struct dvmt_compare *c, const struct item *it) { return c->b_sites[it->site].kind == DVMT_SITE_CONSTRUCT; }
static bool a_parallel(const struct dvmt_compare *c, const struct item *it) {
  return dvmt_reader_site(c->reference, it->site)->kind == DVMT_SITE_CONSTRUCT;
}

/* ---- differences ----------------------------------------------------------------------------------------------------------- */

/* Where the run is: of its innermost construct or loop. */
static const char *iteration_text(const struct dvmt_compare *c, char *buf, size_t size) {
  const struct open *o = c->depth ? &c->open[c->depth - 1] : NULL;
  buf[0] = 0;
  if (o && o->has_iteration)
    dvmt_iteration_text(o->text, o->words, o->nwords, buf, size);
  return buf;
}

static struct dvmt_finding *finding(struct dvmt_compare *c, enum dvmt_finding_id id, const char *variable, const char *text) {
  const char *construct = c->depth ? c->open[c->depth - 1].text : NULL;
  unsigned line = text ? dvmt_site_where(text).line : 0;
  for (size_t i = 0; i < c->nfindings; i++) {
    struct dvmt_finding *f = c->findings[i];
    if (f->id == id && f->construct == construct && !strcmp(f->variable, variable) &&
        (f->text ? dvmt_site_where(f->text).line : 0) == line) {
      f->count++;
      return f;
    }
  }
  struct dvmt_finding **rows = realloc(c->findings, (c->nfindings + 1) * sizeof(*rows)), *f = calloc(1, sizeof(*f));
  char at[256];
  if (rows)
    c->findings = rows;
  if (!rows || !f) {
    free(f);
    c->rc = -ENOMEM;
    return NULL;
  }
  *f = (struct dvmt_finding){.id = id, .count = 1, .text = text, .construct = construct, .variable = strdup(variable),
                             .iteration = strdup(iteration_text(c, at, sizeof(at))), .record = c->totals.records};
  c->findings[c->nfindings++] = f;
  return f;
}

static void tell(struct dvmt_compare *c, struct dvmt_finding *f, const char *element, const char *message) {
  f->element = strdup(element);
  f->message = strdup(message);
  if (c->options.found)
    c->options.found(c->options.arg, f);
}

static void structure(struct dvmt_compare *c, const char *variable, const char *element, const char *text, const char *message) {
  struct dvmt_finding *f = c->over ? NULL : finding(c, DVMT_FOUND_STRUCTURE, variable, text);
  if (f && f->count == 1)
    tell(c, f, element, message);
}

static const char *describe(struct dvmt_compare *c, const struct item *it, bool of_reference, char *buf, size_t size) {
  static const char *const verbs[] = {"", "read of", "write of", "", "begin of", "end of", "result of", "directive", "digest of"};
  const char *text = of_reference ? a_text(c, it) : b_text(c, it);
  char what[300];
  struct dvmt_where w = dvmt_site_where(text);
  if (it->kind <= DVMT_WRITE) {
    dvmt_element_text(of_reference ? dvmt_reader_object(c->reference, it->object) : &c->b_objects[it->object], it->offset, text,
                      what, sizeof(what));
    snprintf(buf, size, "%s '%s'", verbs[it->kind], what);
  } else if (it->kind == DVMT_ITER) {
    dvmt_iteration_text(text, it->words, it->nwords, what, sizeof(what));
    snprintf(buf, size, "iteration (%s)", what);
  } else {
    struct dvmt_span kind = dvmt_site_kind(text);
    snprintf(buf, size, "%s the %.*s at %.*s:%u", verbs[it->kind], (int)kind.n, kind.s, (int)w.file.n, w.file.s ? w.file.s : "", w.line);
  }
  return buf;
}

static const char *key_name(const struct dvmt_compare *c, uint32_t key) { return c->names[key][0] == '\1' ? "" : c->names[key]; }

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

static void note_greatest(struct dvmt_compare *c, struct dvmt_finding *f, const struct dvmt_difference *d, const char *element) {
  char at[256];
  if (f->count > 1 && !(d->relative > f->greatest.relative))
    return;
  f->greatest = *d;
  free(f->greatest_element);
  free(f->greatest_iteration);
  f->greatest_element = strdup(element);
  f->greatest_iteration = strdup(iteration_text(c, at, sizeof(at)));
}

static void value_differs(struct dvmt_compare *c, struct dvmt_type type, const char *variable, const char *element, const char *text,
                          const uint64_t *a, const uint64_t *b, const struct dvmt_difference *d) {
  char x[128], y[128], message[800], ulps[64] = "";
  char special = dvmt_value_special(type, b);
  bool is_nan = special && !dvmt_value_special(type, a);
  struct dvmt_finding *f = finding(c, is_nan ? DVMT_FOUND_NAN : DVMT_FOUND_VALUE, variable, text);
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
  tell(c, f, element, message);
}

/* A reduction variable's values inside its construct depend on the order of the iterations: its result is compared. */
static void find_reductions(struct dvmt_compare *c, const char *text) {
  c->nreductions = 0;
  for (const char *line = strstr(text, "\nR "); line; line = strstr(line + 1, "\nR ")) {
    struct dvmt_span rest = {line + 3, strcspn(line + 3, "\n")};
    dvmt_text_field(&rest); /* the operation */
    while (rest.n && c->nreductions < REDUCTIONS_MAX) {
      char name[256];
      struct dvmt_span field = dvmt_text_field(&rest);
      snprintf(name, sizeof(name), "%.*s", (int)field.n, field.s);
      c->reductions[c->nreductions++] = intern(c, name);
      for (int i = 0; i < 4; i++) /* & bytes count kind, then maybe the location */
        dvmt_text_field(&rest);
    }
  }
}

static bool is_reduction(const struct dvmt_compare *c, uint32_t key) {
  for (unsigned i = 0; i < c->nreductions; i++)
    if (c->reductions[i] == key)
      return true;
  return false;
}

static void tell_spot(struct dvmt_compare *c, const char *variable, const struct dvmt_object_def *object, int64_t offset, double relative) {
  const struct open *o = c->depth ? &c->open[c->depth - 1] : NULL;
  struct dvmt_spot spot = {o ? o->text : NULL, variable, object, offset, c->enters, o ? o->execution : 0, relative};
  if (c->options.spot)
    c->options.spot(c->options.spot_arg, &spot);
}

/* No difference, but seldom meant: said once for each variable and place. */
static void special_in_both(struct dvmt_compare *c, const struct item *b, struct dvmt_type type) {
  const char *text = b_text(c, b);
  struct dvmt_finding *f = finding(c, DVMT_FOUND_NAN, key_name(c, b->key), text);
  char element[300], message[500];
  if (!f || f->count > 1)
    return;
  f->warning = true;
  dvmt_element_text(&c->b_objects[b->object], b->offset, text, element, sizeof(element));
  snprintf(message, sizeof(message), "'%s' becomes %s here, as in the reference", element,
           dvmt_value_special(type, b->words) == 'n' ? "NaN" : "infinite");
  tell(c, f, element, message);
}

static void compare_values(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  const char *text = b_text(c, b), *variable = key_name(c, b->key);
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
  if (!d.beyond)
    return;
  char element[300];
  dvmt_element_text(&c->b_objects[b->object], b->offset, text, element, sizeof(element));
  value_differs(c, type, variable, element, text, a->words, b->words, &d);
  tell_spot(c, variable, &c->b_objects[b->object], b->offset, d.relative);
}

static void compare_results(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  struct dvmt_type type;
  struct dvmt_span name = dvmt_result_name(b_text(c, b), b->words[0], &type);
  char variable[256];
  snprintf(variable, sizeof(variable), "%.*s", (int)name.n, name.s);
  c->totals.values++;
  struct dvmt_tolerance tolerance = tolerance_of(c, type, variable);
  struct dvmt_difference d = dvmt_value_compare(type, a->words + 2, b->words + 2, &tolerance, dvmt_value_magnitude(type, a->words + 2));
  if (d.beyond)
    value_differs(c, type, variable, variable, b_text(c, b), a->words + 2, b->words + 2, &d);
}

static void compare_digests(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  char message[400];
  const char *variable = key_name(c, b->key);
  if (a->words[1] == b->words[1])
    return;
  c->totals.differing++;
  tell_spot(c, variable, NULL, 0, 0);
  struct dvmt_finding *f = finding(c, DVMT_FOUND_VALUE, variable, b_text(c, b));
  if (!f || f->count > 1)
    return;
  snprintf(message, sizeof(message), "array '%s' differs from the reference when this construct ends (sums of all elements; "
           "rounding counts)", variable);
  tell(c, f, variable, message);
}

/* ---- lists of records ------------------------------------------------------------------------------------------------------ */

static bool same_item(const struct item *a, const struct item *b) {
  if (a->kind != b->kind || a->key != b->key || a->offset != b->offset)
    return false;
  return a->kind != DVMT_ITER || (a->nwords == b->nwords && !memcmp(a->words, b->words, a->nwords * 8u));
}

static void compare_pair(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  if (b->kind <= DVMT_WRITE)
    compare_values(c, a, b);
  else if (b->kind == DVMT_RESULT && a->words[0] == b->words[0])
    compare_results(c, a, b);
  else if (b->kind == DVMT_DIGEST)
    compare_digests(c, a, b);
}

static bool is_optional(const struct dvmt_compare *c, const struct item *it) {
  return it->kind == DVMT_DIRECT || (it->kind <= DVMT_WRITE && c->in_parallel && is_reduction(c, it->key));
}

static void drop_optional(const struct dvmt_compare *c, struct items *l) {
  size_t to = 0;
  if (!c->may_drop)
    return;
  for (size_t i = 0; i < l->n; i++)
    if (!is_optional(c, &l->row[i]))
      l->row[to++] = l->row[i];
  l->n = to;
}

static void unmatched(struct dvmt_compare *c, const struct item *it, bool of_reference) {
  char what[400], message[600];
  const char *text = of_reference ? a_text(c, it) : b_text(c, it);
  const char *variable = it->kind <= DVMT_WRITE ? key_name(c, it->key) : "";
  describe(c, it, of_reference, what, sizeof(what));
  snprintf(message, sizeof(message), of_reference ? "the %s of the reference does not happen" : "the %s is not in the reference", what);
  structure(c, variable, variable, text, message);
}

/* How far ahead in 'l' from 'at' an item like 'it' is; LOOK_AHEAD if nowhere near. */
static size_t distance(const struct items *l, size_t at, const struct item *it) {
  for (size_t d = 1; d < LOOK_AHEAD && at + d < l->n; d++)
    if (same_item(&l->row[at + d], it))
      return d;
  return LOOK_AHEAD;
}

static void compare_lists(struct dvmt_compare *c, struct items *a, struct items *b) {
  size_t i = 0, j = 0;
  drop_optional(c, a);
  drop_optional(c, b);
  while (i < a->n && j < b->n) {
    if (same_item(&a->row[i], &b->row[j])) {
      compare_pair(c, &a->row[i++], &b->row[j++]);
      continue;
    }
    size_t missing = distance(a, i, &b->row[j]), extra = distance(b, j, &a->row[i]);
    if (missing == LOOK_AHEAD && extra == LOOK_AHEAD)
      missing = extra = 1; /* one in place of another */
    else if (missing <= extra)
      extra = 0;
    else
      missing = 0;
    while (extra--)
      unmatched(c, &b->row[j++], false);
    while (missing--)
      unmatched(c, &a->row[i++], true);
  }
  while (i < a->n)
    unmatched(c, &a->row[i++], true);
  while (j < b->n)
    unmatched(c, &b->row[j++], false);
}

/* ---- iterations in any order ----------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct item *iteration) {
  uint64_t h = 1;
  for (uint32_t i = 0; i < iteration->nwords; i++)
    h = dvmt_mix(h ^ iteration->words[i]) + i;
  return h;
}

static size_t waiting_bytes(const struct waiting *w) { return sizeof(*w) + w->items.cap * sizeof(struct item); }

static void free_waiting(struct dvmt_compare *c, struct waiting *w) {
  c->window -= waiting_bytes(w);
  free(w->items.row);
  free(w);
}

static void clear_window(struct dvmt_compare *c) {
  for (size_t i = 0; i < WINDOW_LISTS; i++)
    while (c->waiting[i]) {
      struct waiting *next = c->waiting[i]->next;
      free_waiting(c, c->waiting[i]);
      c->waiting[i] = next;
    }
  c->nwaiting = 0;
}

static struct waiting *find_waiting(struct dvmt_compare *c, const struct item *iteration) {
  for (struct waiting **p = &c->waiting[hash_of(iteration) % WINDOW_LISTS]; *p; p = &(*p)->next)
    if (same_item(&(*p)->iteration, iteration)) {
      struct waiting *w = *p;
      *p = w->next;
      c->nwaiting--;
      return w;
    }
  return NULL;
}

static void sum_items(const struct dvmt_compare *c, uint64_t *sum, const struct item *iteration, const struct items *l) {
  uint64_t h = hash_of(iteration);
  for (size_t i = 0; i < l->n; i++)
    if (l->row[i].kind == DVMT_WRITE && !is_optional(c, &l->row[i]))
      *sum += dvmt_mix(h ^ dvmt_digest_value((uint64_t)l->row[i].offset ^ (uint64_t)l->row[i].key << 40, l->row[i].words, l->row[i].nwords));
}

/* Reads one iteration of the reference's present construct into c->a_items; false when there is none left. */
static bool read_iteration(struct dvmt_compare *c, struct item *iteration) {
  c->a_items.n = 0;
  while (peek(c) && (c->ahead.kind <= DVMT_WRITE || c->ahead.kind == DVMT_DIRECT)) /* bounds of the loops */
    take(c);
  if (!peek(c) || c->ahead.kind != DVMT_ITER || c->ahead.key != c->parallel_key)
    return false;
  *iteration = *take(c);
  int depth = 0;
  while (peek(c)) {
    if (!depth && c->ahead.key == c->parallel_key && (c->ahead.kind == DVMT_ITER || c->ahead.kind == DVMT_LEAVE))
      break;
    if (!depth && (c->ahead.kind == DVMT_RESULT || c->ahead.kind == DVMT_DIGEST))
      break;
    depth += c->ahead.kind == DVMT_ENTER;
    depth -= c->ahead.kind == DVMT_LEAVE;
    add_item(c, &c->a_items, take(c));
  }
  return true;
}

static void keep_waiting(struct dvmt_compare *c, const struct item *iteration) {
  struct waiting *w = malloc(sizeof(*w));
  size_t limit = c->options.window_bytes ? c->options.window_bytes : 64u << 20;
  if (!w) {
    c->rc = -ENOMEM;
    return;
  }
  *w = (struct waiting){.iteration = *iteration};
  for (size_t i = 0; i < c->a_items.n; i++)
    add_item(c, &w->items, &c->a_items.row[i]);
  w->next = c->waiting[hash_of(iteration) % WINDOW_LISTS];
  c->waiting[hash_of(iteration) % WINDOW_LISTS] = w;
  c->nwaiting++;
  c->window += waiting_bytes(w);
  if (c->window > c->totals.window_peak)
    c->totals.window_peak = c->window;
  if (c->window > limit) {
    c->overflow = true;
    clear_window(c);
  }
}

/* Neighbours lie side by side, so that a loop in order stays in the cache; the execution's number saves clearing. */
static bool was_executed(struct dvmt_compare *c, const struct item *iteration) {
  uint64_t h = dvmt_mix(hash_of(iteration) ^ c->enters) | 1, place = 0;
  for (uint32_t i = 0; i < iteration->nwords; i++)
    place = place * 4099 + iteration->words[i];
  if (c->nseen++ == SEEN_MAX / 2) {
    memset(c->seen, 0, sizeof(c->seen[0]) * SEEN_MAX);
    c->nseen = 1;
  }
  for (size_t i = place % SEEN_MAX, n = 0; n < 64; i = (i + 1) % SEEN_MAX, n++) {
    if (c->seen[i] == h)
      return true;
    if (!c->seen[i]) {
      c->seen[i] = h;
      return false;
    }
  }
  return false;
}

/* The run has finished an iteration: c->b_iteration, c->b_items. */
static void end_iteration(struct dvmt_compare *c) {
  struct item iteration;
  if (!c->b_in_iteration)
    return;
  c->b_in_iteration = false;
  c->totals.iterations++;
  bool again = was_executed(c, &c->b_iteration);
  sum_items(c, &c->b_sum, &c->b_iteration, &c->b_items);
  if (c->overflow || c->unpaired)
    return;
  struct waiting *w = again ? NULL : find_waiting(c, &c->b_iteration);
  if (w) {
    compare_lists(c, &w->items, &c->b_items);
    free_waiting(c, w);
    return;
  }
  while (!again && !c->overflow && read_iteration(c, &iteration)) {
    sum_items(c, &c->a_sum, &iteration, &c->a_items);
    if (same_item(&iteration, &c->b_iteration))
      return compare_lists(c, &c->a_items, &c->b_items);
    keep_waiting(c, &iteration);
  }
  if (c->overflow)
    return;
  char at[256], message[400];
  dvmt_iteration_text(b_text(c, &c->b_iteration), c->b_iteration.words, c->b_iteration.nwords, at, sizeof(at));
  snprintf(message, sizeof(message), again ? "iteration (%s) is executed a second time" : "iteration (%s) is not in the reference", at);
  structure(c, again ? "repeated iteration" : "unknown iteration", "", b_text(c, &c->b_iteration), message);
}

/* The reference's construct to its end; what was not executed is missing. */
static void finish_parallel(struct dvmt_compare *c) {
  struct item iteration, first;
  uint64_t missing = c->nwaiting;
  char at[256], message[500];
  bool has_first = false;
  for (size_t i = 0; i < WINDOW_LISTS && missing; i++)
    for (struct waiting *w = c->waiting[i]; w; w = w->next)
      if (!has_first || memcmp(w->iteration.words, first.words, first.nwords * 8u) < 0) {
        first = w->iteration;
        has_first = true;
      }
  while (read_iteration(c, &iteration)) {
    sum_items(c, &c->a_sum, &iteration, &c->a_items);
    if (!has_first)
      first = iteration;
    has_first = true;
    missing++;
  }
  clear_window(c);
  if (c->overflow) {
    if (c->a_sum != c->b_sum)
      structure(c, "order of iterations", "", c->open[c->depth - 1].text, "iterations come in an order too different from the "
                "reference's to be compared one by one in this window, and their sums differ");
  } else if (missing && !c->options.partial) {
    c->totals.missing += missing;
    dvmt_iteration_text(a_text(c, &first), first.words, first.nwords, at, sizeof(at));
    snprintf(message, sizeof(message), missing == 1 ? "%llu iteration of the reference is not executed: (%s)"
             : "%llu iterations of the reference are not executed, the first is (%s)", (unsigned long long)missing, at);
    structure(c, "missing iterations", "", c->open[c->depth - 1].text, message);
  }
}

/* ---- the order of constructs ----------------------------------------------------------------------------------------------- */

static void open_construct(struct dvmt_compare *c, const struct item *it, uint32_t count) {
  c->enters++;
  if (c->depth < OPEN_MAX)
    c->open[c->depth] = (struct open){.text = b_text(c, it), .key = it->key, .parallel = b_parallel(c, it), .execution = count};
  c->depth += c->depth < OPEN_MAX;
}

static void begin_parallel(struct dvmt_compare *c, const struct item *it) {
  c->in_parallel = true;
  c->parallel_key = it->key;
  c->parallel_depth = 0;
  c->overflow = c->unpaired = c->b_in_iteration = false;
  c->a_sum = c->b_sum = 0;
  find_reductions(c, b_text(c, it));
  c->may_drop = c->nreductions > 0;
}

/* Reads the reference to the end of the construct that it is in (one deeper than now). */
static void skip_construct(struct dvmt_compare *c) {
  for (int depth = 1; depth && peek(c);) {
    depth += c->ahead.kind == DVMT_ENTER;
    depth -= c->ahead.kind == DVMT_LEAVE;
    take(c);
    c->totals.skipped++;
  }
}

/* The executions of a construct are counted on both sides; after a difference of structure they meet at the same count. */
static uint32_t *count_of(struct dvmt_compare *c, struct counts *counts, uint32_t key) {
  if (key >= counts->n) {
    uint32_t *rows = realloc(counts->count, (c->nnames + 64) * sizeof(*rows));
    if (!rows) {
      c->rc = -ENOMEM;
      return &c->no_count;
    }
    memset(rows + counts->n, 0, (c->nnames + 64 - counts->n) * sizeof(*rows));
    counts->count = rows;
    counts->n = c->nnames + 64;
  }
  return &counts->count[key];
}

static void lose_step(struct dvmt_compare *c, const struct item *b) {
  char x[400], y[400], message[900];
  if (c->lost)
    return;
  c->lost = true;
  describe(c, b, false, y, sizeof(y));
  if (peek(c))
    snprintf(message, sizeof(message), "the %s happens where the reference has the %s; the comparison goes on at the next parallel "
             "construct that both execute", y, describe(c, &c->ahead, true, x, sizeof(x)));
  else
    snprintf(message, sizeof(message), "the %s happens behind the end of the reference", y);
  structure(c, "order", "", b_text(c, b), message);
}

/* Brings the reference to the execution of a parallel construct that the run begins now.  False: it has none such. */
static bool meet(struct dvmt_compare *c, const struct item *b, uint32_t count) {
  if (*count_of(c, &c->a_counts, b->key) >= count)
    return false;
  while (peek(c)) {
    if (c->ahead.kind == DVMT_ENTER && a_parallel(c, &c->ahead) && c->ahead.key == b->key &&
        *count_of(c, &c->a_counts, b->key) + 1 == count)
      return true;
    if (c->ahead.kind == DVMT_ENTER)
      ++*count_of(c, &c->a_counts, c->ahead.key);
    take(c);
    c->totals.skipped++;
  }
  return false;
}

/* Values between two anchors: the run's are in b_items. */
static void compare_stretch(struct dvmt_compare *c, bool whole) {
  c->a_items.n = 0;
  c->may_drop = true;
  while (!c->lost && peek(c) && !is_anchor(&c->ahead) && (whole || c->a_items.n < c->b_items.n))
    add_item(c, &c->a_items, take(c));
  if (!c->lost)
    compare_lists(c, &c->a_items, &c->b_items);
  c->b_items.n = 0;
}

static void enter(struct dvmt_compare *c, const struct item *b) {
  uint32_t count = ++*count_of(c, &c->b_counts, b->key);
  bool parallel = b_parallel(c, b);
  bool met = !c->lost && peek(c) && c->ahead.kind == DVMT_ENTER && c->ahead.key == b->key;
  if (!met && !c->lost)
    lose_step(c, b);
  if (!met && parallel && (met = meet(c, b, count)))
    c->lost = false;
  if (met) {
    ++*count_of(c, &c->a_counts, b->key);
    take(c);
  }
  open_construct(c, b, count);
  if (parallel) {
    begin_parallel(c, b);
    c->unpaired = !met;
  }
}

static void leave(struct dvmt_compare *c, const struct item *b) {
  if (!c->lost) {
    if (peek(c) && c->ahead.kind == DVMT_LEAVE && c->ahead.key == b->key)
      take(c);
    else
      lose_step(c, b);
  }
  c->depth -= c->depth > 0;
}

/* Outside parallel constructs. */
static void in_order(struct dvmt_compare *c, const struct item *b) {
  if (!is_anchor(b)) {
    add_item(c, &c->b_items, b);
    if (c->b_items.n == STRETCH_MAX)
      compare_stretch(c, false);
    return;
  }
  compare_stretch(c, true);
  if (b->kind == DVMT_ENTER)
    return enter(c, b);
  if (b->kind == DVMT_LEAVE)
    return leave(c, b);
  if (c->depth) {
    struct open *o = &c->open[c->depth - 1];
    o->has_iteration = true;
    o->nwords = b->nwords;
    memcpy(o->words, b->words, sizeof(o->words));
  }
  if (c->lost)
    return;
  if (peek(c) && same_item(&c->ahead, b))
    take(c);
  else
    lose_step(c, b);
}

/* The end of a parallel construct: results and digests stand between the last iteration and it. */
static void end_parallel(struct dvmt_compare *c, const struct item *b) {
  end_iteration(c);
  c->open[c->depth - 1].has_iteration = false;
  if (!c->unpaired) {
    finish_parallel(c);
    c->a_items.n = 0;
    while (peek(c) && !is_anchor(&c->ahead))
      add_item(c, &c->a_items, take(c));
    c->may_drop = false;
    compare_lists(c, &c->a_items, &c->b_tail);
    if (peek(c) && c->ahead.kind == DVMT_LEAVE && c->ahead.key == b->key)
      take(c);
    else
      skip_construct(c);
  }
  c->b_tail.n = c->b_items.n = 0;
  c->in_parallel = false;
  c->depth -= c->depth > 0;
}

static void in_parallel(struct dvmt_compare *c, const struct item *b) {
  bool own = !c->parallel_depth && b->key == c->parallel_key;
  if (own && b->kind == DVMT_LEAVE)
    return end_parallel(c, b);
  if (own && b->kind == DVMT_ITER) {
    end_iteration(c);
    c->b_iteration = *b;
    c->b_in_iteration = true;
    c->b_items.n = 0;
    struct open *o = &c->open[c->depth - 1];
    o->has_iteration = true;
    o->nwords = b->nwords;
    memcpy(o->words, b->words, sizeof(o->words));
    return;
  }
  if (!c->parallel_depth && (b->kind == DVMT_RESULT || b->kind == DVMT_DIGEST)) {
    add_item(c, &c->b_tail, b);
    return;
  }
  c->parallel_depth += b->kind == DVMT_ENTER;
  c->parallel_depth -= b->kind == DVMT_LEAVE && c->parallel_depth;
  if (!c->unpaired && c->b_in_iteration)
    add_item(c, &c->b_items, b);
}

/* ---- the sink -------------------------------------------------------------------------------------------------------------- */

static int on_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  struct dvmt_compare *c = (struct dvmt_compare *)sink;
  size_t n = c->b.sites.n;
  struct dvmt_site_def *rows = realloc(c->b_sites, (n + 1) * sizeof(*rows));
  if (rows)
    c->b_sites = rows;
  struct dvmt_type *types = realloc(c->b_types, (n + 1) * sizeof(*types));
  if (types)
    c->b_types = types;
  char *text = strdup(def->text);
  if (!rows || !types || !text || !add_key(&c->b.sites, site_key(c, def->text))) {
    free(text);
    return c->rc = -ENOMEM;
  }
  rows[n] = *def;
  rows[n].text = text;
  types[n] = dvmt_type_of(text);
  return c->rc;
}

static int on_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct dvmt_compare *c = (struct dvmt_compare *)sink;
  size_t n = c->b.objects.n;
  struct dvmt_object_def *rows = realloc(c->b_objects, (n + 1) * sizeof(*rows));
  if (rows)
    c->b_objects = rows;
  char *name = strdup(def->name);
  if (!rows || !name || !add_key(&c->b.objects, intern(c, def->name))) {
    free(name);
    return c->rc = -ENOMEM;
  }
  rows[n] = *def;
  rows[n].name = name;
  return c->rc;
}

static int on_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct dvmt_compare *c = (struct dvmt_compare *)sink;
  struct item it;
  to_item(&c->b.sites, &c->b.objects, r, &it);
  c->totals.records++;
  if (c->over)
    return c->rc;
  if (c->in_parallel)
    in_parallel(c, &it);
  else
    in_order(c, &it);
  return c->rc;
}

/* ---- beginning and end ----------------------------------------------------------------------------------------------------- */

struct dvmt_compare *dvmt_compare_create(struct dvmt_reader *reference, const struct dvmt_compare_options *options) {
  struct dvmt_compare *c = calloc(1, sizeof(*c));
  if (!c)
    return NULL;
  c->sink = (struct dvmt_sink){on_site, on_object, on_record};
  c->reference = reference;
  c->options = *options;
  c->seen = calloc(SEEN_MAX, sizeof(*c->seen));
  if (c->seen)
    return c;
  free(c);
  return NULL;
}

struct dvmt_sink *dvmt_compare_sink(struct dvmt_compare *c) { return &c->sink; }

int dvmt_compare_end(struct dvmt_compare *c, bool ended, struct dvm_error *err) {
  if (!c->rc && c->in_parallel)
    end_iteration(c);
  else if (!c->rc)
    compare_stretch(c, ended);
  if (!c->rc && ended && !c->lost && !c->in_parallel && peek(c)) {
    char what[400], message[600];
    snprintf(message, sizeof(message), "the run ends here, the reference goes on with the %s", describe(c, &c->ahead, true, what, sizeof(what)));
    structure(c, "end", "", a_text(c, &c->ahead), message);
  }
  if (c->rc && c->err.code)
    *err = c->err;
  else if (c->rc)
    dvm_error_set(err, c->rc, "%s", strerror(-c->rc));
  return c->rc;
}

static void free_finding(struct dvmt_finding *f) {
  free(f->iteration);
  free(f->element);
  free(f->variable);
  free(f->message);
  free(f->reference_value);
  free(f->value);
  free(f->greatest_element);
  free(f->greatest_iteration);
  free(f);
}

void dvmt_compare_destroy(struct dvmt_compare *c) {
  if (!c)
    return;
  clear_window(c);
  for (size_t i = 0; i < c->nfindings; i++)
    free_finding(c->findings[i]);
  for (size_t i = 0; i < c->nnames; i++)
    free(c->names[i]);
  for (size_t i = 0; i < c->b.sites.n; i++)
    free((char *)c->b_sites[i].text);
  for (size_t i = 0; i < c->b.objects.n; i++)
    free((char *)c->b_objects[i].name);
  free(c->findings);
  free(c->names);
  free(c->b_sites);
  free(c->b_types);
  free(c->b_objects);
  free(c->a.sites.key);
  free(c->a.objects.key);
  free(c->b.sites.key);
  free(c->b.objects.key);
  free(c->a_items.row);
  free(c->b_items.row);
  free(c->b_tail.row);
  free(c->a_counts.count);
  free(c->b_counts.count);
  free(c->scales);
  free(c->seen);
  free(c);
}

const struct dvmt_compare_totals *dvmt_compare_totals(const struct dvmt_compare *c) { return &c->totals; }
size_t dvmt_compare_nfindings(const struct dvmt_compare *c) { return c->nfindings; }
const struct dvmt_finding *dvmt_compare_finding(const struct dvmt_compare *c, size_t n) { return c->findings[n]; }
