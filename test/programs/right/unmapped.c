/* parallel without 'on': ordinary arrays, independent iterations, names or numbers of loops, tie and cuda_block. */
#include <stdio.h>
#define N 10

int main(void) {
  int a[N][N], b[N][N], last[N], i, j, t, sum = 0;
#pragma dvm parallel(2) private(t)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      t = i - j;
      a[i][j] = t * t;
    }
#pragma dvm parallel([i][j]) tie(b[i][j], a[-i][j]) reduction(sum(sum)) cuda_block(16, 16)
  for (i = N - 1; i >= 0; i--)
    for (j = 0; j < N; j++) {
      b[i][j] = a[N - 1 - i][j] + 1;
      sum += b[i][j];
    }
#pragma dvm parallel(1)
  for (i = 0; i < N; i++) {
    int k, best = 0;
    for (k = 1; k < N; k++)
      if (b[i][k] > b[i][best])
        best = k;
    last[i] = best;
  }
  for (i = 0; i < N; i++)
    printf("%d ", last[i]);
  printf("%d\n", sum);
  return 0;
}
