/* Without 'on' a dependence is right if some declared dimension carries it. */
// TWIN
#include <stdio.h>
#define N 9

int main(void) {
  int a[N][N], i, j;
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = i * j;
#ifdef RIGHT
#pragma dvm parallel([i][j]) tie(a[i][j]) across(a[2:0][0:0])
#else
#pragma dvm parallel([i][j]) tie(a[i][j]) across(a[0:0][1:0])
#endif
  for (i = 2; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = a[i - 2][j] + 1;
      //        ^ error dvm-across-distance 'a[2][0]'
  printf("%d\n", a[8][8]);
  return 0;
}
