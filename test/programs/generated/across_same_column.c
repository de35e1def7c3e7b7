/* How far the read reaches differs from iteration to iteration: near at first, then farther than across allows, in a dimension
 * that is not divided. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define WIDTHS [0:0][5:2]
#define EDGES [0:0][5:2]
#else
#define WIDTHS [0:0][1:2]
#define EDGES [0:0][1:2]
#endif

#pragma dvm array distribute[block][*] shadow EDGES
int a[N][N];
int b[N][N];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i;
#pragma dvm parallel([i][j] on a[i][j]) across(a WIDTHS)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] += a[i][2];
      //         ^ error dvm-across-distance 'a[0][2]'
      // note in iteration \(i=0, j=2\)
#pragma dvm parallel([i][j]) across(b WIDTHS)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] += b[i][2];
      //         ^ error dvm-across-distance 'b[0][2]'
      // help across_same_column.c:29$
  printf("%d\n", a[2][2]);
  return 0;
}
