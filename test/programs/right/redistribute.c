/* A dynamic array changes its distribution, so that each sweep finds its whole lines. */
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block][*] dynamic
double a[N][N];

int main(void) {
  double total = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i * N + j;
  for (int round = 0; round < 3; round++) {
#pragma dvm parallel([i] on a[i][])
    for (int i = 0; i < N; i++)
      for (int j = 1; j < N; j++)
        a[i][j] = (a[i][j] + a[i][j - 1]) / 2;
#pragma dvm redistribute(a[*][block])
#pragma dvm parallel([j] on a[][j])
    for (int j = 0; j < N; j++)
      for (int i = 1; i < N; i++)
        a[i][j] = (a[i][j] + a[i - 1][j]) / 2;
#pragma dvm redistribute(a[block][*])
  }
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(total))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      total += a[i][j];
  printf("%.9f\n", total);
  return 0;
}
