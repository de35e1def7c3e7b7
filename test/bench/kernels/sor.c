/* Successive over-relaxation with across, in single precision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 1000

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
static float a[N][N];

int main(int argc, char **argv) {
  int sweeps = argc > 1 ? atoi(argv[1]) : 50;
  float w = 0.5f, eps = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i == j ? N + 2 : -1.0f;
  for (int it = 0; it < sweeps; it++) {
    eps = 0;
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:1][1:1]) reduction(max(eps))
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        float s = a[i][j];
        a[i][j] = w / 4 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) + (1 - w) * a[i][j];
        eps = fmaxf(fabsf(s - a[i][j]), eps);
      }
  }
  printf("%.9g\n", (double)eps);
  return 0;
}
