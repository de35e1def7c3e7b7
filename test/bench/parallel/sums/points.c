/* Seven points in three dimensions, and a copy. */
#include <stdio.h>
#include <stdlib.h>
#pragma dvm array distribute[block][block][block] shadow[1:1][1:1][1:1]
static double A[N][N][N];
#pragma dvm array align([i][j][k] with A[i][j][k])
static double B[N][N][N];

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 1;
#pragma dvm parallel([i][j][k] on A[i][j][k])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        A[i][j][k] = i + 0.5 * j + k, B[i][j][k] = 0;
  for (int step = 0; step < steps; step++) {
#pragma dvm parallel([i][j][k] on B[i][j][k]) shadow_renew(A)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = (A[i][j][k] + A[i - 1][j][k] + A[i + 1][j][k] + A[i][j - 1][k] + A[i][j + 1][k] + A[i][j][k - 1] + A[i][j][k + 1]) / 7;
#pragma dvm parallel([i][j][k] on A[i][j][k])
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = B[i][j][k];
  }
  printf("%d\n", steps);
}
