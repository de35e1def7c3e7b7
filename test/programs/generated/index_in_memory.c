/* Index variables that are static, or whose address is known, have no value behind the loop either. */
// TWIN
// OUTPUT any
#include <stdio.h>
#define N 6
#pragma dvm array distribute[block][*]
static double a[N][N];
static int i;

int main(void) {
  static short j;
  int k, l;
  int *at = &k;
#pragma dvm parallel([i][j] on a[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = 1;
#pragma dvm parallel([k][l] on a[k][l])
  for (k = 0; k < N; k++)
    for (l = 0; l < N; l++)
      a[k][l] = 1;
#ifdef RIGHT
  i = j = k = l = N;
#endif
  printf("%d\n", i);
  //             ^ error dvm-private-uninitialized 'i'
  printf("%d\n", j);
  //             ^ error dvm-private-uninitialized 'j'
  printf("%d\n", *at);
  //             ^ error dvm-private-uninitialized '*at'
  printf("%d\n", l);
  //             ^ error dvm-private-uninitialized 'l'
  for (i = 0, j = 1; i < 2; i++, j++)
    printf("%d\n", i + j);
  return 0;
}
