/* Where elements lie, against a search over all points of a template. */
#include "runtime/data/layout.h"
#include "play.h"
#include "random.h"
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20000, EXTENT = 12 };
static const struct dvmrt_array *const root = (const void *)&root; /* compared only */

static struct dvmrt_coord some_coord(int ndims) {
  switch (random_below(6)) {
  case 0: return (struct dvmrt_coord){DVMRT_COORD_ALL, 0, 0, 0};
  case 1: return (struct dvmrt_coord){DVMRT_COORD_CONST, 0, 0, random_between(-2, 4)};
  default:
    return (struct dvmrt_coord){DVMRT_COORD_AFFINE, (int)random_below((uint32_t)ndims),
                                random_below(3)   ? 1
                                : random_below(2) ? 2
                                                  : -1,
                                random_between(-2, 2)};
  }
}

static bool uses_twice(const struct dvmrt_layout *l) {
  for (int a = 0; a < l->ndims; a++)
    for (int b = 0; b < a; b++)
      if (l->at[a].kind == DVMRT_COORD_AFFINE && l->at[b].kind == DVMRT_COORD_AFFINE && l->at[a].index == l->at[b].index)
        return true;
  return false;
}

static void some_layout(struct dvmrt_layout *l, int root_dims, int ndims) {
  do {
    *l = (struct dvmrt_layout){.root = root, .ndims = root_dims};
    for (int r = 0; r < root_dims; r++)
      l->at[r] = some_coord(ndims);
  } while (uses_twice(l));
}

/* Blocks of whole units are a matter of the root. */
static void some_units(struct dvmrt_layout *a, struct dvmrt_layout *b) {
  for (int r = 0; r < a->ndims; r++)
    a->unit[r] = b->unit[r] = random_below(3) ? 0 : random_between(1, 4);
}

static int64_t unit_of(const struct dvmrt_layout *l, int r, int64_t point) {
  const int64_t unit = l->unit[r] > 1 ? l->unit[r] : 1;
  return (point + 100 * unit) / unit;
}

static int64_t at(struct dvmrt_coord c, const int64_t *v) { return c.kind == DVMRT_COORD_AFFINE ? c.coef * v[c.index] + c.add : c.add; }

/* Is element ix on the virtual processor of iteration iv?  A point, or unit, of the root that divides holds both. */
static bool together(const struct dvmrt_layout *a, const struct dvmrt_layout *n, const int64_t *ix, const int64_t *iv) {
  for (int r = 0; r < a->ndims; r++) {
    if (!a->block[r] || a->at[r].kind == DVMRT_COORD_ALL)
      continue;
    if (n->at[r].kind == DVMRT_COORD_ALL || unit_of(a, r, at(a->at[r], ix)) != unit_of(a, r, at(n->at[r], iv)))
      return false;
  }
  return true;
}

static void assert_in_unit(const struct dvmrt_layout *l, int r, int64_t point, int64_t other) {
  assert_int_equal(unit_of(l, r, point), unit_of(l, r, other));
}

static void test_place(void **state) {
  (void)state;
  random_seed();
  for (int round = 0; round < ROUNDS; round++) {
    struct dvmrt_layout a, n;
    int ndims = (int)random_between(1, 3), rank = (int)random_between(1, 3), dims = (int)random_between(1, 3);
    some_layout(&a, dims, ndims);
    some_layout(&n, dims, rank);
    some_units(&a, &n);
    for (int r = 0; r < dims; r++)
      a.block[r] = n.block[r] = random_below(4) > 0;
    int64_t ix[3], iv[3];
    for (int d = 0; d < 3; d++) {
      ix[d] = random_between(0, EXTENT);
      iv[d] = random_between(0, EXTENT);
    }
    struct dvmrt_place p;
    dvmrt_layout_place(&a, &n, iv, ix, ndims, &p);
    assert_int_equal(p.kind == DVMRT_PLACE_OWN, together(&a, &n, ix, iv));
    if (p.kind != DVMRT_PLACE_NEAR)
      continue;
    /* Moving the element back by 'away' brings it to the own part, or just past it when the alignment has a stride. */
    for (int r = 0; r < dims; r++) {
      struct dvmrt_coord c = a.at[r];
      if (!a.block[r] || c.kind != DVMRT_COORD_AFFINE)
        continue;
      if (a.unit[r] > 1 && p.has_own[c.index]) {
        assert_in_unit(&a, r, c.coef * (ix[c.index] - p.away[c.index]) + c.add, at(n.at[r], iv));
        assert_false(p.away[c.index] &&
                     unit_of(&a, r, c.coef * (p.own[c.index] + (p.away[c.index] < 0 ? -1 : 1)) + c.add) == unit_of(&a, r, at(n.at[r], iv)));
        continue;
      }
      int64_t moved = c.coef * (ix[c.index] - p.away[c.index]) + c.add - at(n.at[r], iv);
      assert_true(llabs(moved) < llabs(c.coef));
      int64_t before = c.coef * ix[c.index] + c.add - at(n.at[r], iv);
      assert_true(before == 0 || (before < 0) == (p.away[c.index] * c.coef < 0));
      assert_true(moved == 0 || (moved < 0) != (before < 0));
    }
  }
}

static void test_settled(void **state) {
  (void)state;
  random_seed();
  for (int round = 0; round < ROUNDS; round++) {
    struct dvmrt_layout a, n;
    struct dvmrt_subscript axis[3];
    int ndims = (int)random_between(1, 3), rank = (int)random_between(1, 3), dims = (int)random_between(1, 3);
    some_layout(&a, dims, ndims);
    some_layout(&n, dims, rank);
    some_units(&a, &n);
    for (int r = 0; r < dims; r++)
      a.block[r] = n.block[r] = true;
    for (int d = 0; d < ndims; d++)
      axis[d] = (struct dvmrt_subscript){random_below(3) ? 'a' : 'c', (int)random_below((uint32_t)rank), random_below(3) ? 1 : 2,
                                         random_between(-1, 1), NULL};
    if (!dvmrt_layout_settled(&a, &n, axis, ndims))
      continue;
    struct dvmrt_place first, p;
    for (int k = 0; k < 8; k++) {
      int64_t ix[3], iv[3];
      for (int d = 0; d < 3; d++)
        iv[d] = random_between(0, EXTENT);
      for (int d = 0; d < ndims; d++)
        ix[d] = axis[d].kind == 'a' ? axis[d].coef * iv[axis[d].index] + axis[d].add : axis[d].add;
      dvmrt_layout_place(&a, &n, iv, ix, ndims, &p);
      if (!k)
        first = p;
      assert_int_equal(p.kind, first.kind);
      if (p.kind == DVMRT_PLACE_NEAR)
        assert_memory_equal(p.away, first.away, sizeof(p.away));
    }
  }
}

/* a[i] aligned with b[2i + 1], b[j] aligned with t[3 - j]: a[i] lies at t[3 - (2i + 1)]. */
static void test_compose(void **state) {
  (void)state;
  struct dvmrt_coord inner = {DVMRT_COORD_AFFINE, 0, 2, 1}, outer = {DVMRT_COORD_AFFINE, 0, -1, 3};
  struct dvmrt_coord c = dvmrt_coord_compose(outer, &inner, 1);
  assert_int_equal(c.kind, DVMRT_COORD_AFFINE);
  assert_int_equal(c.coef, -2);
  assert_int_equal(c.add, 2);
  inner.kind = DVMRT_COORD_ALL;
  assert_int_equal(dvmrt_coord_compose(outer, &inner, 1).kind, DVMRT_COORD_ALL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_place), cmocka_unit_test(test_settled), cmocka_unit_test(test_compose)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
