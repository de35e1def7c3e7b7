/* Corners in two and three dimensions, edges wider than one, different to the two sides. */
#include <stdio.h>
#define N 9

#pragma dvm array distribute[block][block] shadow[2:1][1:2]
int a[N][N];
#pragma dvm array align([i][j] with a[i][j])
int b[N][N];
#pragma dvm array distribute[block][block][block]
float c[N][N][N];

int main(void) {
  int sum = 0;
  double dsum = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i * 31 % 7 + j;
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a (corner)) reduction(sum(sum))
  for (int i = 2; i < N - 1; i++)
    for (int j = 1; j < N - 2; j++) {
      b[i][j] = a[i - 2][j - 1] + a[i + 1][j + 2] - a[i - 2][j + 2] - a[i + 1][j - 1] + a[i - 1][j + 1];
      sum += b[i][j];
    }
#pragma dvm parallel([i][j][k] on c[i][j][k])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        c[i][j][k] = i + j * k;
#pragma dvm parallel([i][j][k] on c[i][j][k]) shadow_renew(c[1:1][1:1][1:1] (corner)) reduction(sum(dsum))
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      for (int k = 1; k < N - 1; k++)
        for (int d = -1; d <= 1; d++)
          for (int e = -1; e <= 1; e++)
            dsum += c[i + d][j + e][k + d * e];
  printf("%d %g\n", sum, dsum);
  return 0;
}
