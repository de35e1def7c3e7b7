/* Gap: "Only last accessor of an element kept".  Column 0 is read by all iterations of the row, then read and written by
 * the fourth one: when it writes, the last accessor is itself. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][*]
int a[N][N];
#pragma dvm array align([i][j] with a[i][j])
int b[N][N];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = b[i][j] = i * j + 1;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      b[i][j] += a[i][0];
      //         ^ error dvm-loop-dependence 'a[0][0]'
#ifndef RIGHT
      if (j == 3)
        a[i][0] = b[i][j];
//      ^ error dvm-loop-dependence 'a[0][0]'
#endif
    }
  printf("%d %d\n", a[2][0], b[2][5]);
  return 0;
}
