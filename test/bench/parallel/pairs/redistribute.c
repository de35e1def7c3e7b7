/* Alternating directions, where the array moves between the sweeps so that each has whole lines. */
#include "bench.h"
#include <stdio.h>
#define N 2000
#define STEPS 8
#pragma dvm array distribute[block][*] shadow[1 : 1][1 : 1]
static double U[N][N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on U[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      U[i][j] = 1 + (i + j) % 10;
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
#pragma dvm parallel([i][j] on U[i][j]) across(U[0 : 0][1 : 0])
    for (int i = 0; i < N; i++)
      for (int j = 1; j < N; j++)
        U[i][j] += 0.25 * U[i][j - 1];
#pragma dvm redistribute(U[*][block])
#pragma dvm parallel([i][j] on U[i][j]) across(U[1 : 0][0 : 0])
    for (int i = 1; i < N; i++)
      for (int j = 0; j < N; j++)
        U[i][j] += 0.25 * U[i - 1][j];
#pragma dvm redistribute(U[block][*])
    bench_end();
  }
#pragma dvm parallel([i][j] on U[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += U[i][j];
  printf("%.9g\n", sum);
  return 0;
}
