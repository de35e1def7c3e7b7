#include "runtime/rules/region_reach.h"
#include "runtime/data/mem.h"
#include <string.h>

static struct reach {
  struct reach *next;
  struct dvmrt_directive *d;
  int64_t *given, *now;         /* arguments; the same with the values of pointers */
  const char *function;         /* NULL: of a region */
  uint32_t visited;
} *all;

void dvmrt_region_reached(struct dvmrt_directive *d, const int64_t *args) {
  struct reach *r = dvmrt_mem_alloc(sizeof(*r));
  const size_t n = (size_t)d->nslots * sizeof(*args);
  const struct dvmrt_item *name = strcmp(d->kind, "reaches") ? NULL : dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP);
  *r = (struct reach){.next = all, .d = d, .function = name ? name->ref.name : NULL};
  if (n) {
    r->given = dvmrt_mem_alloc(n);
    r->now = dvmrt_mem_alloc(n);
    memcpy(r->given, args, n);
  }
  all = r;
}

void dvmrt_region_reach_gone(const struct dvmrt_site *first, const struct dvmrt_site *last) {
  for (struct reach **l = &all, *r; (r = *l);) {
    if (r->d->site < first || r->d->site >= last) {
      l = &r->next;
      continue;
    }
    const size_t n = (size_t)r->d->nslots * sizeof(*r->given);
    *l = r->next;
    if (n) {
      dvmrt_mem_free(r->given, n);
      dvmrt_mem_free(r->now, n);
    }
    dvmrt_mem_free(r, sizeof(*r));
  }
}

typedef void use_f(const struct dvmrt_ref *ref, const int64_t *args);

static void use_data(struct reach *r, use_f *use) {
  for (struct dvmrt_item *i = r->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_REGION)); i = i->next) {
    const int slot = i->ref.address.slot;
    if (slot < 0 || !r->given[slot]) /* NULL: declared, used nowhere, and perhaps defined nowhere */
      continue;
    memcpy(r->now, r->given, (size_t)r->d->nslots * sizeof(*r->now));
    if (!strcmp(i->word, "through"))
      memcpy(&r->now[slot], (const void *)(uintptr_t)r->given[slot], sizeof(void *));
    if (r->now[slot])
      use(&i->ref, r->now);
  }
}

static void follow(struct reach *r, uint32_t visit, use_f *use) {
  r->visited = visit;
  use_data(r, use);
  for (struct dvmrt_item *i = r->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_GROUP)); i = i->next)
    for (struct reach *f = all; f; f = f->next)
      if (f->function && f->visited != visit && !strcmp(f->function, i->ref.name))
        follow(f, visit, use);
}

void dvmrt_region_reach_each(const struct dvmrt_directive *region, use_f *use) {
  static uint32_t visit;
  visit++;
  for (struct reach *r = all; r; r = r->next)
    if (!r->function && r->d->pos.line == region->pos.line && r->d->pos.column == region->pos.column && r->d->pos.file &&
        region->pos.file && !strcmp(r->d->pos.file, region->pos.file))
      follow(r, visit, use);
}
