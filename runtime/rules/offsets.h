/* Elements that lie from the iteration's own one as others do that the nest has accessed at the same place of the text.
 *
 * Where the subscripts are not affine in the index variables as the text shows them (functions that nests call, pointers, local variables), each access is
 * judged.  In one execution of a nest the answer depends on the way from the iteration's own element alone: it is remembered, with what was
 * reported, and an access that goes the same way is right, or counted, without the lock, an event or a lookup. */
#ifndef DVMRT_OFFSETS_H
#define DVMRT_OFFSETS_H
#include "runtime/rules/check.h"
#include "runtime/data/finding.h"

/* Inside dvmrt_mem_enter.  The place of the access has just been judged, 'found': reported there; NULL: it is right. */
void dvmrt_offsets_note(const struct dvmrt_event *ev, struct dvmrt_finding *found);
extern struct dvmrt_offsets *dvmrt_offsets_first; /* of those that hold anything; or NULL */
/* What the answers rest on may change: counts go to their findings ('counts'), and nothing is known. */
void dvmrt_offsets_end_all(bool counts);
static inline void dvmrt_offsets_end(void) {
  if (DVMRT_UNLIKELY(dvmrt_offsets_first))
    dvmrt_offsets_end_all(true);
}

/* Without the lock, by any thread.  The access of 'size' bytes at 'a' changes its word, and is counted if its place is wrong.  False: it is to be
 * judged, and nothing has changed.  'ix': its subscripts, or NULL. */
bool dvmrt_offsets_touch(struct dvmrt_site *site, uintptr_t a, uint64_t size, const int64_t *ix, uint32_t flags);
/* The same of its place alone. */
bool dvmrt_offsets_place(struct dvmrt_site *site, uintptr_t a, const int64_t *ix, uint32_t flags);
#endif
