/* Turns of an innermost loop outside of parallel loops that are judged before they are executed (abi.h: __dvmrt_turns).
 *
 * Mostly nothing that they touch is in doubt.  Else "yes" means that the accesses, one by one, would have done what has been done for all
 * of them: given values, and used elements of distributed arrays as this or that has been reported of these very sites before, which is
 * counted. */
#ifndef DVMRT_TURNS_H
#define DVMRT_TURNS_H
#include "runtime/export.h"
#include <stdbool.h>

/* Is nothing in doubt?  May be called outside dvmrt_mem_enter. */
bool dvmrt_turns_certain(const struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first);
/* In an iteration of a parallel loop, of which the caller is no part of the text: does the iteration use what it alone has written, what
 * began to live in it, and values from before?  Then their words are as behind the last turn.  May be called outside dvmrt_mem_enter. */
bool dvmrt_turns_own(const struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first);
/* Inside dvmrt_mem_enter, outside of loops.  False: nothing has changed. */
bool dvmrt_turns_prove(const struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first);
#endif
