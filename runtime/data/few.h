/* Few words beside each other: without the beginning and end of a loop that is made for many. */
#ifndef DVMRT_FEW_H
#define DVMRT_FEW_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { DVMRT_FEW_LEAST = 4 }; /* both want so many, and take the last ones twice */
typedef uint32_t dvmrt_four __attribute__((vector_size(16)));

static inline dvmrt_four dvmrt_few_load(const uint32_t *p) {
  dvmrt_four v;
  memcpy(&v, p, sizeof(v));
  return v;
}

static inline bool dvmrt_few_none(dvmrt_four v) {
  uint64_t half[2];
  memcpy(half, &v, sizeof(half));
  return !(half[0] | half[1]);
}

/* 1: all are 'a'; 2: all are 'b'; 0: neither. */
static inline int dvmrt_few_are(const uint32_t *p, uint64_t n, uint32_t a, uint32_t b) {
  dvmrt_four last = dvmrt_few_load(p + n - 4), not_a = last ^ a, not_b = last ^ b;
#pragma clang loop unroll(disable)
  for (uint64_t i = 0; i + 4 < n; i += 4) {
    dvmrt_four v = dvmrt_few_load(p + i);
    not_a |= v ^ a;
    not_b |= v ^ b;
  }
  return dvmrt_few_none(not_a) ? 1 : dvmrt_few_none(not_b) ? 2 : 0;
}

static inline void dvmrt_few_set(uint32_t *p, uint64_t n, uint32_t word) {
  const dvmrt_four v = {word, word, word, word};
  memcpy(p + n - 4, &v, sizeof(v));
#pragma clang loop unroll(disable)
  for (uint64_t i = 0; i + 4 < n; i += 4)
    memcpy(p + i, &v, sizeof(v));
}
#endif
