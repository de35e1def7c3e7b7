/* Gap: "across silences dependence for the whole array in the loop".  Dimension 1 is declared and fine, dimension 2 is not. */
// TWIN
#include <stdio.h>
#define N 7
#ifdef RIGHT
#define SECOND [1:0]
#else
#define SECOND [0:0]
#endif

#pragma dvm array distribute[block][block]
double a[N][N];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i + j;
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:0] SECOND) shadow_renew(a)
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      a[i][j] = a[i - 1][j] / 2 +
                a[i][j - 1] / 2;
  //            ^ error dvm-across-distance 'a[1][1]'
  printf("%g\n", a[3][3]);
  return 0;
}
