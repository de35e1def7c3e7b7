/* Elimination without the pivot row: the help names it by the variable of the loop around. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][*]
static double a[N][N];

int main(void)
{
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i == j ? 9 : 1;
  for (int k = 0; k < N - 1; k++) {
#ifdef RIGHT
#pragma dvm parallel([i][j] on a[i][j]) remote_access(a[k][j])
#else
#pragma dvm parallel([i][j] on a[i][j])
#endif
    for (int i = k + 1; i < N; i++)
      for (int j = k + 1; j < N; j++)
        a[i][j] -= a[k][j] / 9;
  //               ^ error dvm-shadow-stale 'a[0][1]'
  //               ^ error dvm-nonlocal-access 'a[0][1]'
  // help add 'remote_access\(a\[k\]\[j\]\)' to the directive at
  }
  double s = 0;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s += a[i][j];
  printf("%g\n", s);
  return 0;
}
