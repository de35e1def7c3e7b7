/* The process: start, fork, end. */
#ifndef DVMRT_PROCESS_H
#define DVMRT_PROCESS_H
#include <stdbool.h>

/* Once, before any other entry point does anything; later calls return at once. */
void dvmrt_process_init(void);
/* halt_on_error: summary, then the end. */
void dvmrt_process_halt(void) __attribute__((noreturn));
#endif
