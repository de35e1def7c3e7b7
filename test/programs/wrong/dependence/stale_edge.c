/* Where the subscripts show that iterations depend on each other, that is the mistake, not the edge that the first one reads; where a
 * condition hides it, both are told, and the later help corrects the first. */
#include <stdio.h>
#define N 20

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array distribute[block][block]
double m[N][N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = i * j;

#pragma dvm parallel([i] on a[i])
  for (int i = 1; i < N; i++)
    a[i] = a[i - 1] + 1;
  //       ^ error dvm-loop-dependence 'a[1]'
  // help add 'across\(a\[1:0\]\)' to the directive at .*$
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      m[i][j] = m[i - 1][j] + m[i + 1][j];
  //            ^ error dvm-loop-dependence 'm[1][1]'
#pragma dvm parallel([i] on a[i])
  for (int i = 1; i < N; i++)
    if (i > 3)
      a[i] = a[i - 1] + 1;
  //         ^ error dvm-shadow-stale 'a[3]'
  //         ^ error dvm-loop-dependence 'a[4]'
  // help .*'across\(a\[1:0\]\)'.* replaces 'shadow_renew\(a\)'
#pragma dvm parallel([i] on a[i])
  for (int i = 1; i < N; i += N)
    a[i] = a[i - 1] + 1;
  //       ^ error dvm-shadow-stale 'a[0]'
  printf("%g %g\n", a[5], m[3][3]);
  return 0;
}
