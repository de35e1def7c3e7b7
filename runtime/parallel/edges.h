/* Named edges ('shadow_add'): elements of others that a rule gives to a rank. */
#ifndef DVMP_EDGES_H
#define DVMP_EDGES_H
#include "runtime/parallel/array.h"

/* A shadow_add. */
void dvmp_edges_add(struct dvmrt_directive *d, const int64_t *args);
/* A localize; with poison=1 each rank looks whether what its numbers name is here. */
void dvmp_edges_localize(const struct dvmrt_directive *d, const int64_t *args);
/* Is there such an edge, and has the array been given it? */
bool dvmp_edges_has(const struct dvmp_array *a, const char *name);
/* What the edge of that name holds on a rank, in indices of dimension 'dim' of the array, which need not have been given it.  False: there is
 * none. */
bool dvmp_edges_along(struct dvmp_arena *m, const struct dvmp_array *a, const char *name, int dim, int rank, struct dvmp_list *edge);
/* Of an edge that the array has: places of each rank along dimension '*r' of the root.  NULL: there is nothing that it could hold. */
const struct dvmp_list *dvmp_edges_places(const struct dvmp_array *a, const char *name, int *r);
/* What a rank has in the array's edges of that name, of any if NULL: up to a set for each dimension, of which the number is returned. */
int dvmp_edges_sets(struct dvmp_arena *m, const struct dvmp_array *a, const char *name, int rank, struct dvmp_set *sets);
/* Is the element in an edge of this rank? */
bool dvmp_edges_hold(const struct dvmp_array *a, uintptr_t at);
#endif
