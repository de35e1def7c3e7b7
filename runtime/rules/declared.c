#include "runtime/rules/declared.h"
#include "runtime/data/array.h"
#include "runtime/data/mem.h"
#include "runtime/rules/verdict.h"
#include <string.h>

static struct said {
  struct said *next;
  struct dvmrt_directive *d;
  uintptr_t variable;
  bool elsewhere;
  struct dvmrt_array form; /* what the directive makes of it */
} *said;

static uintptr_t variable_of(const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *pointer = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_POINTER);
  return (uintptr_t)dvmrt_num_value(pointer ? pointer->ref.address : d->items->ref.address, args);
}

static bool same_form(const struct dvmrt_array *a, const struct dvmrt_array *b) {
  bool same = a->ndims == b->ndims && a->distributed == b->distributed && a->aligned == b->aligned && a->dynamic == b->dynamic;
  if (a->aligned)
    same = same && a->target_address == b->target_address && a->ntarget == b->ntarget && !memcmp(a->map, b->map, sizeof(a->map));
  for (int i = 0; same && i < a->ndims; i++)
    same =
        a->dist[i] == b->dist[i] && a->low[i] == b->low[i] && a->high[i] == b->high[i] && (!a->is_template || a->extent[i] == b->extent[i]);
  return same;
}

static void report(const struct dvmrt_directive *elsewhere, const struct dvmrt_directive *own) {
  struct dvmrt_record r = {.kind = DVMRT_RECORD_DECLARED, .directive = elsewhere, .defined = own};
  dvmrt_verdict_give(&r);
}

static void say(struct dvmrt_directive *d, const int64_t *args, bool elsewhere) {
  struct said *s = dvmrt_mem_alloc(sizeof(*s));
  *s = (struct said){.next = said, .d = d, .variable = variable_of(d, args), .elsewhere = elsewhere};
  dvmrt_array_form(&s->form, d, args);
  for (const struct said *other = said; other; other = other->next)
    if (other->variable == s->variable && other->elsewhere != elsewhere && !same_form(&other->form, &s->form))
      report(elsewhere ? d : other->d, elsewhere ? other->d : d);
  said = s;
}

void dvmrt_declared_here(struct dvmrt_directive *d, const int64_t *args) {
  if (d->items && d->visible)
    say(d, args, false);
}

void dvmrt_declared_elsewhere(struct dvmrt_directive *d, const int64_t *args) {
  if (d->items)
    say(d, args, true);
}

static bool same_pos(struct dvmrt_pos a, struct dvmrt_pos b) {
  return a.line == b.line && a.column == b.column && a.file && b.file && !strcmp(a.file, b.file);
}

int dvmrt_declared_places(const struct dvmrt_array *a, struct dvmrt_pos *places, int room) {
  const struct said *own = said;
  int n = 0;
  while (own && (!same_pos(own->d->pos, a->declared) || strcmp(own->d->items->ref.name, a->name)))
    own = own->next;
  for (const struct said *s = own ? said : NULL; s && n < room; s = s->next) {
    bool known = s->variable != own->variable || same_pos(s->d->pos, a->declared);
    for (int i = 0; i < n; i++)
      known |= same_pos(s->d->pos, places[i]);
    if (!known)
      places[n++] = s->d->pos;
  }
  return n;
}

void dvmrt_declared_gone(const struct dvmrt_site *first, const struct dvmrt_site *last) {
  for (struct said **l = &said, *s; (s = *l);) {
    if (s->d->site < first || s->d->site >= last) {
      l = &s->next;
      continue;
    }
    *l = s->next;
    dvmrt_mem_free(s, sizeof(*s));
  }
}
