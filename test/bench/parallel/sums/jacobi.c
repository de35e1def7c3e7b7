/* As samples/jacobi.c: a maximum, a copy, means of four. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
static double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
static double B[N][N];

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 1;
  double eps = 0;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = 0, B[i][j] = i == 0 || j == 0 || i == N - 1 || j == N - 1 ? 0 : 1 + i + j;
  for (int step = 0; step < steps; step++) {
    eps = 0;
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(eps))
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        double change = fabs(B[i][j] - A[i][j]);
        eps = change > eps ? change : eps;
        A[i][j] = B[i][j];
      }
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
  }
  printf("%d\n", steps);
  return eps < 0;
}
