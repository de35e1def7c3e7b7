/* Index variables that are no locals are undefined behind their loop like all others. */
// TWIN
#include <stdio.h>
#define N 10

static int i;
int j;
#pragma dvm array distribute[block][block]
int a[N][N];

int main(void) {
  static int k;
#pragma dvm parallel([i][j] on a[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = i + j;
#ifdef RIGHT
  i = N;
  j = N;
#endif
  printf("%d\n", i);
  //             ^ error dvm-private-uninitialized 'i'
  i = 3;
  printf("%d %d\n", i, j);
  //                   ^ error dvm-private-uninitialized 'j'
#pragma dvm parallel([k] on a[k][0])
  for (k = 1; k < N; k++)
    a[k][0] += k;
#ifdef RIGHT
  k = N;
#endif
  printf("%d\n", k);
  //             ^ error dvm-private-uninitialized 'k'
  return 0;
}
