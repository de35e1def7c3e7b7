/* Product of matrices, by rows; all of B comes to each rank. */
#include "bench.h"
#include <stdio.h>
#define N 800
#define STEPS 3
#pragma dvm array distribute[block][*]
static double C[N][N];
#pragma dvm array align([i][j] with C[i][j])
static double A[N][N], B[N][N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on C[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7 + j) % 17;
      B[i][j] = (i + j * 3) % 13;
    }
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
#pragma dvm parallel([i] on C[i][]) remote_access(B[][])
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++)
        C[i][j] = 0;
      for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
          C[i][j] += A[i][k] * B[k][j];
    }
    bench_end();
  }
#pragma dvm parallel([i][j] on C[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += C[i][j];
  printf("%.9g\n", sum);
  return 0;
}
