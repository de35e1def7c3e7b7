/* 'shadow_compute' fills corners as well, where what the iterations read is there: in corners of edges that were renewed with them. */
// TWIN
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block][block]
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];
#pragma dvm array align([i][j] with a[i][j])
double c[N][N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on a[i][j]) shadow_compute
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i * j;
#ifdef RIGHT
#pragma dvm parallel([i][j] on b[i][j]) shadow_compute(b[1:1][0:1])
#else
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] += 1;
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a) shadow_compute(b[1:1][0:1])
#endif
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = a[i][j] + 1;
#pragma dvm parallel([i][j] on c[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      c[i][j] = b[i - 1][j] + b[i][j + 1];
#pragma dvm parallel([i][j] on c[i][j]) reduction(sum(sum))
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      sum += c[i][j] + b[i - 1][j + 1];
  //                   ^ error dvm-shadow-stale 'b[0][2]'
  printf("%g\n", sum);
  return 0;
}
