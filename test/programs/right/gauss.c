/* Gauss elimination: the pivot row and the solved unknown come by remote_access; rows distributed, columns whole. */
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block][*] shadow[0][0]
float A[N][N + 1];
#pragma dvm array align([i] with A[i][])
float X[N];

int main(void) {
  int i, j, k;
#pragma dvm region
  {
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
      for (j = 0; j <= N; j++)
        if (i == j || j == N)
          A[i][j] = 2.f;
        else
          A[i][j] = 0.f;
#pragma dvm parallel([i] on X[i])
    for (i = 0; i < N; i++)
      X[i] = 0;
  }
  for (i = 0; i < N - 1; i++) {
#pragma dvm region
    {
#pragma dvm parallel([k][j] on A[k][j]) remote_access(A[i][])
      for (k = i + 1; k < N; k++)
        for (j = i + 1; j <= N; j++)
          A[k][j] = A[k][j] - A[k][i] * A[i][j] / A[i][i];
    }
  }
#pragma dvm get_actual(A)
  X[N - 1] = A[N - 1][N] / A[N - 1][N - 1];
#pragma dvm actual(X)
  for (j = N - 2; j >= 0; j--) {
#pragma dvm parallel([k] on A[k][]) remote_access(X[j + 1])
    for (k = 0; k <= j; k++)
      A[k][N] = A[k][N] - A[k][j + 1] * X[j + 1];
    X[j] = A[j][N] / A[j][j];
  }
  for (i = 0; i < N; i++)
    printf("X[%d] = %g\n", i, X[i]);
  return 0;
}
