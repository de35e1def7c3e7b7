/* Functions that C-DVMH programs, and those of C-DVM and Fortran-DVM, call without an include or a declaration elsewhere, with the meaning they have on one processor. */
#include "runtime/export.h"
#include <time.h>

DVMRT_EXPORT void dvmh_barrier(void);
DVMRT_EXPORT double dvmh_wtime(void);
DVMRT_EXPORT double dvtime_(void) __attribute__((weak)); /* programs may have one of their own */

void dvmh_barrier(void) {}

double dvmh_wtime(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double dvtime_(void) { return dvmh_wtime(); }
