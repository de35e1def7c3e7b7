/* Turns of an innermost loop that are judged before they are executed (abi.h: dvmrt_stretch).
 *
 * The verdict is that of the inline checks, access by access: each word is looked at, and "yes" means that no access would have
 * taken a slow path.  Turns that are iterations must not meet in one element that one of them writes; what several of them read is
 * marked for the first one, as if they were executed one after another. */
#ifndef DVMRT_STRETCH_H
#define DVMRT_STRETCH_H
#include "runtime/export.h"
#include <stdbool.h>

/* Inside dvmrt_mem_enter. */
bool dvmrt_stretch_prove(struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first);
#endif
