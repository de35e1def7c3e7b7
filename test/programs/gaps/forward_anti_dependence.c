/* Gap: "In-place forward anti-dependence without across passes".  Smoothing in place with the old value of the right
 * neighbour. */
// TWIN
#include <stdio.h>
#define N 7
#ifdef RIGHT
#define ORDER across(a[0:0][0:1])
#else
#define ORDER shadow_renew(a[0:0][0:1])
#endif

#pragma dvm array distribute[block][block]
double a[N][N];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i + j * j;
#pragma dvm parallel([i][j] on a[i][j]) ORDER
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N - 1; j++)
      a[i][j] = (a[i][j] + a[i][j + 1]) / 2;
//    ^ error dvm-loop-dependence 'a[0][1]'
  // note .*'a\[0\]\[1\]' was .*read
  printf("%g\n", a[3][3]);
  return 0;
}
