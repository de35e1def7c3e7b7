/* The clock by which parts wait and measure: it goes on evenly from a moment in the past, whatever the date is set to. */
#ifndef DVM_BASE_CLOCK_H
#define DVM_BASE_CLOCK_H
#include <stdint.h>
#include <time.h>

/* Nanoseconds. */
static inline int64_t dvm_clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Milliseconds, rounded down. */
static inline int64_t dvm_clock_ms(void) { return dvm_clock_ns() / 1000000; }
#endif
