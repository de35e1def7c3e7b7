/* array_copy: sections of arrays, of which the source must have values and the target gets them, as the ranks of a parallel run do it. */
#ifndef DVMRT_COPY_H
#define DVMRT_COPY_H
#include "runtime/data/array.h"

/* Inside dvmrt_mem_enter. */
void dvmrt_copy_run(struct dvmrt_directive *d, const int64_t *args);
/* The same where the program's own statements copy: the copy begins, with the sections that it writes and reads. */
void dvmrt_copy_begin(struct dvmrt_directive *d, const int64_t *args);
void dvmrt_copy_to(struct dvmrt_directive *d, const int64_t *args);
void dvmrt_copy_from(struct dvmrt_directive *d, const int64_t *args);
/* copy_wait: the targets of the copy have their values. */
void dvmrt_copy_wait(struct dvmrt_directive *d, const int64_t *args);
#endif
