/* Under remote_access a block is read from the buffer if it lies within a section; what is beside it is not covered. */
// TWIN
#include <stdio.h>
#include <string.h>
#define N 8
#define M 6
#ifdef RIGHT
#define SECTION g[k][]
#else
#define SECTION g[2][]
#endif

#pragma dvm array distribute[block][*]
double g[N][M];
#pragma dvm array align([i][j] with g[i][j])
double h[N][M];

int main(void) {
  double row[M], sum = 0;
  int k = 5;
  memset(g, 0, sizeof g);
#pragma dvm parallel([i] on g[i][]) private(row) remote_access(SECTION)
  for (int i = 0; i < 3; i++) {
    memcpy(row, g[k], sizeof row);
    //          ^ error dvm-remote-uncovered 'g[5][0]'
    h[i][0] = row[0];
  }
#pragma dvm parallel([i] on g[i][]) private(row) remote_access(g[2][], g[0][])
  for (int i = 0; i < N; i++) {
    memcpy(row, &g[2][1], 3 * sizeof(double));
    memcpy(row + 3, g[0], 3 * sizeof(double));
    memcpy(&h[i][2], row, 4 * sizeof(double));
  }
#pragma dvm parallel([i] on h[i][]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += h[i][2];
  printf("%g\n", sum);
  return 0;
}
