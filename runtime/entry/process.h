/* The process: start, fork, end. */
#ifndef DVMRT_PROCESS_H
#define DVMRT_PROCESS_H
#include <stdbool.h>
#include <stdint.h>

/* Once, before any other entry point does anything; later calls return at once. */
void dvmrt_process_init(void);
/* What a thread is to do when it has left the runtime: end the program (halt_on_error), wait for a debugger (host.h). */
enum { DVMRT_DUE_HALT = 1, DVMRT_DUE_HOLD = 2 };
extern uint8_t dvmrt_process_due;
void dvmrt_process_set_due(uint8_t what, bool on);
void dvmrt_process_do_due(void);
#endif
