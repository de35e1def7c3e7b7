/* Jacobi in a cube, 27 points, by planes. */
#include "bench.h"
#include <stdio.h>
#define N 128
#define STEPS 10
#pragma dvm array distribute[block][*][*] shadow[1 : 1][0 : 0][0 : 0]
static double A[N][N][N];
#pragma dvm array align([i][j][k] with A[i][j][k])
static double B[N][N][N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j][k] on A[i][j][k])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) {
        A[i][j][k] = 0;
        B[i][j][k] = i == 0 ? 100 : 0;
      }
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
#pragma dvm parallel([i][j][k] on A[i][j][k])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
          A[i][j][k] = B[i][j][k];
#pragma dvm parallel([i][j][k] on B[i][j][k]) shadow_renew(A)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
          double s = 0;
          for (int x = -1; x <= 1; x++)
            for (int y = -1; y <= 1; y++)
              for (int z = -1; z <= 1; z++)
                s += A[i + x][j + y][k + z];
          B[i][j][k] = s / 27;
        }
    bench_end();
  }
#pragma dvm parallel([i][j][k] on B[i][j][k]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        sum += B[i][j][k];
  printf("%.9g\n", sum);
  return 0;
}
