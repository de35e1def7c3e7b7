/* Sections of arrays of processors: what tasks are mapped to, and where arrays lie. */
#ifndef DVMRT_ONTO_H
#define DVMRT_ONTO_H
#include "runtime/data/array.h"

struct dvmrt_onto;

/* The section [low, high] of the processors at that address, always the same for the same one; NULL: it is all of them.  Inside dvmrt_mem_enter. */
const struct dvmrt_onto *dvmrt_onto_section(uintptr_t processors, int ndims, const int64_t *extent, const int64_t *low,
                                            const int64_t *high);
/* Have those who have 'task' all that lies on 'data'?  Of two arrays of processors nobody knows which are the same: yes. */
bool dvmrt_onto_holds(const struct dvmrt_onto *task, const struct dvmrt_onto *data);
#endif
