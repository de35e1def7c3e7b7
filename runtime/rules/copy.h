/* array_copy: sections of distributed arrays, of which the source must have values and the target gets some.  The data are not
 * moved: a program does that itself where directives mean nothing. */
#ifndef DVMRT_COPY_H
#define DVMRT_COPY_H
#include "runtime/data/array.h"

/* Inside dvmrt_mem_enter. */
void dvmrt_copy_run(struct dvmrt_directive *d, const int64_t *args);
#endif
