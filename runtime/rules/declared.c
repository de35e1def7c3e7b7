#include "runtime/rules/declared.h"
#include "runtime/data/array.h"
#include "runtime/data/mem.h"
#include "runtime/data/storage.h"
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

static bool same_form(const struct dvmrt_array *a, const struct dvmrt_array *b);

/* Templates of program units are each one's own. */
static bool same_target(const struct dvmrt_array *a, const struct dvmrt_array *b) {
  if (a->target_address == b->target_address)
    return true;
  const struct dvmrt_array *x = dvmrt_array_target(a->target_address), *y = dvmrt_array_target(b->target_address);
  return x && y && x->is_template && y->is_template && same_form(x, y);
}

static bool same_form(const struct dvmrt_array *a, const struct dvmrt_array *b) {
  bool same = a->ndims == b->ndims && a->distributed == b->distributed && a->aligned == b->aligned && a->dynamic == b->dynamic;
  if (a->aligned)
    same = same && same_target(a, b) && a->ntarget == b->ntarget && !memcmp(a->map, b->map, sizeof(a->map));
  for (int i = 0; same && i < a->ndims; i++)
    same = a->dist[i] == b->dist[i] && a->unit[i] == b->unit[i] && a->low[i] == b->low[i] && a->high[i] == b->high[i] &&
           (!a->is_template || a->extent[i] == b->extent[i]);
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

static bool same_pos(struct dvmrt_pos a, struct dvmrt_pos b) {
  return a.line == b.line && a.column == b.column && a.file && b.file && !strcmp(a.file, b.file);
}

static bool same_extents(const struct dvmrt_array *a, const struct dvmrt_array *b) {
  return a->ndims == b->ndims && !memcmp(a->extent, b->extent, sizeof(a->extent));
}

/* Of COMMON: the directive of the program unit that was first holds for the array.  Once a directive. */
static void say_in_unit(struct dvmrt_directive *d, const int64_t *args) {
  const struct said *other = said, *first = NULL;
  while (other && other->d != d)
    other = other->next;
  if (other)
    return;
  say(d, args, false);
  for (other = said->next; other; other = other->next)
    if (other->variable == said->variable && same_extents(&other->form, &said->form))
      first = other;
  if (first && !same_pos(first->d->pos, d->pos) && !same_form(&first->form, &said->form))
    report(d, first->d);
}

void dvmrt_declared_here(struct dvmrt_directive *d, const int64_t *args) {
  if (d->items && d->visible && !d->fortran)
    say(d, args, false);
  else if (d->items && d->fortran && dvmrt_storage_static(variable_of(d, args)))
    say_in_unit(d, args);
}

void dvmrt_declared_elsewhere(struct dvmrt_directive *d, const int64_t *args) {
  if (d->items)
    say(d, args, true);
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
