/* Jacobi relaxation as jacobi2d has it, in a region for each sweep: what each side holds is followed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 1000

#pragma dvm array distribute[block][block] shadow[1 : 1][1 : 1]
static double (*a)[N];
#pragma dvm array align([i][j] with a[i][j])
static double (*b)[N];

int main(int argc, char **argv) {
  int sweeps = argc > 1 ? atoi(argv[1]) : 100;
  double eps = 0;
  a = malloc(N * N * sizeof(double));
  b = malloc(N * N * sizeof(double));
  if (!a || !b)
    return 1;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = 0;
      b[i][j] = i == 0 || j == 0 || i == N - 1 || j == N - 1 ? 0 : 1.0 + i + j;
    }
#pragma dvm actual(a, b)
  for (int it = 0; it < sweeps; it++) {
    eps = 0;
#pragma dvm actual(eps)
#pragma dvm region inout(a, b)
    {
#pragma dvm parallel([i][j] on a[i][j]) reduction(max(eps))
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) {
          double d = fabs(b[i][j] - a[i][j]);
          eps = d > eps ? d : eps;
          a[i][j] = b[i][j];
        }
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          b[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j]) / 4;
    }
#pragma dvm get_actual(eps)
  }
  printf("%.17g\n", eps);
  free(a);
  free(b);
  return 0;
}
