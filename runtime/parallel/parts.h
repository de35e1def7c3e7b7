/* Which iterations of a nest a rank executes: values of its index variables. */
#ifndef DVMP_PARTS_H
#define DVMP_PARTS_H
#include "runtime/parallel/construct.h"

/* A nest is about to be entered: the rank's own part of it. */
void dvmp_parts_find(struct dvmp_construct *c);
/* The turns of a nest of one loop, which is about to begin, become turns of at most 'most' iterations, if it has far more in one. */
void dvmp_parts_split(struct dvmp_construct *c, int64_t most);
/* Values that index variable 'k' takes on a rank, in the iterations for its edges too: true if they are fewer than all. */
bool dvmp_parts_of(struct dvmp_arena *m, const struct dvmp_construct *c, int rank, int k, struct dvmp_list *part);
/* What named edges give a rank along dimension 'r' of the root, where it executes iterations of others for them. */
struct dvmp_list dvmp_parts_also(struct dvmp_arena *m, const struct dvmp_construct *c, int rank, int r);
/* A rank's part of each dimension of the root. */
void dvmp_parts_of_root(const struct dvmp_construct *c, int rank, struct dvmp_list *along);
/* The iterations that lie at 'along' of the root: values of the index variables that it speaks of ('clamped'), and in how many turns they are
 * executed; 0: there are none. */
int64_t dvmp_parts_along(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmp_list *along, struct dvmp_list *part,
                         bool *clamped);
#endif
