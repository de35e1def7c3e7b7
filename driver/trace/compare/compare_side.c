/* The two sides: names and numbers that they share, and the records of the reference. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t dvmt_cmp_intern(struct dvmt_compare *c, const char *name) {
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

bool dvmt_cmp_add_key(struct keys *k, uint32_t key) {
  uint32_t *rows = realloc(k->key, (k->n + 1) * sizeof(*rows));
  if (!rows)
    return false;
  rows[k->n++] = key;
  k->key = rows;
  return true;
}

/* A construct is the same if kind, file (without folders) and line are. */
uint32_t dvmt_cmp_site_key(struct dvmt_compare *c, const char *text) {
  char name[512];
  struct dvmt_where w = dvmt_site_where(text);
  struct dvmt_span kind = dvmt_site_kind(text);
  size_t at = w.file.n;
  while (at && w.file.s[at - 1] != '/')
    at--;
  snprintf(name, sizeof(name), "\1%.*s %.*s %u", (int)kind.n, kind.s, (int)(w.file.n - at), w.file.s ? w.file.s + at : "", w.line);
  return dvmt_cmp_intern(c, name);
}

static void learn_reference(struct dvmt_compare *c) {
  while (c->a.sites.n < dvmt_reader_nsites(c->reference) && !c->rc)
    if (!dvmt_cmp_add_key(&c->a.sites, dvmt_cmp_site_key(c, dvmt_reader_site(c->reference, c->a.sites.n)->text)))
      c->rc = -ENOMEM;
  while (c->a.objects.n < dvmt_reader_nobjects(c->reference) && !c->rc)
    if (!dvmt_cmp_add_key(&c->a.objects, dvmt_cmp_intern(c, dvmt_reader_object(c->reference, c->a.objects.n)->name)))
      c->rc = -ENOMEM;
}

void dvmt_cmp_to_item(const struct keys *sites, const struct keys *objects, const struct dvmt_record *r, struct item *it) {
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

/* The next record of the reference in 'c->ahead'; false at its end. */
bool dvmt_cmp_peek(struct dvmt_compare *c) {
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
      c->totals.lost += r.words[0];
      continue;
    }
    learn_reference(c);
    if (c->rc)
      return false;
    dvmt_cmp_to_item(&c->a.sites, &c->a.objects, &r, &c->ahead);
    return c->has_ahead = true;
  }
}
