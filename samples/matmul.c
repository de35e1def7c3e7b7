/* Product of two matrices.  Rows of A and C are together; each iteration needs all of B, which comes by remote_access. */
#include <stdio.h>

#define N 64

#pragma dvm array distribute[block][*]
static double C[N][N];
#pragma dvm array align([i][j] with C[i][j])
static double A[N][N];
#pragma dvm array distribute[block][*]
static double B[N][N];

int main(void)
{
  double trace = 0;
  int i, j, k;

#pragma dvm parallel([i] on A[i][]) private(j)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      A[i][j] = i + j;
#pragma dvm parallel([i] on B[i][]) private(j)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      B[i][j] = i == j ? 2 : 1.0 / N;

#pragma dvm parallel([i] on C[i][]) remote_access(B[][]) private(j, k)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      double s = 0;
      for (k = 0; k < N; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }

#pragma dvm parallel([i] on C[i][]) reduction(sum(trace))
  for (i = 0; i < N; i++)
    trace += C[i][i];
  printf("trace %.9f\n", trace);
  return 0;
}
