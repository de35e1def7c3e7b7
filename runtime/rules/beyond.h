/* shadow_compute: processors execute iterations of their neighbours, too, for what these write in the edges.  What such an iteration reads must be
 * where it is executed then: in edges that are wider by as much. */
#ifndef DVMRT_BEYOND_H
#define DVMRT_BEYOND_H
#include "runtime/rules/check.h"

/* Of a nest that has got its place: how far its processors go. */
void dvmrt_beyond_begin(struct dvmrt_frame *f);
/* Calls 'right' with each place, relative to the element, at which another processor executes the present iteration, until it says
 * false, and 'quiet' with those in corners that the clause does not name: what is not there loses them.  'all': also places beyond the ends of
 * what is divided, as if there were more of it; then nothing is lost, and false says that something is not there. */
typedef bool dvmrt_beyond_f(struct dvmrt_event *ev, const struct dvmrt_place *p);
bool dvmrt_beyond_each(struct dvmrt_event *ev, const struct dvmrt_layout *l, bool all, dvmrt_beyond_f *right, dvmrt_beyond_f *quiet);
/* Is the access one that all who execute the iteration must find its element for? */
bool dvmrt_beyond_concerns(const struct dvmrt_event *ev);
#endif
