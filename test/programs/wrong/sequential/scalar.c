/* A replicated variable is assigned on all processors, the element lies on one. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][block]
double a[N][N];

int main(void) {
  double corner;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i - j;
#ifdef RIGHT
#pragma dvm remote_access(a[0][N - 1])
#endif
  corner = a[0][N - 1];
  //       ^ error dvm-sequential-access 'a[0][5]'
  printf("%g %g\n", corner, a[0][0]);
  return 0;
}
