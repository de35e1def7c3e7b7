/* Pi by random points: a generator for each iteration, a count, the spread; rand_r beside it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define STREAMS 64
#define POINTS 200
#pragma dvm template[STREAMS] distribute[block]
void *T;
static uint64_t mix(uint64_t *s) {
  uint64_t z = (*s += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  return z ^ (z >> 31);
}
int main(void) {
  long inside = 0;
  double square = 0;
#pragma dvm parallel([k] on T[k]) reduction(sum(inside), sum(square))
  for (int k = 0; k < STREAMS; k++) {
    uint64_t state = (uint64_t)k;
    unsigned seed = (unsigned)k;
    long mine = 0;
    for (int p = 0; p < POINTS; p++) {
      double a = (double)(mix(&state) >> 11) / 9007199254740992.0, b = (double)(mix(&state) >> 11) / 9007199254740992.0;
      mine += a * a + b * b < 1;
      mine += rand_r(&seed) < 0;
    }
    inside += mine;
    square += (double)mine * mine;
  }
  double mean = 4.0 * inside / STREAMS / POINTS;
  printf("%d %d\n", fabs(mean - M_PI) < 0.1, square > 0);
  return 0;
}
