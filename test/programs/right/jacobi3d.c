/* Jacobi in three dimensions: variable-length local arrays, inherited parameters, edges in all three dimensions. */
#include <math.h>
#include <stdio.h>

#pragma dvm inherit(a, b)
static void start(int n, double a[n][n][n], double b[n][n][n]) {
#pragma dvm parallel([i][j][k] on a[i][j][k])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        a[i][j][k] = 0;
        b[i][j][k] = i == 0 || j == 0 || k == 0 || i == n - 1 || j == n - 1 || k == n - 1 ? 0 : 4 + i + j + k;
      }
}

#pragma dvm inherit(a, b)
static double copy(int n, double a[n][n][n], double b[n][n][n]) {
  double eps = 0;
#pragma dvm parallel([i][j][k] on a[i][j][k]) reduction(max(eps))
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++) {
        eps = fmax(eps, fabs(b[i][j][k] - a[i][j][k]));
        a[i][j][k] = b[i][j][k];
      }
  return eps;
}

#pragma dvm inherit(a, b)
static void relax(int n, double a[n][n][n], double b[n][n][n]) {
#pragma dvm parallel([i][j][k] on b[i][j][k]) shadow_renew(a)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++)
        b[i][j][k] = (a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] + a[i][j + 1][k] + a[i][j][k - 1] + a[i][j][k + 1]) / 6;
}

static void solve(int n) {
#pragma dvm array distribute[block][block][block] shadow[1:1][1:1][1:1]
  double a[n][n][n];
#pragma dvm array align([i][j][k] with a[i][j][k])
  double b[n][n][n];
  start(n, a, b);
  for (int it = 0; it < 6; it++) {
    double eps = copy(n, a, b);
    relax(n, a, b);
    printf("%d %.12g\n", it, eps);
  }
  printf("%.12g\n", b[n / 2][n / 2][n / 2]);
}

int main(void) {
  solve(8);
  solve(11);
  return 0;
}
