/* The other side of a conflict: which access of the nest it was that touched the datum in an earlier iteration. */
#ifndef DVMRT_OTHER_H
#define DVMRT_OTHER_H
#include "runtime/rules/check.h"
#include "runtime/report/diag.h"

/* The access that touched ev's datum (with these flags) in the iteration 'iv' of ev's nest; iv NULL: in some iteration.
 * NULL: not in the nest's own text, or not to be told apart. */
const struct dvmrt_access *dvmrt_other_access(const struct dvmrt_event *ev, uint32_t flags, const int64_t *iv);
/* A note "'x' <what>[, in iteration (..)]" at that access.  'iv' NULL: taken from 'word', if that names one. */
void dvmrt_other_note(struct dvmrt_report *r, const struct dvmrt_event *ev, uint32_t word, uint32_t flags, const char *what,
                      const int64_t *iv);
/* Off with history=0. */
extern bool dvmrt_other_shown;
#endif
