/* Alternating directions by rows: down the columns as pipelines of eight stages. */
#include "bench.h"
#include <stdio.h>
#define N 2000
#define STEPS 8
#pragma dvm array distribute[block][*] shadow[1 : 1][1 : 1]
static double U[N][N];
#pragma dvm array align([i][j] with U[i][j])
static double C[N][N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on U[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      U[i][j] = 1 + (i + j) % 10;
      C[i][j] = 1.0 / (4 + (i + j) % 3);
    }
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
#pragma dvm parallel([i][j] on U[i][j]) across(U[1 : 0][0 : 0]) stage(8)
    for (int i = 1; i < N; i++)
      for (int j = 0; j < N; j++)
        U[i][j] += C[i][j] * U[i - 1][j];
#pragma dvm parallel([i][j] on U[i][j]) across(U[0 : 1][0 : 0]) stage(8)
    for (int i = N - 2; i >= 0; i--)
      for (int j = 0; j < N; j++)
        U[i][j] = (U[i][j] + C[i][j] * U[i + 1][j]) / 2;
#pragma dvm parallel([i][j] on U[i][j]) across(U[0 : 0][1 : 0])
    for (int i = 0; i < N; i++)
      for (int j = 1; j < N; j++)
        U[i][j] += C[i][j] * U[i][j - 1];
#pragma dvm parallel([i][j] on U[i][j]) across(U[0 : 0][0 : 1])
    for (int i = 0; i < N; i++)
      for (int j = N - 2; j >= 0; j--)
        U[i][j] = (U[i][j] + C[i][j] * U[i][j + 1]) / 2;
    bench_end();
  }
#pragma dvm parallel([i][j] on U[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += U[i][j];
  printf("%.9g\n", sum);
  return 0;
}
