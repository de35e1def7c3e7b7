/* An index out of its dimension that still falls inside the array as a whole: the next row. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][] shadow[1:1][0:0]
int a[N][N];
#pragma dvm array align([i][j] with a[i][j])
int b[N][N];
#ifdef RIGHT
#define LAST (N - 1)
#else
#define LAST N
#endif

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i + j;
      b[i][j] = 0;
    }
#pragma dvm parallel([i] on b[i][]) shadow_renew(a)
  for (int i = 0; i < N - 1; i++)
    for (int j = 0; j < LAST; j++)
      b[i][j] = a[i][j + 1];
      //        ^ error dvm-out-of-bounds 'a[0][6]'
  printf("%d\n", b[2][2]);
  return 0;
}
