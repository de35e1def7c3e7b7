/* The dependence runs along the rows, the clause declares the columns. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block][block]
int a[N][N];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i + j;
#ifdef RIGHT
#pragma dvm parallel([i][j] on a[i][j]) across(a[0:0][1:0])
#else
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:0][0:0]) shadow_renew(a)
#endif
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      a[i][j] += a[i][j - 1];
      //         ^ error dvm-across-distance 'a[1][1]'
  printf("%d\n", a[7][7]);
  return 0;
}
