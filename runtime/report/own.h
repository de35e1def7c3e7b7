/* Replicated arrays of which each iteration assigns elements of its own: 'consistent' makes them known to all. */
#ifndef DVMRT_OWN_H
#define DVMRT_OWN_H
#include "runtime/data/directive.h"
#include "runtime/report/diag.h"

/* A subscript as clauses have it: "i + 1", "2 * i". */
void dvmrt_own_subscript(struct dvmrt_text *t, const char *index, int64_t coef, int64_t add);
/* Does each iteration of the loop touch only such elements of the array, by references in its text?  Then the help says
 * what to add to the directive. */
bool dvmrt_own_help(struct dvmrt_report *r, const struct dvmrt_directive *d, const char *name);
#endif
