/* Places that iterations note where they update an extreme: 'maxloc' and 'minloc' keep both. */
#ifndef DVMRT_LOCATION_H
#define DVMRT_LOCATION_H
#include "runtime/data/directive.h"
#include "runtime/report/diag.h"

struct dvmrt_location {
  const char *operation; /* "max", "min" */
  const char *extreme, *place;
  long long count;       /* of elements of the place */
};

/* Does the text of the loop note index variables in 'place' where it updates an extreme? */
bool dvmrt_location_of_place(const struct dvmrt_directive *d, const char *place, struct dvmrt_location *l);
/* Likewise, for what the text notes beside updates of 'extreme'. */
bool dvmrt_location_of_extreme(const struct dvmrt_directive *d, const char *extreme, struct dvmrt_location *l);
/* The help that names the location in the directive: in place of the extreme's own reduction, or beside the others.  False: the extreme
 * is under something else there. */
bool dvmrt_location_help(struct dvmrt_report *r, const struct dvmrt_directive *d, const struct dvmrt_location *l);
#endif
