#include "runtime/rules/named.h"
#include "runtime/rules/construct.h"
#include "runtime/rules/verdict.h"
#include "runtime/data/edges.h"
#include "runtime/abi.h"
#include <stdio.h>
#include <string.h>

static void usage(const struct dvmrt_directive *d, const char *format, const char *array, const char *other) {
  char text[512];
  snprintf(text, sizeof(text), format, array, other);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = d, .usage = text});
}

/* The dimension with the rule. */
static int rule_dim(const struct dvmrt_item *i, const struct dvmrt_array *a) {
  int dim = 0;
  while (dim + 1 < i->ndist && dim + 1 < a->ndims && i->dist[dim] == DVMRT_DIST_WHOLE)
    dim++;
  return dim;
}

static struct dvmrt_edge *make(struct dvmrt_item *i, struct dvmrt_array *a, const int64_t *args) {
  if (!i->edge || !i->ndist) /* of a compiler that does not evaluate rules */
    return dvmrt_edges_make_unknown(a, i->edge ? i->edge : "");
  int dim = rule_dim(i, a);
  return dvmrt_edges_make(a, i->edge, dim, dvmrt_num_value(i->rule[dim].number, args));
}

void dvmrt_named_add(struct dvmrt_directive *d, const int64_t *args) {
  struct dvmrt_item *i = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ARRAY);
  struct dvmrt_array *a = i ? dvmrt_array_target((uintptr_t)dvmrt_num_value(i->ref.address, args)) : NULL;
  if (!a)
    return;
  struct dvmrt_edge *e = make(i, a, args);
  if (!e) {
    usage(d, "'%s' in 'shadow_add' is not distributed yet", a->name, "");
    return;
  }
  if (!a->is_template)
    dvmrt_edges_include(a, e);
  while ((i = dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_ARRAY))) {
    struct dvmrt_array *x = dvmrt_array_of(&i->ref, args);
    if (x && !dvmrt_edges_include(x, e))
      usage(d, "'%s' in 'include_to' is not aligned with '%s': it cannot have an edge of it", x->name, a->name);
  }
}

void dvmrt_named_renew(const struct dvmrt_directive *d, const struct dvmrt_item *i, struct dvmrt_array *a) {
  if (!i->named && !i->nwidths)
    dvmrt_edges_renew(a, NULL);
  if (i->named && !dvmrt_edges_renew(a, i->edge) && i->edge)
    usage(
        d,
        "'%s' has no edge \"%s\": 'shadow_add' gives it one, of the array or its template, under 'include_to', behind each directive that "
        "gives it another place",
        a->name, i->edge);
}

/* ---- localize --------------------------------------------------------------------------------------------------------------------- */

/* The marked dimension of the target, which lies along dimension 'r' of a root that is distributed by a map or a rule. */
struct marked {
  struct dvmrt_array *a;
  int dim, r;
};

static bool is_mapped(const struct dvmrt_array *root, int r) {
  const struct dvmrt_item *own = root->placed ? root->placed->items : NULL;
  return own && r < own->ndist && (own->rule[r].kind == 'i' || own->rule[r].kind == 'd');
}

static bool find_marked(struct marked *m, const struct dvmrt_item *i, const int64_t *args) {
  m->a = dvmrt_array_target((uintptr_t)dvmrt_num_value(i->ref.address, args));
  for (m->dim = 0; m->dim < i->naxes && i->axis[m->dim].kind != 'r';)
    m->dim++;
  if (!m->a || m->dim >= i->naxes || m->dim >= m->a->ndims)
    return false;
  const struct dvmrt_layout *l = dvmrt_array_layout(m->a);
  for (m->r = 0; l->root && m->r < l->ndims; m->r++)
    if (l->block[m->r] && l->at[m->r].kind == DVMRT_COORD_AFFINE && l->at[m->r].index == m->dim)
      return is_mapped(l->root, m->r);
  return false;
}

static int64_t value_at(const struct dvmrt_array *a, uintptr_t at) {
  uint64_t u = 0;
  memcpy(&u, (const void *)at, a->element_bytes < 8 ? a->element_bytes : 8);
  const unsigned unused = a->element_bytes < 8 ? 64 - 8 * (unsigned)a->element_bytes : 0;
  return a->type == 'u' || !unused ? (int64_t)u : (int64_t)(u << unused) >> unused;
}

/* Is element 'index' of the target where element 'ix' of the numbers is, or in an edge that it has there? */
static bool is_here(const struct marked *m, struct dvmrt_array *numbers, const int64_t *ix, int64_t index) {
  const struct dvmrt_layout *l = dvmrt_array_layout(m->a), *there = dvmrt_array_layout(numbers);
  struct dvmrt_coord c = there->at[m->r];
  if (there->root != l->root || c.kind == DVMRT_COORD_ALL)
    return true; /* not known */
  const int64_t place = c.kind == DVMRT_COORD_AFFINE ? c.coef * ix[c.index] + c.add : c.add;
  return l->at[m->r].coef * index + l->at[m->r].add == place || dvmrt_edges_reach(m->a, m->dim, index, there, ix);
}

static void tell_number(const struct dvmrt_directive *d, const struct marked *m, const struct dvmrt_array *numbers, const int64_t *ix,
                        int64_t index) {
  char text[512], element[128] = "";
  size_t n = 0;
  for (int k = 0; k < numbers->ndims && n + 24 < sizeof(element); k++)
    n += (size_t)snprintf(element + n, sizeof(element) - n, "[%lld]", (long long)ix[k]);
  snprintf(text, sizeof(text), "'%s%s' is %lld: this element of '%s' lies elsewhere, and is in none of its edges ('shadow_add') there",
           numbers->name, element, (long long)index, m->a->name);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = d, .usage = text});
}

void dvmrt_named_localize(struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *i = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ARRAY),
                          *target = i ? dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_ARRAY) : NULL;
  struct dvmrt_array *a = i ? dvmrt_array_at((uintptr_t)dvmrt_num_value(i->ref.address, args)) : NULL;
  struct marked m;
  if (!a || !target || !a->region.words || !strchr("iu", a->type) || !a->type || !find_marked(&m, target, args))
    return;
  for (uintptr_t at = a->region.base; at + a->element_bytes <= a->region.end; at += a->element_bytes) {
    int64_t ix[DVMRT_NDIMS_MAX], index = value_at(a, at);
    if (a->region.words[(at - a->region.base) >> a->region.shift] < DVMRT_W_FIRST || index < 0 || index >= m.a->extent[m.dim])
      continue;
    dvmrt_array_indices(a, at, ix);
    if (!is_here(&m, a, ix, index)) {
      tell_number(d, &m, a, ix, index);
      return;
    }
  }
}

/* ---- reads ------------------------------------------------------------------------------------------------------------------------ */

int dvmrt_named_decides(const struct dvmrt_event *ev, const struct dvmrt_place *p) {
  struct dvmrt_array *a = ev->array;
  const struct dvmrt_layout *nest = ev->moved ? ev->moved : &ev->nest->layout;
  if (!a->edges || (ev->flags & DVMRT_WRITE))
    return 0;
  if (dvmrt_edges_holding(a, nest, __dvmrt_now.iv, ev->ix, p, true))
    return 1;
  return dvmrt_edges_holding(a, nest, __dvmrt_now.iv, ev->ix, p, false) ? -1 : 0;
}

static bool may_be_short(const struct dvmrt_frame *f, struct dvmrt_array *a) {
  return a->ndims == 1 && f->mapped && f->on && f->layout.root && !f->beyond.any && !(a->aligned && !a->judged) &&
         !dvmrt_construct_clause(f, DVMRT_DIRECTIVE_ACROSS, a);
}

bool dvmrt_named_reads(const struct dvmrt_frame *f, struct dvmrt_array *a, uintptr_t p) {
  static struct {
    const struct dvmrt_array *a;
    uint32_t serial, iteration;
    bool found;
    struct dvmrt_edge_reader reader;
  } last; /* what the present iteration has, under the lock */
  if (last.a != a || last.serial != f->serial || last.iteration != __dvmrt_now.write) {
    last.a = a;
    last.serial = f->serial;
    last.iteration = __dvmrt_now.write;
    last.found = may_be_short(f, a) && dvmrt_edges_reader(a, &f->layout, __dvmrt_now.iv, &last.reader);
  }
  return last.found && dvmrt_edges_reads(&last.reader, (int64_t)((p - a->region.base) / a->element_bytes));
}
