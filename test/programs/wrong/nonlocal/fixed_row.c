/* Gauss elimination reads the pivot row in all iterations. */
// TWIN
#include <stdio.h>
#define N 5

int main(void) {
#pragma dvm array distribute[block][*] shadow[0][0]
  double a[N][N + 1];
  int i, j, k;
#pragma dvm parallel([i][j] on a[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j <= N; j++)
      a[i][j] = i == j ? 4 : 1.0 / (1 + i + j);
  for (k = 0; k < N - 1; k++) {
#ifdef RIGHT
#pragma dvm parallel([i] on a[i][]) private(j) remote_access(a[k][])
#else
#pragma dvm parallel([i] on a[i][]) private(j)
#endif
    for (i = k + 1; i < N; i++)
      for (j = N; j >= k; j--)
        a[i][j] -= a[i][k] * a[k][j] / a[k][k];
        //                   ^ error dvm-nonlocal-access 'a[0][5]'
        // help add 'remote_access\(a\[
  }
  printf("%.6f\n", a[N - 1][N - 1]);
  return 0;
}
