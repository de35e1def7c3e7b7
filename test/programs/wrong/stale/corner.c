/* A nine-point stencil needs the corners of the edge: shadow_renew without (corner) does not bring them. */
// TWIN
#include <stdio.h>
#define N 10
#ifdef RIGHT
#define RENEW shadow_renew(a[1:1][1:1] (corner))
#else
#define RENEW shadow_renew(a[1:1][1:1])
#endif

int main(void)
{
  int i, j;
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
  double a[N][N];
#pragma dvm array align([i][j] with a[i][j]) shadow[0:0][0:0]
  double b[N][N];

#pragma dvm parallel([i][j] on a[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = i * N + j;
#pragma dvm parallel([i][j] on b[i][j]) RENEW
  for (i = 1; i < N - 1; i++)
    for (j = 1; j < N - 1; j++)
      b[i][j] = a[i][j - 1] + a[i][j + 1] + a[i - 1][j]
        + a[i + 1][j]
        + a[i - 1][j - 1] - a[i + 1][j + 1]
        //^ error dvm-shadow-stale 'a[0][0]'
        // help .*corner
        + a[i - 1][j + 1];
        //^ error dvm-shadow-stale 'a[0][2]'
  printf("%g\n", b[3][4]);
  return 0;
}
