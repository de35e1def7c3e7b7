/* Random numbers of the model tests: the seed is printed, and taken from DVM_SEED to run a failure again. */
#ifndef RANDOM_H
#define RANDOM_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t random_state;

static inline void random_seed(void) {
  const char *s = getenv("DVM_SEED");
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  random_state = s ? strtoull(s, NULL, 10) : (uint64_t)t.tv_nsec * 1000003u + (uint64_t)t.tv_sec;
  printf("# DVM_SEED=%llu\n", (unsigned long long)random_state);
  fflush(stdout);
}

/* 0 .. n-1 */
static inline uint32_t random_below(uint32_t n) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)((random_state >> 33) % n);
}
static inline int64_t random_between(int64_t low, int64_t high) { return low + random_below((uint32_t)(high - low + 1)); }
#endif
