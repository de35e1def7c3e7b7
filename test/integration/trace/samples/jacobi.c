/* Jacobi relaxation.  MISTAKE 1: wrong bound, 2: wrong operation, 3: lost update, 4: perturbed constant. */
#include <stdio.h>
#define N 24
#ifndef MISTAKE
#define MISTAKE 0
#endif
#pragma dvm array distribute[block][block], shadow[1:1][1:1]
static double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
static double B[N][N];
int main(void) {
  int i, j, step;
#pragma dvm parallel([i][j] on A[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      A[i][j] = i == 0 ? 1.0 / (j + 1) : 0;
      B[i][j] = A[i][j];
    }
  for (step = 0; step < 10; step++) {
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A)
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1 - (MISTAKE == 1); j++)
        B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] - (MISTAKE == 2 ? 1 : -1) * A[i][j + 1]) / (MISTAKE == 4 ? 4.0000001 : 4);
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        if (MISTAKE != 3 || step != 8 || i != 7 || j != 9)
          A[i][j] = B[i][j];
  }
  printf("%.12g\n", A[5][5]);
  return 0;
}
