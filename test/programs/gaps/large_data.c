/* Gap: "Dynamic control on one processor and tiny data only": half a million elements, ten sweeps. */
#include <math.h>
#include <stdio.h>
#define N 700

#pragma dvm array distribute[block][block]
static float a[N][N];
#pragma dvm array align([i][j] with a[i][j])
static float b[N][N];

int main(void) {
  float eps;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = 0;
      b[i][j] = i == 0 || j == 0 || i == N - 1 || j == N - 1 ? 0 : 1 + i + j;
    }
  for (int it = 0; it < 10; it++) {
    eps = 0;
#pragma dvm parallel([i][j] on a[i][j]) reduction(max(eps))
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        float change = fabsf(b[i][j] - a[i][j]);
        eps = change > eps ? change : eps;
        a[i][j] = b[i][j];
      }
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
  }
  printf("%.6g\n", eps);
  return 0;
}
