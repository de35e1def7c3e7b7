/* Arrays under 'across': dependences between iterations are right as far as the clause's widths reach.
 *
 * 'reach' is how far an accessed element lies from what the iteration owns (across_reach.h).  A read within the declared widths is never wrong.  One outside is a flow dependence if another iteration has
 * written the element, and an anti dependence if another one will: the reader is kept until then. */
#ifndef DVMRT_ACROSS_H
#define DVMRT_ACROSS_H
#include "runtime/rules/check.h"
#include "runtime/data/finding.h"
#include "runtime/rules/verdict.h"

/* Judges one access to an array under 'across'.  True: no access of this site needs to be judged again in this execution. */
bool dvmrt_across_access(const struct dvmrt_event *ev, struct dvmrt_clause_array *across);
/* Are this access and all others of the nest to the array within the clause's widths? */
bool dvmrt_across_settled(const struct dvmrt_event *ev, struct dvmrt_clause_array *across);
/* Widths that all accesses of the nest's own text need, as far as they are affine; false: none reaches out. */
bool dvmrt_across_clause(const struct dvmrt_event *ev, struct dvmrt_clause *c);
/* An edge that neither the clause nor an exchange has brought is read, in an array that the nest writes: reported at the end of
 * the execution, unless it has shown a dependence beyond the widths, which is the same mistake told better. */
void dvmrt_across_stale(const struct dvmrt_event *ev, struct dvmrt_clause_array *across, const struct dvmrt_place *p, enum dvmrt_id id,
                        enum dvmrt_misplaced why);
/* Releases what was kept for the clause. */
void dvmrt_across_end(struct dvmrt_clause_array *across);
/* Subscriber: the execution ends: what waits is reported, what was kept for clauses is released. */
void dvmrt_across_over(struct dvmrt_frame *f);
/* Without the lock: judges one more access of a site by the words alone, where its reach, and all else but the iteration, is
 * known (repeat.h).  False: it is to be judged. */
bool dvmrt_across_again(struct dvmrt_repeat *r, uintptr_t a, uint32_t flags);
/* Does the clause hold the widths of all references of the nest to the array, as soon as it holds those of one iteration? */
bool dvmrt_across_complete(const struct dvmrt_event *ev);
#endif
