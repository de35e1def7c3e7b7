/* Boundary values are written by the iterations beside the border. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double u[N][N];

int main(void) {
#pragma dvm parallel([i][j] on u[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      u[i][j] = 1;
#ifdef RIGHT
#pragma dvm parallel([j] on u[0][j])
#else
#pragma dvm parallel([j] on u[1][j])
#endif
  for (int j = 1; j < N - 1; j++)
    u[0][j] = 0;
//  ^ error dvm-shadow-write 'u[0][1]'
  printf("%g %g\n", u[0][0], u[0][1]);
  return 0;
}
