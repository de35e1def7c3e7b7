/* Functions that C-DVMH programs call without an include, with the meaning they have on one processor. */
#include "runtime/export.h"
#include <time.h>

DVMRT_EXPORT void dvmh_barrier(void);
DVMRT_EXPORT double dvmh_wtime(void);

void dvmh_barrier(void) {}

double dvmh_wtime(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
