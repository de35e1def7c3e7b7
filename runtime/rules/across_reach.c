#include "runtime/rules/across_reach.h"
#include <string.h>

bool dvmrt_across_reach_same_array(const struct dvmrt_event *ev, const struct dvmrt_access *x) {
  if (x->ndims != ev->array->ndims)
    return false;
  if (x->distributed && x->use >= 0 && (uint32_t)x->use < ev->nest->nuses && ev->nest->uses[x->use].array)
    return ev->nest->uses[x->use].array == ev->array;
  return x->name && ev->access->name && !strcmp(x->name, ev->access->name);
}

struct dvmrt_access *dvmrt_across_reach_sites(const struct dvmrt_event *ev) {
  const struct dvmrt_directive *d = ev->nest->d;
  return dvmrt_site_of_construct(d->site, d->pos.file, d->cid);
}

/* Do the iterations lie at different places along dimension 'r' of the root?  Where a dimension is not divided, one place
 * that all of them name is no place: each processor has the whole dimension. */
static bool spread(const struct dvmrt_layout *nest, int r) {
  struct dvmrt_coord c = nest->at[r];
  return nest->block[r] ? c.kind != DVMRT_COORD_ALL : c.kind == DVMRT_COORD_AFFINE && c.coef;
}

/* Does the mapped nest run along this dimension of the array?  Subscripts of others carry no dependence between iterations. */
static bool runs_along(const struct dvmrt_event *ev, int dim) {
  const struct dvmrt_layout *l = dvmrt_array_layout(ev->array), *nest = &ev->nest->layout;
  if (!ev->nest->mapped || !l->root || l->root != nest->root)
    return true;
  for (int r = 0; r < l->ndims; r++)
    if (l->at[r].kind == DVMRT_COORD_AFFINE && l->at[r].index == dim && spread(nest, r))
      return true;
  return false;
}

bool dvmrt_across_reach_readable(const struct dvmrt_event *ev, const struct dvmrt_access *x, int dim) {
  return x->axis[dim].kind != 'o' || !runs_along(ev, dim);
}

bool dvmrt_across_reach_subscripts(const struct dvmrt_event *ev, const struct dvmrt_access *x, const int64_t *iv, int64_t *ix) {
  for (int d = 0; d < x->ndims; d++) {
    if (!dvmrt_across_reach_readable(ev, x, d))
      return false;
    const struct dvmrt_subscript *s = &x->axis[d];
    ix[d] = s->kind == 'o' ? ev->ix[d] : dvmrt_array_added(ev->array, x, d) + (s->kind == 'a' ? s->coef * iv[s->index] : 0);
  }
  return true;
}

static bool by_layout(const struct dvmrt_event *ev) {
  const struct dvmrt_layout *l = dvmrt_array_layout(ev->array);
  return ev->nest->mapped && l->root && l->root == ev->nest->layout.root;
}

/* Dimensions that are not divided carry dependences too, if the nest runs along them. */
static struct dvmrt_layout divided_by_nest(const struct dvmrt_event *ev, bool units) {
  struct dvmrt_layout l = *dvmrt_array_layout(ev->array);
  for (int r = 0; r < l.ndims; r++)
    l.block[r] = spread(&ev->nest->layout, r);
  if (!units)
    memset(l.unit, 0, sizeof(l.unit));
  return l;
}

static bool has_units(const struct dvmrt_layout *l) {
  for (int r = 0; r < l->ndims; r++)
    if (l->unit[r] > 1)
      return true;
  return false;
}

static bool place(const struct dvmrt_event *ev, const struct dvmrt_layout *l, const int64_t *iv, const int64_t *ix, int64_t *away) {
  struct dvmrt_place p;
  dvmrt_layout_place(l, &ev->nest->layout, iv, ix, ev->array->ndims, &p);
  memcpy(away, p.away, sizeof(p.away));
  return p.kind == DVMRT_PLACE_OWN || p.kind == DVMRT_PLACE_NEAR;
}

/* Is dimension 'd' of the array divided into units? */
static bool in_units(const struct dvmrt_layout *l, int d) {
  for (int r = 0; r < l->ndims; r++)
    if (l->unit[r] > 1 && l->at[r].kind == DVMRT_COORD_AFFINE && l->at[r].index == d)
      return true;
  return false;
}

static int64_t sign(int64_t x) { return (x > 0) - (x < 0); }

/* 'reach': from the own element, on entry; from the border of the own unit where that is left. */
static bool out_of_units(const struct dvmrt_event *ev, const int64_t *iv, const int64_t *ix, int64_t *reach) {
  int64_t away[DVMRT_NDIMS_MAX];
  if (!has_units(dvmrt_array_layout(ev->array)))
    return true;
  const struct dvmrt_layout l = divided_by_nest(ev, true);
  if (!place(ev, &l, iv, ix, away))
    return false;
  for (int d = 0; d < ev->array->ndims; d++)
    reach[d] = away[d] ? away[d] : in_units(&l, d) ? sign(reach[d]) : reach[d];
  return true;
}

/* In a nest that is not mapped the element an iteration writes is its own: what the first of these sites writes in 'iv'. */
static const struct dvmrt_access *writer_of_own(const struct dvmrt_event *ev, const int64_t *iv, int64_t *own) {
  for (const struct dvmrt_access *x = dvmrt_across_reach_sites(ev); x; x = x->next)
    if ((x->flags & DVMRT_WRITE) && dvmrt_across_reach_same_array(ev, x) && dvmrt_across_reach_subscripts(ev, x, iv, own))
      return x;
  return NULL;
}

bool dvmrt_across_reach(const struct dvmrt_event *ev, const int64_t *iv, const int64_t *ix, int64_t *reach) {
  if (!by_layout(ev)) {
    int64_t own[DVMRT_NDIMS_MAX];
    if (!writer_of_own(ev, iv, own))
      return false;
    for (int d = 0; d < ev->array->ndims; d++)
      reach[d] = ix[d] - own[d];
    return true;
  }
  const struct dvmrt_layout l = divided_by_nest(ev, false);
  return place(ev, &l, iv, ix, reach) && out_of_units(ev, iv, ix, reach);
}

static bool same_slope(struct dvmrt_subscript a, struct dvmrt_subscript b) {
  bool turns = a.kind == 'a' && a.coef, also = b.kind == 'a' && b.coef;
  return a.kind != 'o' && b.kind != 'o' && turns == also && (!turns || (a.index == b.index && a.coef == b.coef));
}

/* May one more iteration lie elsewhere in its unit?  Not if each goes on by whole ones. */
static bool same_in_units(const struct dvmrt_layout *l, const struct dvmrt_layout *nest) {
  for (int r = 0; r < l->ndims; r++)
    if (l->unit[r] > 1 && nest->at[r].kind == DVMRT_COORD_AFFINE && nest->at[r].coef % l->unit[r])
      return false;
  return true;
}

/* Neighbours are 1 away on either side of a border. */
static bool settled_in_units(const struct dvmrt_event *ev, const struct dvmrt_access *x) {
  const struct dvmrt_layout *own = dvmrt_array_layout(ev->array);
  int64_t ix[DVMRT_NDIMS_MAX], away[DVMRT_NDIMS_MAX];
  if (!has_units(own) || same_in_units(own, &ev->nest->layout))
    return true;
  const struct dvmrt_layout points = divided_by_nest(ev, false);
  if (!dvmrt_across_reach_subscripts(ev, x, __dvmrt_now.iv, ix) || !place(ev, &points, __dvmrt_now.iv, ix, away))
    return false;
  for (int d = 0; d < x->ndims; d++)
    if (in_units(own, d) && (away[d] < -1 || away[d] > 1))
      return false;
  return true;
}

bool dvmrt_across_reach_settled(const struct dvmrt_event *ev, const struct dvmrt_access *x) {
  int64_t own[DVMRT_NDIMS_MAX];
  if (by_layout(ev)) {
    const struct dvmrt_layout l = divided_by_nest(ev, false);
    return x->ndims && dvmrt_layout_settled(&l, &ev->nest->layout, x->axis, x->ndims) && settled_in_units(ev, x);
  }
  const struct dvmrt_access *w = writer_of_own(ev, __dvmrt_now.iv, own);
  for (int d = 0; w && d < x->ndims; d++)
    if (!same_slope(x->axis[d], w->axis[d]))
      return false;
  return w && x->ndims;
}
