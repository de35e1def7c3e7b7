/* The loop writes every third row, so that no iteration depends on another; the row below is read from an edge that neither
 * across nor a renewal brings. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define RENEWED shadow_renew(a)
#else
#define RENEWED
#endif

#pragma dvm array distribute[block][block] shadow[0:2][1:2]
int a[N][N];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i;
#pragma dvm parallel([i][j] on a[i][j]) across(a[0:0][1:2]) RENEWED
  for (int i = 2; i < N - 1; i += 3)
    for (int j = 2; j < N - 2; j++)
      a[i][j] += a[i + 1][j];
      //         ^ error dvm-shadow-stale 'a[3][2]'
  printf("%d\n", a[2][2]);
  return 0;
}
