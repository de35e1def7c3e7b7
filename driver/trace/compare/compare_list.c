/* Lists of records that should be the same, in order. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
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
  l->row[l->n++] = *it;
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

static bool is_reduction(const struct dvmt_compare *c, uint32_t key) {
  for (unsigned i = 0; i < c->nreductions; i++)
    if (c->reductions[i] == key)
      return true;
  return false;
}

bool dvmt_cmp_is_optional(const struct dvmt_compare *c, const struct item *it) {
  return it->kind == DVMT_DIRECT || (it->kind <= DVMT_WRITE && c->in_parallel && is_reduction(c, it->key));
}

static void drop_optional(const struct dvmt_compare *c, struct items *l) {
  size_t to = 0;
  if (!c->may_drop)
    return;
  for (size_t i = 0; i < l->n; i++)
    if (!dvmt_cmp_is_optional(c, &l->row[i]))
      l->row[to++] = l->row[i];
  l->n = to;
}

static void unmatched(struct dvmt_compare *c, const struct item *it, bool of_reference) {
  char what[400], message[600];
  const char *text = of_reference ? dvmt_cmp_place_text(c, it) : dvmt_cmp_b_text(c, it);
  const char *variable = it->kind <= DVMT_WRITE ? dvmt_cmp_key_name(c, it->key) : "";
  dvmt_cmp_describe(c, it, of_reference, what, sizeof(what));
  snprintf(message, sizeof(message), of_reference ? "the %s of the reference does not happen" : "the %s is not in the reference", what);
  dvmt_cmp_structure(c, variable, variable, text, message);
}

/* How far ahead in 'l' from 'at' an item like 'it' is; LOOK_AHEAD if nowhere near. */
static size_t distance(const struct items *l, size_t at, const struct item *it) {
  for (size_t d = 1; d < LOOK_AHEAD && at + d < l->n; d++)
    if (dvmt_cmp_same_item(&l->row[at + d], it))
      return d;
  return LOOK_AHEAD;
}

void dvmt_cmp_lists(struct dvmt_compare *c, struct items *a, struct items *b) {
  size_t i = 0, j = 0;
  drop_optional(c, a);
  drop_optional(c, b);
  while (i < a->n && j < b->n) {
    if (dvmt_cmp_same_item(&a->row[i], &b->row[j])) {
      dvmt_cmp_pair(c, &a->row[i++], &b->row[j++]);
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
