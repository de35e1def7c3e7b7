#include "runtime/report/own.h"
#include "runtime/data/site.h"
#include "runtime/report/name.h"
#include <string.h>

void dvmrt_own_subscript(struct dvmrt_text *t, const char *index, int64_t coef, int64_t add) {
  if (coef == 1 && add)
    dvmrt_text_add(t, "[%s %c %lld]", index, add < 0 ? '-' : '+', (long long)(add < 0 ? -add : add));
  else if (coef == 1)
    dvmrt_text_add(t, "[%s]", index);
  else if (coef == -1)
    dvmrt_text_add(t, "[%lld - %s]", (long long)add, index);
  else if (!add)
    dvmrt_text_add(t, "[%lld * %s]", (long long)coef, index);
  else
    dvmrt_text_add(t, "[%lld * %s %c %lld]", (long long)coef, index, add < 0 ? '-' : '+', (long long)(add < 0 ? -add : add));
}

/* Other iterations have other subscripts: each index of the loops stands alone in one of them. */
static bool own(const struct dvmrt_directive *d, const struct dvmrt_access *x) {
  for (int k = 0; k < d->rank; k++) {
    bool found = false;
    for (int i = 0; i < x->ndims; i++)
      found |= x->axis[i].kind == 'a' && x->axis[i].index == k && x->axis[i].coef;
    if (!found)
      return false;
  }
  return d->rank > 0 && x->ndims > 0 && !x->range;
}

static bool same(const struct dvmrt_access *x, const struct dvmrt_access *y) {
  bool same = x->ndims == y->ndims;
  for (int i = 0; i < x->ndims && same; i++)
    same = x->axis[i].kind != 'a' || (y->axis[i].kind == 'a' && x->axis[i].index == y->axis[i].index &&
                                      x->axis[i].coef == y->axis[i].coef && x->axis[i].add == y->axis[i].add);
  return same;
}

static const struct dvmrt_access *own_write(const struct dvmrt_directive *d, const char *name) {
  const struct dvmrt_access *write = NULL, *all = dvmrt_site_of_construct(d->site, d->pos.file, d->cid);
  for (const struct dvmrt_access *x = all; x; x = x->next)
    if ((x->flags & DVMRT_WRITE) && x->name && !strcmp(x->name, name))
      write = x;
  for (const struct dvmrt_access *x = all; x && write; x = x->next)
    if (x->name && !strcmp(x->name, name) && (!own(d, x) || !same(write, x)))
      return NULL;
  return write;
}

bool dvmrt_own_help(struct dvmrt_report *r, const struct dvmrt_directive *d, const char *name) {
  const struct dvmrt_access *x = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ON) ? own_write(d, name) : NULL;
  if (!x)
    return false;
  struct dvmrt_text *clause = dvmrt_diag_repair(r, DVMRT_REPAIR_ADD, d->pos, NULL, NULL), *help = dvmrt_diag_help(r);
  dvmrt_text_add(clause, "consistent(%s", name);
  for (int i = 0; i < x->ndims; i++)
    if (x->axis[i].kind == 'a')
      dvmrt_own_subscript(clause, d->names[x->axis[i].index], x->axis[i].coef, x->axis[i].add + x->lower[i]);
    else
      dvmrt_text_add(clause, "[]");
  dvmrt_text_add(clause, ")");
  dvmrt_text_add(help, "add '%s' to the directive at ", clause->s);
  dvmrt_name_place(d->pos, help);
  return true;
}
