/* A transposition reads the element across the diagonal: not its own, nor within any edge. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][block]
int m[N][N];
#pragma dvm array align([i][j] with m[i][j])
int t[N][N];

int main(void) {
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = 10 * i + j;
#ifdef RIGHT
#pragma dvm parallel([i][j] on t[i][j]) remote_access(m[][])
#else
#pragma dvm parallel([i][j] on t[i][j]) shadow_renew(m(corner))
#endif
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      t[i][j] = m[j][i];
      //        ^ error dvm-nonlocal-access 'm[2][0]'
      // note .*iteration .*i=0, j=2
  printf("%d\n", t[1][4]);
  return 0;
}
