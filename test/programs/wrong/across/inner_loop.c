/* The clause that help names holds what the present one is needed for, also where an inner loop runs along a whole dimension. */
// TWIN
#include <stdio.h>
#define N 8
#define M 3
#ifdef RIGHT
#define WIDTHS rsd[1:0][1:0][0:0]
#else
#define WIDTHS rsd[1:0][0:0][0:0]
#endif

#pragma dvm array distribute[block][block][]
double rsd[N][N][M];

int main(void) {
  int i, j, m;
#pragma dvm parallel([i][j] on rsd[i][j][]) private(m)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      for (m = 0; m < M; m++)
        rsd[i][j][m] = i + j + m;
#pragma dvm parallel([i][j] on rsd[i][j][]) private(m) across(WIDTHS)
  for (i = 1; i < N; i++)
    for (j = 1; j < N; j++)
      for (m = 0; m < M; m++)
        rsd[i][j][m] += rsd[i - 1][j][m] + rsd[i][j - 1][m];
  //                                       ^ error dvm-across-distance 'rsd'
  // help write 'across\(rsd\[1:0\]\[1:0\]\[0:0\]\)' in the directive
  // stderr smallest clause: across\(rsd\[1:0\]\[1:0\]\[0:0\]\)
  return 0;
}
