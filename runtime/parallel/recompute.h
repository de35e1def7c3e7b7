/* shadow_compute: a rank executes iterations of its neighbours, too, for what they write in its edges.  They come first; of what they do nothing
 * is left but those elements: results and consistent arrays are as they were, nothing is printed. */
#ifndef DVMP_RECOMPUTE_H
#define DVMP_RECOMPUTE_H
#include "runtime/parallel/construct.h"

/* How far beyond its part a rank's iterations go: before anything is brought for them. */
void dvmp_recompute_find(struct dvmp_construct *c);
/* Has the rank such iterations?  Then those of the first turn are 'c->part', and dvmp_job.edges is set. */
bool dvmp_recompute_begin(struct dvmp_construct *c);
/* A turn is over: is there another one?  Else 'c->part' is the rank's own. */
bool dvmp_recompute_turned(struct dvmp_construct *c);
/* Around the end of the construct, which makes edges of what was written old: these are not.  (With poison=1.) */
void dvmp_recompute_keep(struct dvmp_construct *c);
void dvmp_recompute_end(struct dvmp_construct *c);
#endif
