/* across in the forms that cover: exact widths, wider ones, both sides, two dimensions, downwards, without 'on'. */
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block][block] shadow[2:2][2:2]
int a[N][N];

int main(void) {
  int b[N][N], sum = 0, total = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i * 3 + j;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = i ^ j;
#pragma dvm parallel([i][j] on a[i][j]) across(a[2:1][0:2])
  for (int i = 2; i < N - 1; i++)
    for (int j = 0; j < N - 2; j++)
      a[i][j] = (a[i - 2][j] + a[i + 1][j] + a[i][j + 2]) % 100;
#pragma dvm parallel([i][j] on a[i][j]) across(a)
  for (int i = N - 2; i >= 1; i--)
    for (int j = N - 2; j >= 1; j--)
      a[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) % 100;
#pragma dvm parallel([i][j]) across(b[1:1][1:1])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      b[i][j] = (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]) % 100;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      total += b[i][j];
  printf("%d %d\n", sum, total);
  return 0;
}
