/* Blocked product with work tiles copied by memcpy; tiles at the edge are filled in part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 22
#define B 8
static double a[N][N], b[N][N];
#pragma dvm array distribute[block][]
static double c[N][N];
int main(void) {
  double tile[B][B], row[N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i - j;
      b[i][j] = i == j ? 2 : 0.5;
    }
#pragma dvm parallel([i] on c[i][]) private(tile, row)
  for (int i = 0; i < N; i++) {
    memset(row, 0, sizeof row);
    for (int k0 = 0; k0 < N; k0 += B)
      for (int j0 = 0; j0 < N; j0 += B) {
        int nk = N - k0 < B ? N - k0 : B, nj = N - j0 < B ? N - j0 : B;
        for (int k = 0; k < nk; k++)
          memcpy(tile[k], &b[k0 + k][j0], (size_t)nj * sizeof(double));
        for (int k = 0; k < nk; k++)
          for (int j = 0; j < nj; j++)
            row[j0 + j] += a[i][k0 + k] * tile[k][j];
      }
    memcpy(c[i], row, sizeof row);
  }
  double sum = 0;
#pragma dvm parallel([i][j] on c[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += c[i][j] * (i + j);
  printf("%.3f\n", sum);
  return 0;
}
