/* Which class a datum is of in a nest, and what the nest has done to it. */
#include "runtime/rules/construct_private.h"
#include "runtime/data/mem.h"
#include <string.h>

bool dvmrt_construct_private(uintptr_t a, uint64_t n) {
  const struct dvmrt_frame *f = dvmrt_construct_nest();
  const struct dvmrt_var *var;
  return f && dvmrt_construct_class(f, a, &var) == DVMRT_CLASS_PRIVATE && a + n <= var->high;
}

bool dvmrt_construct_reduces(uintptr_t a, uint64_t n) {
  const struct dvmrt_frame *f = dvmrt_construct_nest();
  const struct dvmrt_var *var;
  return f && dvmrt_construct_class(f, a, &var) == DVMRT_CLASS_REDUCTION && a + n <= var->high;
}

enum dvmrt_class dvmrt_construct_class(const struct dvmrt_frame *f, uintptr_t a, const struct dvmrt_var **var) {
  *var = NULL;
  if (!f)
    return DVMRT_CLASS_PLAIN;
  for (uint32_t i = 0; i < f->nvars; i++) {
    if (a >= f->vars[i].low && a < f->vars[i].high) {
      *var = &f->vars[i];
      return f->vars[i].class;
    }
  }
  if (f->mapped && !f->on)
    return DVMRT_CLASS_PLAIN; /* who executes what is not known: that was reported */
  return f->mapped ? DVMRT_CLASS_FIRST : DVMRT_CLASS_SHARED;
}

enum dvmrt_class dvmrt_construct_array_class(const struct dvmrt_frame *f, struct dvmrt_array *a) {
  const struct dvmrt_var *var;
  if (!f)
    return DVMRT_CLASS_PLAIN;
  if (dvmrt_construct_clause(f, DVMRT_DIRECTIVE_ACROSS, a))
    return DVMRT_CLASS_ACROSS;
  /* A replicated array is ordinary data in a nest that is shared out; in one that everybody executes as a whole each
   * processor writes its own copy, alike.  So is one with copies in some dimension, where that is shared out. */
  const struct dvmrt_layout *l = dvmrt_array_layout(a);
  const bool placed = f->mapped && f->on;
  if (dvmrt_layout_everywhere(l) ? placed && dvmrt_layout_everywhere(&f->layout) : !placed || !dvmrt_layout_copied(l, &f->layout))
    return DVMRT_CLASS_SHARED;
  return dvmrt_construct_class(f, a->region.base, &var);
}

struct dvmrt_clause_array *dvmrt_construct_clause(const struct dvmrt_frame *f, char key, const struct dvmrt_array *a) {
  for (; f; f = f->outer) {
    for (uint32_t i = 0; i < f->nclauses && !f->left; i++)
      if (f->clauses[i].key == key && f->clauses[i].array == a)
        return &f->clauses[i];
    if (key != DVMRT_DIRECTIVE_REMOTE)
      break;
  }
  return NULL;
}

const struct dvmrt_directive *dvmrt_construct_asked(const struct dvmrt_array *a) {
  for (const struct dvmrt_frame *f = dvmrt_construct_top(); f; f = f->outer)
    for (uint32_t i = 0; i < f->nclauses && !f->left; i++)
      if (f->clauses[i].key == DVMRT_DIRECTIVE_REMOTE && f->clauses[i].array == a)
        return f->d;
  return NULL;
}

bool dvmrt_construct_across_named(const struct dvmrt_frame *f, const char *name) {
  for (uint32_t i = 0; name && i < f->nclauses; i++)
    if (f->clauses[i].key == DVMRT_DIRECTIVE_ACROSS && !f->clauses[i].array && !strcmp(f->clauses[i].item->ref.name, name))
      return true;
  return false;
}

void dvmrt_construct_undeclared(struct dvmrt_frame *f, uintptr_t low, uintptr_t high) {
  struct dvmrt_range *last = f->nundeclared ? &f->undeclared[f->nundeclared - 1] : NULL;
  if (last && last->high == low) {
    last->high = high;
    return;
  }
  f->undeclared = dvmrt_mem_grow(f->undeclared, &f->undeclared_cap, f->nundeclared + 1, sizeof(*f->undeclared));
  f->undeclared[f->nundeclared++] = (struct dvmrt_range){low, high};
}

void dvmrt_construct_filled(struct dvmrt_frame *f, uintptr_t low, uintptr_t high) {
  enum { LOOK_BACK = 8 }; /* a nest that fills the same few data in each iteration keeps one range for each */
  for (uint32_t i = f->nfilled; i > 0 && i + LOOK_BACK > f->nfilled; i--) {
    struct dvmrt_range *r = &f->filled[i - 1];
    if (r->low <= low && high <= r->high)
      return;
    if (r->high == low) {
      r->high = high;
      return;
    }
  }
  f->filled = dvmrt_mem_grow(f->filled, &f->filled_cap, f->nfilled + 1, sizeof(*f->filled));
  f->filled[f->nfilled++] = (struct dvmrt_range){low, high};
}

void dvmrt_construct_written(struct dvmrt_array *a, struct dvmrt_site *site) {
  struct dvmrt_frame *f = dvmrt_construct_nest();
  a->writer = site;
  a->writer_in = f ? f->d : NULL;
  a->ever_written = true;
  a->region.gains++;
  a->moved = NULL;
  if (!f) {
    dvmrt_array_stale(a);
    return;
  }
  if (a->dirty)
    return;
  a->dirty = true;
  f->dirty = dvmrt_mem_grow(f->dirty, &f->dirty_cap, f->ndirty + 1, sizeof(struct dvmrt_array *));
  f->dirty[f->ndirty++] = a;
}
