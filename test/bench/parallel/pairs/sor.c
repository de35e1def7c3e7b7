/* Successive over-relaxation by rows, a pipeline of eight stages. */
#include "bench.h"
#include <stdio.h>
#define N 2000
#define STEPS 10
#pragma dvm array distribute[block][*] shadow[1 : 1][1 : 1]
static double A[N][N];

int main(void) {
  double sum = 0, w = 1.5;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = 1 + (i + j) % 10;
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
#pragma dvm parallel([i][j] on A[i][j]) across(A[1 : 1][1 : 1]) stage(8)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = w * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4 + (1 - w) * A[i][j];
    bench_end();
  }
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += A[i][j];
  printf("%.9g\n", sum);
  return 0;
}
