/* Red-black relaxation in place: the bounds of the inner loop depend on the outer index, steps of two. */
#include <math.h>
#include <stdio.h>
#define N 20
#define Max(x, y) ((x) > (y) ? (x) : (y))

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double u[N][N];

int main(void) {
  double w = 1.25, eps;
#pragma dvm parallel([i][j] on u[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      u[i][j] = i == 0 || i == N - 1 || j == 0 || j == N - 1 ? 0 : 1 + i + j;
  for (int it = 0; it < 8; it++) {
    eps = 0;
#pragma dvm actual(eps)
#pragma dvm region
    {
#pragma dvm parallel([i][j] on u[i][j]) shadow_renew(u) reduction(max(eps))
      for (int i = 1; i < N - 1; i++)
        for (int j = 1 + i % 2; j < N - 1; j += 2) {
          double old = u[i][j];
          u[i][j] = w / 4 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) + (1 - w) * old;
          eps = Max(fabs(old - u[i][j]), eps);
        }
#pragma dvm parallel([i][j] on u[i][j]) shadow_renew(u)
      for (int i = 1; i < N - 1; i++)
        for (int j = 2 - i % 2; j < N - 1; j += 2)
          u[i][j] = w / 4 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) + (1 - w) * u[i][j];
    }
#pragma dvm get_actual(eps)
    printf("%d %.10f\n", it, eps);
  }
  return 0;
}
