#include "runtime/data/layout.h"
#include "runtime/data/directive.h"
#include <stdlib.h>
#include <string.h>

struct dvmrt_coord dvmrt_coord_compose(struct dvmrt_coord outer, const struct dvmrt_coord *inner, int ninner) {
  if (outer.kind != DVMRT_COORD_AFFINE)
    return outer;
  if (outer.index >= ninner)
    return (struct dvmrt_coord){DVMRT_COORD_ALL, 0, 0, 0};
  struct dvmrt_coord in = inner[outer.index];
  if (in.kind == DVMRT_COORD_ALL)
    return in;
  in.add = outer.coef * in.add + outer.add;
  in.coef *= outer.coef;
  return in;
}

void dvmrt_layout_of_root(struct dvmrt_layout *l, const void *root, int ndims, const int64_t *extent, const uint8_t *dist) {
  *l = (struct dvmrt_layout){.root = root, .ndims = ndims};
  for (int d = 0; d < ndims; d++) {
    l->block[d] = dist[d] != DVMRT_DIST_WHOLE;
    l->given[d] = dist[d] == DVMRT_DIST_GIVEN;
    l->extent[d] = extent[d];
    l->at[d] = (struct dvmrt_coord){DVMRT_COORD_AFFINE, d, 1, 0};
  }
}

void dvmrt_layout_of_aligned(struct dvmrt_layout *l, const struct dvmrt_layout *target, const struct dvmrt_coord *map, int nmap) {
  *l = *target;
  for (int r = 0; r < target->ndims; r++)
    l->at[r] = dvmrt_coord_compose(target->at[r], map, nmap);
}

bool dvmrt_layout_everywhere(const struct dvmrt_layout *l) {
  for (int r = 0; l->root && r < l->ndims; r++)
    if (l->block[r] && l->at[r].kind != DVMRT_COORD_ALL)
      return false;
  return true;
}

bool dvmrt_layout_copied(const struct dvmrt_layout *array, const struct dvmrt_layout *nest) {
  for (int r = 0; array->root && array->root == nest->root && r < array->ndims; r++)
    if (array->block[r] && array->at[r].kind == DVMRT_COORD_ALL && nest->at[r].kind != DVMRT_COORD_ALL)
      return true;
  return false;
}

bool dvmrt_layout_divides(const struct dvmrt_layout *l, int dim) {
  for (int r = 0; l->root && r < l->ndims; r++)
    if (l->block[r] && l->at[r].kind == DVMRT_COORD_AFFINE && l->at[r].index == dim)
      return true;
  return false;
}

static int64_t value(struct dvmrt_coord c, const int64_t *at) {
  return c.kind == DVMRT_COORD_AFFINE ? c.coef * at[c.index] + c.add : c.add;
}

/* num / den away from zero. */
static int64_t round_out(int64_t num, int64_t den) {
  int64_t q = num / den;
  if (num % den)
    q += (num < 0) == (den < 0) ? 1 : -1;
  return q;
}

static int64_t floor_of(int64_t num, int64_t den) { return num / den - (num % den && (num < 0) != (den < 0)); }

/* Does the same processor have both points, however many there are? */
static bool together(int64_t unit, int64_t a, int64_t b) { return a == b || (unit > 1 && floor_of(a, unit) == floor_of(b, unit)); }

/* Dimension 'a.index' against the unit that holds the point; false: it has no element. */
static bool place_in_unit(struct dvmrt_coord a, int64_t unit, int64_t point, int64_t ix, int64_t *own) {
  const int64_t first = floor_of(point, unit) * unit - a.add, last = first + unit - 1;
  const int64_t low = -floor_of(-(a.coef > 0 ? first : last), a.coef), high = floor_of(a.coef > 0 ? last : first, a.coef);
  *own = ix < low ? low : ix > high ? high : ix;
  return low <= high;
}

static void place_dim(struct dvmrt_coord a, int64_t unit, int64_t point, const int64_t *ix, struct dvmrt_place *p) {
  int64_t delta = value(a, ix) - point;
  if (a.kind == DVMRT_COORD_CONST || a.coef == 0) {
    if (!together(unit, point + delta, point))
      p->kind = DVMRT_PLACE_FIXED;
    return;
  }
  int d = a.index;
  int64_t away;
  if (unit > 1 && place_in_unit(a, unit, point, ix[d], &p->own[d])) {
    away = ix[d] - p->own[d];
  } else if (DVMRT_LIKELY(a.coef == 1)) {
    p->own[d] = point - a.add;
    away = delta;
  } else {
    p->has_own[d] = (point - a.add) % a.coef == 0;
    p->own[d] = (point - a.add) / a.coef;
    away = delta ? round_out(delta, a.coef) : 0;
  }
  if (!p->away[d] && away)
    p->naway++;
  if (llabs(away) > llabs(p->away[d]))
    p->away[d] = away;
}

void dvmrt_layout_place(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const int64_t *iv, const int64_t *ix, int ndims,
                        struct dvmrt_place *p) {
  memset(p, 0, sizeof(*p));
  for (int d = 0; d < ndims; d++) {
    p->own[d] = ix[d];
    p->has_own[d] = true;
  }
  if (dvmrt_layout_everywhere(array))
    return;
  if (array->root != nest->root) {
    p->kind = DVMRT_PLACE_UNRELATED;
    return;
  }
  for (int r = 0; r < array->ndims; r++) {
    if (!array->block[r] || array->at[r].kind == DVMRT_COORD_ALL)
      continue;
    if (nest->at[r].kind == DVMRT_COORD_ALL) {
      p->kind = DVMRT_PLACE_REPLICATED;
      return;
    }
    place_dim(array->at[r], array->unit[r], value(nest->at[r], iv), ix, p);
    if (p->kind)
      return;
  }
  if (p->naway)
    p->kind = DVMRT_PLACE_NEAR;
}

bool dvmrt_layout_own(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const int64_t *iv, int64_t *own, bool *has_own) {
  if (!array->root || array->root != nest->root)
    return false;
  memset(has_own, 0, DVMRT_NDIMS_MAX * sizeof(*has_own));
  for (int r = 0; r < array->ndims; r++) {
    struct dvmrt_coord a = array->at[r];
    if (!array->block[r] || a.kind == DVMRT_COORD_ALL)
      continue;
    if (nest->at[r].kind == DVMRT_COORD_ALL || a.kind != DVMRT_COORD_AFFINE || a.coef != 1 || has_own[a.index] || array->unit[r] > 1)
      return false;
    has_own[a.index] = true;
    own[a.index] = value(nest->at[r], iv) - a.add;
  }
  return true;
}

/* Dimension 'd' of the array at every second point, the iteration at a 'point' between two of them: [point - 1, point] has the element
 * on one side of it, [point, point + 1] that on the other. */
static bool place_between(struct dvmrt_coord a, int64_t point, int64_t points, int64_t ix, int64_t extent, struct dvmrt_place *p) {
  int64_t farthest = 0;
  bool any = false;
  for (int side = -1; side <= 1; side += 2) {
    int64_t at = point + side, own = (at - a.add) / a.coef;
    if (at < 0 || at >= points)
      continue;
    if ((at - a.add) % a.coef || own < 0 || own >= extent)
      return false;
    if (!any || llabs(ix - own) > llabs(farthest)) {
      farthest = ix - own;
      p->own[a.index] = own;
    }
    any = true;
  }
  p->has_own[a.index] = true;
  p->away[a.index] = farthest;
  return any;
}

bool dvmrt_layout_place_pairs(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const int64_t *iv, const int64_t *ix,
                              const int64_t *extent, struct dvmrt_place *p) {
  for (int r = 0; r < array->ndims; r++) {
    struct dvmrt_coord a = array->at[r];
    if (!array->block[r] || a.kind != DVMRT_COORD_AFFINE || !a.coef || p->has_own[a.index])
      continue;
    if (array->given[r] || llabs(a.coef) != 2 ||
        !place_between(a, value(nest->at[r], iv), array->extent[r], ix[a.index], extent[a.index], p))
      return false;
  }
  p->naway = 0;
  for (int d = 0; d < DVMRT_NDIMS_MAX; d++)
    p->naway += p->away[d] != 0;
  return true;
}

bool dvmrt_layout_covers(const struct dvmrt_layout *array, const int64_t *extent) {
  for (int r = 0; array->root && r < array->ndims; r++) {
    struct dvmrt_coord c = array->at[r];
    if (!array->block[r] || c.kind != DVMRT_COORD_AFFINE)
      continue;
    int64_t first = c.coef > 0 ? c.add : c.add - (extent[c.index] - 1), last = first + extent[c.index] - 1;
    if (llabs(c.coef) != 1 || first > 0 || last < array->extent[r] - 1)
      return false;
  }
  return true;
}

bool dvmrt_layout_beside(const struct dvmrt_layout *array, const int64_t *ix, const struct dvmrt_layout *other, const int64_t *other_ix) {
  if (dvmrt_layout_everywhere(array))
    return true;
  if (array->root != other->root)
    return false;
  for (int r = 0; r < array->ndims; r++) {
    if (!array->block[r] || array->at[r].kind == DVMRT_COORD_ALL)
      continue;
    if (other->at[r].kind == DVMRT_COORD_ALL || !together(array->unit[r], value(array->at[r], ix), value(other->at[r], other_ix)))
      return false;
  }
  return true;
}

int dvmrt_layout_beside_along(const struct dvmrt_layout *array, const int64_t (*ix)[DVMRT_NDIMS_MAX], const struct dvmrt_layout *other,
                              const int64_t (*other_ix)[DVMRT_NDIMS_MAX]) {
  if (dvmrt_layout_everywhere(array))
    return 1;
  if (array->root != other->root)
    return 0;
  bool beside = true, apart = false;
  for (int r = 0; r < array->ndims; r++) {
    if (!array->block[r] || array->at[r].kind == DVMRT_COORD_ALL)
      continue;
    if (other->at[r].kind == DVMRT_COORD_ALL)
      return 0;
    int64_t first = value(array->at[r], ix[0]) - value(other->at[r], other_ix[0]),
            last = value(array->at[r], ix[1]) - value(other->at[r], other_ix[1]), unit = array->unit[r] > 1 ? array->unit[r] : 1;
    beside &= !first && !last;
    apart |= (first <= -unit && last <= -unit) || (first >= unit && last >= unit);
  }
  return beside ? 1 : apart ? 0 : -1;
}

static bool steady(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const struct dvmrt_subscript *axis, int ndims,
                   bool units) {
  if (dvmrt_layout_everywhere(array) || array->root != nest->root)
    return true;
  for (int r = 0; r < array->ndims; r++) {
    struct dvmrt_coord a = array->at[r], n = nest->at[r];
    if (!array->block[r] || a.kind == DVMRT_COORD_ALL || n.kind == DVMRT_COORD_ALL)
      continue;
    int64_t coef = 0, add = a.add;
    int index = -1;
    if (a.kind == DVMRT_COORD_AFFINE) {
      if (a.index >= ndims || axis[a.index].kind == 'o')
        return false;
      if (axis[a.index].kind == 'a') {
        index = axis[a.index].index;
        coef = a.coef * axis[a.index].coef;
      }
      add += a.coef * axis[a.index].add;
    }
    int64_t want = n.kind == DVMRT_COORD_AFFINE ? n.coef : 0;
    if (coef != want || (coef && index != n.index) || (units && array->unit[r] > 1 && add != n.add))
      return false;
  }
  return true;
}

bool dvmrt_layout_settled(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const struct dvmrt_subscript *axis,
                          int ndims) {
  return steady(array, nest, axis, ndims, true);
}

bool dvmrt_layout_steady(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const struct dvmrt_subscript *axis, int ndims) {
  return steady(array, nest, axis, ndims, false);
}
