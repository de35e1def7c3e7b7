/* Where elements and iterations lie: maps from indices to the dimensions of a distributed template (or array), composed over
 * chains of alignment.  Pure arithmetic; no memory, no state. */
#ifndef DVMRT_LAYOUT_H
#define DVMRT_LAYOUT_H
#include "runtime/data/site.h"

/* Coordinate along one dimension of a target. */
struct dvmrt_coord {
  enum { DVMRT_COORD_ALL, DVMRT_COORD_CONST, DVMRT_COORD_AFFINE } kind; /* ALL: on every processor of that dimension */
  int index;           /* AFFINE: dimension of the array, or index variable of the nest */
  int64_t coef, add;   /* coef * index + add; CONST: add */
};

struct dvmrt_layout {
  const void *root;    /* the array or template that is distributed; NULL: on all processors */
  int ndims;                      /* of the root */
  bool block[DVMRT_NDIMS_MAX];    /* divided among processors; else whole */
  bool given[DVMRT_NDIMS_MAX];    /* .. into blocks of sizes that the program gives */
  int64_t unit[DVMRT_NDIMS_MAX];  /* .. into blocks of whole units of so many points (multblock); at most 1: of points */
  int64_t extent[DVMRT_NDIMS_MAX];
  struct dvmrt_coord at[DVMRT_NDIMS_MAX];
};

/* outer(inner): 'inner' gives each dimension that 'outer' speaks of. */
struct dvmrt_coord dvmrt_coord_compose(struct dvmrt_coord outer, const struct dvmrt_coord *inner, int ninner);
/* Every processor holds all of it. */
bool dvmrt_layout_everywhere(const struct dvmrt_layout *l);
/* Has the array copies in a dimension along which the iterations of the nest are divided?  One iteration then writes one of them. */
bool dvmrt_layout_copied(const struct dvmrt_layout *array, const struct dvmrt_layout *nest);
/* Is dimension 'dim' of the array divided among processors? */
bool dvmrt_layout_divides(const struct dvmrt_layout *l, int dim);

/* Of what is distributed itself, 'dist[ndims]' being DVMRT_DIST_* (directive.h). */
void dvmrt_layout_of_root(struct dvmrt_layout *l, const void *root, int ndims, const int64_t *extent, const uint8_t *dist);
/* Of what 'map' aligns with something that lies as 'target' says. */
void dvmrt_layout_of_aligned(struct dvmrt_layout *l, const struct dvmrt_layout *target, const struct dvmrt_coord *map, int nmap);

/* Element against the part that one iteration owns. */
struct dvmrt_place {
  enum {
    DVMRT_PLACE_OWN,         /* in it */
    DVMRT_PLACE_NEAR,        /* displaced along dimensions of the array: 'away' says by how much */
    DVMRT_PLACE_UNRELATED,   /* distributed separately */
    DVMRT_PLACE_REPLICATED,  /* the iteration is replicated over a dimension that divides the array */
    DVMRT_PLACE_FIXED        /* the array lies at one point of a dimension, the iteration at another */
  } kind;
  int64_t away[DVMRT_NDIMS_MAX]; /* index distance from the own part, rounded away from it; negative: towards lower indices */
  int64_t own[DVMRT_NDIMS_MAX];  /* indices of the own element, where has_own */
  bool has_own[DVMRT_NDIMS_MAX];
  int naway;                     /* dimensions with away != 0 */
};

/* Iteration 'iv' of a nest that lies as 'nest' says, element 'ix' of an array that lies as 'array' says. */
void dvmrt_layout_place(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const int64_t *iv, const int64_t *ix, int ndims,
                        struct dvmrt_place *p);
/* All that this says of elements which it does not look at, where each dimension of the array stands alone and without a stride: 'own', and
 * has_own for those dimensions that it holds for; the element's 'away' is its index less 'own' there, else 0.  False: look at each. */
bool dvmrt_layout_own(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const int64_t *iv, int64_t *own, bool *has_own);
/* Where the iteration's point has no element of the array, because only every second point has one: 'p' for blocks of two points at least,
 * the way to the element being that from the block which is the farthest off.  False: a block of two has no element either, or the
 * program gives the sizes of blocks; then 'p' is not to be used. */
bool dvmrt_layout_place_pairs(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const int64_t *iv, const int64_t *ix,
                              const int64_t *extent, struct dvmrt_place *p);
/* Has every point of the divided dimensions an element of the array (of these extents)? */
bool dvmrt_layout_covers(const struct dvmrt_layout *array, const int64_t *extent);
/* Is element 'ix' of an array present wherever element 'other_ix' of another one is? */
bool dvmrt_layout_beside(const struct dvmrt_layout *array, const int64_t *ix, const struct dvmrt_layout *other, const int64_t *other_ix);
/* The same along two lines, of which the first and the last elements are given: 1 throughout, 0 nowhere, -1 here and there. */
int dvmrt_layout_beside_along(const struct dvmrt_layout *array, const int64_t (*ix)[DVMRT_NDIMS_MAX], const struct dvmrt_layout *other,
                              const int64_t (*other_ix)[DVMRT_NDIMS_MAX]);
/* Will the answer be the same for every iteration of the nest, given these subscripts? */
bool dvmrt_layout_settled(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const struct dvmrt_subscript *axis, int ndims);
/* Is the element equally far from the iteration's point in each of them?  The borders of units may be closer to some. */
bool dvmrt_layout_steady(const struct dvmrt_layout *array, const struct dvmrt_layout *nest, const struct dvmrt_subscript *axis, int ndims);
#endif
