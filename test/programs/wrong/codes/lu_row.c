/* Another row than the pivot is brought. */
// TWIN
#include <math.h>
#include <stdio.h>
#include <string.h>
#define N 12
#pragma dvm array distribute[block][]
static double a[N][N + 1];
#pragma dvm array align([i] with a[i][])
static double x[N];
int main(void) {
#pragma dvm parallel([i] on a[i][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= N; j++)
      a[i][j] = i == j ? N : 1.0 / (1 + i + j);
  for (int k = 0; k < N - 1; k++) {
#ifdef RIGHT
#pragma dvm parallel([i] on a[i][]) remote_access(a[k][])
#else
#pragma dvm parallel([i] on a[i][]) remote_access(a[0][])
#endif
    for (int i = k + 1; i < N; i++) {
      double f = a[i][k] / a[k][k];
// expect -1:28 error dvm-shadow-stale 'a[0][0]'
// expect -2:28 error dvm-remote-uncovered 'a[0][0]'
      for (int j = k; j <= N; j++)
        a[i][j] -= f * a[k][j];
// expect -1:24 error dvm-shadow-stale 'a[0][0]'
// expect -2:24 error dvm-remote-uncovered 'a[0][0]'
    }
  }
  for (int k = N - 1; k >= 0; k--) {
    x[k] = a[k][N] / a[k][k];
#pragma dvm parallel([i] on a[i][]) remote_access(x[k])
    for (int i = 0; i < k; i++)
      a[i][N] -= x[k] * a[i][k];
  }
  double sum = 0;
#pragma dvm parallel([i] on x[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += fabs(x[i]);
  printf("%.8f\n", sum);
  return 0;
}
