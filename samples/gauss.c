/* Gauss elimination.  Rows are distributed, each is whole on its processor; the row of the pivot is needed by all of them
 * and comes by remote_access, as does each unknown once it is known. */
#include <stdio.h>

#define N 60

#pragma dvm array distribute[block][*], shadow[0:0][0:0]
static double A[N][N + 1];
#pragma dvm array align([i] with A[i][]), shadow[0:0]
static double X[N];

int main(void)
{
  double sum = 0;
  int i, j, k;

#pragma dvm parallel([i] on A[i][]) private(j)
  for (i = 0; i < N; i++) {
    for (j = 0; j < N; j++)
      A[i][j] = i == j ? N + 1 : 1.0 / (1 + i + j);
    A[i][N] = i;
  }

  for (k = 0; k < N - 1; k++) {
#pragma dvm parallel([i] on A[i][]) remote_access(A[k][]) private(j)
    for (i = k + 1; i < N; i++) {
      double factor = A[i][k] / A[k][k];
      for (j = k; j <= N; j++)
        A[i][j] -= factor * A[k][j];
    }
  }

  X[N - 1] = A[N - 1][N] / A[N - 1][N - 1];
  for (k = N - 2; k >= 0; k--) {
#pragma dvm parallel([i] on A[i][]) remote_access(X[k + 1])
    for (i = 0; i <= k; i++)
      A[i][N] -= A[i][k + 1] * X[k + 1];
    X[k] = A[k][N] / A[k][k];
  }

#pragma dvm parallel([i] on X[i]) reduction(sum(sum))
  for (i = 0; i < N; i++)
    sum += X[i];
  printf("%d unknowns, sum %.9f\n", N, sum);
  return 0;
}
