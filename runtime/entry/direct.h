/* Stand-alone directives, by kind. */
#ifndef DVMRT_DIRECT_H
#define DVMRT_DIRECT_H
#include "runtime/data/directive.h"

/* Inside dvmrt_mem_enter.  Kinds that need nothing done here are passed over. */
void dvmrt_direct_run(struct dvmrt_directive *d, const int64_t *args);
#endif
