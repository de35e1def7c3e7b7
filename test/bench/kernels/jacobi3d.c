/* Seven-point stencil on a cube, from one array to the other and back. */
#include <stdio.h>
#include <stdlib.h>
#define N 128

#pragma dvm array distribute[block][block][block] shadow[1:1][1:1][1:1]
static double a[N][N][N];
#pragma dvm array align([i][j][k] with a[i][j][k])
static double b[N][N][N];

int main(int argc, char **argv) {
  int sweeps = argc > 1 ? atoi(argv[1]) : 50;
#pragma dvm parallel([i][j][k] on a[i][j][k])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        a[i][j][k] = b[i][j][k] = ((i * N + j) * N + k) % 101 / 7.0;
  for (int it = 0; it < sweeps; it += 2) {
#pragma dvm parallel([i][j][k] on b[i][j][k]) shadow_renew(a)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          b[i][j][k] = 0.4 * a[i][j][k] + 0.1 * (a[i][j][k - 1] + a[i][j][k + 1] + a[i][j - 1][k] + a[i][j + 1][k] +
                                                 a[i - 1][j][k] + a[i + 1][j][k]);
#pragma dvm parallel([i][j][k] on a[i][j][k]) shadow_renew(b)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          a[i][j][k] = 0.4 * b[i][j][k] + 0.1 * (b[i][j][k - 1] + b[i][j][k + 1] + b[i][j - 1][k] + b[i][j + 1][k] +
                                                 b[i - 1][j][k] + b[i + 1][j][k]);
  }
  double sum = 0;
#pragma dvm parallel([i][j][k] on a[i][j][k]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        sum += a[i][j][k];
  printf("%.15g\n", sum);
  return 0;
}
