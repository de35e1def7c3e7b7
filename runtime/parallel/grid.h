/* Processor grids, and how the dimensions of a root (what has 'distribute') are cut along their axes. */
#ifndef DVMP_GRID_H
#define DVMP_GRID_H
#include "runtime/data/directive.h"
#include "runtime/parallel/group.h"
#include "runtime/parallel/set.h"

/* How one dimension is cut: 'part[p]' of processor p along this axis of the grid. */
struct dvmp_axis {
  int nprocs;
  int64_t extent;
  struct dvmp_list *part;   /* [nprocs] */
};

struct dvmp_grid {
  const struct dvmp_group *group; /* the ranks it is of; NULL: all */
  int ndims;                /* of the root; dimensions that are not divided have one processor */
  struct dvmp_axis axis[DVMRT_NDIMS_MAX];
  struct dvmp_edge *edges;  /* that 'shadow_add' has made, or NULL */
  struct dvmp_arena memory;
};

/* 'own' is the item of the directive with the distribution; g->group is set.  Fails with a message at its place. */
void dvmp_grid_make(struct dvmp_grid *g, const struct dvmrt_directive *d, const struct dvmrt_item *own, const int64_t *args, int ndims,
                    const int64_t *extent, uint64_t element_bytes);
void dvmp_grid_fini(struct dvmp_grid *g);
/* Place of a rank along each dimension; false: it has none. */
bool dvmp_grid_place(const struct dvmp_grid *g, int rank, int *place);
/* The best way to put 'nprocs' along 'naxes' dimensions of these extents; 'whole[d]': dimension d is not divided. */
void dvmp_grid_choose(int nprocs, int ndims, const int64_t *extent, const bool *whole, uint64_t element_bytes, int *along);
#endif
