/* Lists of records that should be the same, in order. */
#include "driver/trace/compare/compare_private.h"

#include "runtime/trace/digest.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_AHEAD = 64 };

void dvmt_cmp_add_item(struct dvmt_compare *c, struct items *l, const struct item *it) {
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
  copy_item(&l->row[l->n++], it);
}

/* A reduction variable's values inside its construct depend on the order of the iterations: its result is compared. */
void dvmt_cmp_find_reductions(struct dvmt_compare *c, const char *text) {
  c->nreductions = 0;
  for (const char *line = strstr(text, "\nR "); line; line = strstr(line + 1, "\nR ")) {
    struct dvmt_span rest = {line + 3, strcspn(line + 3, "\n")};
    dvmt_text_field(&rest); /* the operation */
    while (rest.n && c->nreductions < REDUCTIONS_MAX) {
      char name[256];
      struct dvmt_span field = dvmt_text_field(&rest);
      snprintf(name, sizeof(name), "%.*s", (int)field.n, field.s);
      c->reductions[c->nreductions++] = dvmt_cmp_intern(c, name);
      for (int i = 0; i < 4; i++) /* & bytes count kind, then maybe the location */
        dvmt_text_field(&rest);
    }
  }
}

bool dvmt_cmp_is_reduction(const struct dvmt_compare *c, uint32_t key) {
  for (unsigned i = 0; i < c->nreductions; i++)
    if (c->reductions[i] == key)
      return true;
  return false;
}

bool dvmt_cmp_is_optional(const struct dvmt_compare *c, const struct item *it) {
  return it->kind == DVMT_DIRECT || (it->kind <= DVMT_WRITE && c->in_parallel && dvmt_cmp_is_reduction(c, it->key));
}

/* Returns how many directives were among them: these do the same wherever they stand. */
static size_t drop_optional(const struct dvmt_compare *c, struct items *l) {
  size_t to = 0, directives = 0;
  if (!c->may_drop)
    return 0;
  for (size_t i = 0; i < l->n; i++)
    if (!dvmt_cmp_is_optional(c, &l->row[i]))
      l->row[to++] = l->row[i];
    else
      directives += l->row[i].kind == DVMT_DIRECT;
  l->n = to;
  return directives;
}

/* A sum that nothing can be said of. */
static bool is_left_out(struct dvmt_compare *c, const struct item *it, bool of_reference) {
  const char *variable = it->kind == DVMT_DIGEST ? dvmt_cmp_key_name(c, it->key) : "";
  char one[200];
  size_t n = strlen(c->alone);
  if (it->kind != DVMT_DIGEST)
    return false;
  if (!strcmp(variable, DVMT_EXECUTED)) {
    c->totals.uncounted++;
    return true;
  }
  if (of_reference || !c->options.by_sums)
    return false;
  c->totals.alone++;
  c->totals.shared += it->nwords > 2 && !(c->b_objects[it->object].flags & DVMT_OBJECT_ARRAY);
  snprintf(one, sizeof(one), "'%.150s'", variable);
  if (!strstr(c->alone, one) && n + strlen(one) + 2 < sizeof(c->alone))
    snprintf(c->alone + n, sizeof(c->alone) - n, "%s%s", n ? " " : "", one);
  c->totals.alone_names = c->alone;
  return true;
}

static void unmatched(struct dvmt_compare *c, const struct item *it, bool of_reference) {
  char what[400], message[600], element[300] = "";
  const char *text = of_reference ? dvmt_cmp_place_text(c, it) : dvmt_cmp_b_text(c, it);
  const char *variable = it->kind <= DVMT_WRITE ? dvmt_cmp_key_name(c, it->key) : "";
  if (is_left_out(c, it, of_reference) || dvmt_cmp_is_no_change(c, it, of_reference))
    return;
  if (it->kind <= DVMT_WRITE)
    dvmt_element_text(of_reference ? dvmt_reader_object(c->reference, it->object) : &c->b_objects[it->object], it->offset,
                      of_reference ? dvmt_cmp_a_text(c, it) : text, element, sizeof(element));
  dvmt_cmp_describe(c, it, of_reference, what, sizeof(what));
  snprintf(message, sizeof(message), of_reference ? "the %s of the reference does not happen" : "the %s is not in the reference", what);
  c->now = of_reference ? NULL : it;
  dvmt_cmp_structure(c, variable, element, text, message);
  c->now = NULL;
}

/* How far ahead in 'l' from 'at' an item like 'it' is; LOOK_AHEAD if nowhere near. */
static size_t distance(const struct items *l, size_t at, const struct item *it) {
  for (size_t d = 1; d < LOOK_AHEAD && at + d < l->n; d++)
    if (dvmt_cmp_same_item(&l->row[at + d], it))
      return d;
  return LOOK_AHEAD;
}

/* Constructs and loops inside an iteration: their place is told with what differs in them. */
void dvmt_cmp_follow(struct dvmt_compare *c, const struct item *b) {
  struct open *o = c->depth ? &c->open[c->depth - 1] : NULL;
  if (b->kind == DVMT_ENTER && c->depth < OPEN_MAX) {
    c->open[c->depth++] = (struct open){.text = dvmt_cmp_b_text(c, b), .key = b->key, .parallel = dvmt_cmp_b_parallel(c, b)};
  } else if (b->kind == DVMT_LEAVE) {
    c->depth -= c->depth > 0;
  } else if (b->kind == DVMT_ITER && o && o->key == b->key) {
    dvmt_cmp_open_iteration(c, b->words, b->nwords);
  }
}

enum { REORDERED_MAX = 1 << 16, NONE = -1 };

/* Which item of 'b' each of 'a' meets: in order as far as possible, then what is left over in any order. */
static void match(const struct items *a, size_t i, const struct items *b, size_t j, int32_t *a_to, int32_t *b_to) {
  for (size_t k = 0; k < a->n; k++)
    a_to[k] = NONE;
  for (size_t k = 0; k < b->n; k++)
    b_to[k] = NONE;
  size_t left = REORDERED_MAX;
  for (size_t x = i, y = j; x < a->n && y < b->n;) {
    if (dvmt_cmp_same_item(&a->row[x], &b->row[y])) {
      a_to[x] = (int32_t)y;
      b_to[y++] = (int32_t)x++;
      continue;
    }
    size_t missing = distance(a, x, &b->row[y]), extra = distance(b, y, &a->row[x]);
    if (missing == LOOK_AHEAD && extra == LOOK_AHEAD)
      missing = extra = 1; /* one in place of another */
    else if (missing <= extra)
      extra = 0;
    else
      missing = 0;
    x += missing;
    y += extra;
  }
  for (size_t x = i; x < a->n && left; x++)
    for (size_t y = j; a_to[x] == NONE && a->row[x].kind <= DVMT_WRITE && y < b->n && left; y++) {
      left--;
      if (b_to[y] == NONE && dvmt_cmp_same_item(&a->row[x], &b->row[y])) {
        a_to[x] = (int32_t)y;
        b_to[y] = (int32_t)x;
      }
    }
}

static bool is_array_sum(const struct item *it, uint32_t flags) {
  return it->kind == DVMT_DIGEST && it->nwords > 1 && (it->nwords < 3 || flags & DVMT_OBJECT_ARRAY);
}

/* Memory that two directives name has one of the names in the reference, and may have the other in the run: its sum is the same, or what
 * is left over has as many elements. */
static void match_renamed(const struct dvmt_compare *c, const struct items *a, size_t i, const struct items *b, size_t j, int32_t *a_to,
                          int32_t *b_to, unsigned words) {
  for (size_t x = i; x < a->n && c->options.by_sums; x++) {
    const struct item *one = &a->row[x];
    if (a_to[x] != NONE || !is_array_sum(one, dvmt_reader_object(c->reference, one->object)->flags))
      continue;
    for (size_t y = j; y < b->n && a_to[x] == NONE; y++)
      if (b_to[y] == NONE && is_array_sum(&b->row[y], c->b_objects[b->row[y].object].flags) &&
          same_words(one->words, b->row[y].words, words)) {
        a_to[x] = (int32_t)y;
        b_to[y] = (int32_t)x;
      }
  }
}

static void report_missing(struct dvmt_compare *c, const struct items *a, const int32_t *a_to, size_t from, size_t to, size_t compared) {
  for (size_t i = from; i < to; i++) {
    if (a_to && a_to[i] != NONE)
      continue;
    if (c->ending && i >= compared) { /* nobody knows whether it would have come */
      if (!c->has_beyond)
        c->beyond = a->row[i];
      c->has_beyond = true;
      return;
    }
    unmatched(c, &a->row[i], true);
  }
}

/* From where both part. */
static void compare_unlike(struct dvmt_compare *c, struct items *a, size_t i, struct items *b, size_t j) {
  int32_t *a_to = malloc((a->n + b->n + 1) * sizeof(*a_to)), *b_to = a_to + a->n;
  size_t last = i; /* behind the last one of 'a' that has met another */
  if (!a_to) {
    c->rc = -ENOMEM;
    return;
  }
  match(a, i, b, j, a_to, b_to);
  match_renamed(c, a, i, b, j, a_to, b_to, 2);
  match_renamed(c, a, i, b, j, a_to, b_to, 1);
  for (size_t k = i; k < a->n; k++)
    last = a_to[k] != NONE ? k + 1 : last;
  for (; j < b->n; j++) {
    if (b_to[j] == NONE) {
      unmatched(c, &b->row[j], false);
      dvmt_cmp_follow(c, &b->row[j]);
      continue;
    }
    size_t k = (size_t)b_to[j];
    if (k >= i) {
      report_missing(c, a, a_to, i, k, last);
      i = k + 1;
    }
    dvmt_cmp_pair(c, &a->row[k], &b->row[j]);
    dvmt_cmp_follow(c, &b->row[j]);
  }
  report_missing(c, a, a_to, i, a->n, last);
  free(a_to);
}

void dvmt_cmp_lists(struct dvmt_compare *c, struct items *a, struct items *b) {
  size_t i = 0;
  int depth = c->depth;
  size_t run = b->n, directives = drop_optional(c, a), others = drop_optional(c, b);
  c->totals.reductions += run - b->n - others;
  for (directives = directives < others ? directives : others; directives; directives--, c->directives++)
    dvmt_cmp_agree(c);
  for (; i < a->n && i < b->n && dvmt_cmp_same_item(&a->row[i], &b->row[i]); i++) {
    dvmt_cmp_pair(c, &a->row[i], &b->row[i]);
    if (b->row[i].kind > DVMT_WRITE)
      dvmt_cmp_follow(c, &b->row[i]);
  }
  if (i == b->n)
    report_missing(c, a, NULL, i, a->n, i);
  else
    compare_unlike(c, a, i, b, i);
  c->depth = depth;
}
