/* Nothing but exchanges of edges: rows of 8000 bytes, or with PLANE the sides of a cube that is cut along its last dimension. */
#include "bench.h"
#include <stdio.h>
#define STEPS 40
#define TIMES 50
#ifdef PLANE
#pragma dvm array distribute[*][*][block] shadow[0 : 0][0 : 0][1 : 1]
static double A[128][128][128];
#else
#pragma dvm array distribute[block][*][*] shadow[1 : 1][0 : 0][0 : 0]
static double A[64][1][1000];
#endif
#define EXTENT(d)                                                                                                                          \
  (int)(sizeof A / sizeof A[0] * (d == 0) + sizeof A[0] / sizeof A[0][0] * (d == 1) + sizeof A[0][0] / sizeof(double) * (d == 2))

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j][k] on A[i][j][k])
  for (int i = 0; i < EXTENT(0); i++)
    for (int j = 0; j < EXTENT(1); j++)
      for (int k = 0; k < EXTENT(2); k++)
        A[i][j][k] = i + j + k;
#pragma dvm shadow_group(edges : A)
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
    for (int n = 0; n < TIMES; n++) {
#pragma dvm shadow_start(edges)
#pragma dvm shadow_wait(edges)
    }
    bench_end();
  }
#pragma dvm parallel([i][j][k] on A[i][j][k]) reduction(sum(sum))
  for (int i = 0; i < EXTENT(0); i++)
    for (int j = 0; j < EXTENT(1); j++)
      for (int k = 0; k < EXTENT(2); k++)
        sum += A[i][j][k];
  printf("%.9g\n", sum);
  return 0;
}
