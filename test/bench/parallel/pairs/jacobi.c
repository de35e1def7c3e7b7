/* Jacobi by rows. */
#include "bench.h"
#include <stdio.h>
#define N 2000
#define STEPS 20
#pragma dvm array distribute[block][*] shadow[1 : 1][0 : 0]
static double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
static double B[N][N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = 0;
      B[i][j] = i == 0 ? 100 : 0;
    }
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
#pragma dvm parallel([i][j] on A[i][j])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = B[i][j];
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
    bench_end();
  }
#pragma dvm parallel([i][j] on B[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += B[i][j];
  printf("%.9g\n", sum);
  return 0;
}
