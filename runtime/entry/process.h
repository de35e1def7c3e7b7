/* The process: start, fork, end. */
#ifndef DVMRT_PROCESS_H
#define DVMRT_PROCESS_H
#include "runtime/data/due.h"

/* Once, before any other entry point does anything; later calls return at once. */
void dvmrt_process_init(void);
/* Does what is due (runtime/data/due.h). */
void dvmrt_process_do_due(void);
#endif
