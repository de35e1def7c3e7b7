/* What a thread is to do when it has left the runtime. */
#ifndef DVMRT_DUE_H
#define DVMRT_DUE_H
#include <stdbool.h>
#include <stdint.h>

enum {
  DVMRT_DUE_HALT = 1, /* end the program (halt_on_error) */
  DVMRT_DUE_HOLD = 2  /* wait for a debugger (entry/host.h) */
};
extern uint8_t dvmrt_due;

static inline void dvmrt_due_set(uint8_t what, bool on) {
  if (on)
    __atomic_or_fetch(&dvmrt_due, what, __ATOMIC_RELAXED);
  else
    __atomic_and_fetch(&dvmrt_due, (uint8_t)~what, __ATOMIC_RELAXED);
}
#endif
