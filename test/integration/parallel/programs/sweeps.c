/* Dependences: forwards, backwards, in three dimensions, with stages, over strided loops. */
#include <stdio.h>
#define N 18
#pragma dvm array distribute[block][block][*] shadow[1:1][1:1][1:1]
double c[N][N][4];
#pragma dvm array distribute[block][block] shadow[2:2][2:2]
double a[N][N];
#pragma dvm array distribute[block] shadow[3:3]
double v[N];
static void show(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j] * ((i * 7 + j * 3) % 5);
  printf("%.9g\n", sum);
}
/* Steps that only the run knows: where the loop goes is known. */
static void steps(int by, int back) {
#pragma dvm parallel([i][j] on a[i][j]) across(a[2:1][0:2])
  for (int i = 2; i < N - 1; i += by)
    for (int j = N - 3; j > 0; j -= back)
      a[i][j] += (a[i - 2][j] - a[i + 1][j] + 2 * a[i][j + 2]) / 4;
  show();
#pragma dvm parallel([i] on v[i]) across(v[1:3])
  for (int i = N - 4; i >= 1; i -= by)
    v[i] = (v[i + 3] + v[i - 1]) / 2 + i;
#pragma dvm parallel([i] on v[i]) across(v[2:0])
  for (int i = 2; N > i; i = i + back)
    v[i] += v[i - 2] / 2;
}
int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i == 0 || j == N - 1 ? 8 : (i * j) % 3;
#pragma dvm parallel([i][j] on a[i][j]) across(a[2:1][1:2]) stage(3)
  for (int i = 2; i < N - 1; i++)
    for (int j = 1; j < N - 2; j++)
      a[i][j] = (a[i - 2][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 2]) / 4;
  show();
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:1][1:1])
  for (int i = N - 2; i > 0; i--)
    for (int j = N - 2; j > 0; j--)
      a[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
  show();
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:1][1:1])
  for (int i = 1; i < N - 1; i++)
    for (int j = N - 2; j > 0; j--)
      a[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
  show();
#pragma dvm parallel([i][j] on a[i][j]) across(a[2:0][0:0])
  for (int i = 2; i < N; i += 2)
    for (int j = 0; j < N; j++)
      a[i][j] += a[i - 2][j] / 2;
  show();
#pragma dvm parallel([i][j][k] on c[i][j][k])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < 4; k++)
        c[i][j][k] = i + j * k;
#pragma dvm parallel([i][j][k] on c[i][j][k]) across(c[1:0][1:0][1:1])
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      for (int k = 1; k < 3; k++)
        c[i][j][k] = (c[i - 1][j][k] + c[i][j - 1][k] + c[i][j][k - 1] + c[i][j][k + 1]) / 4;
#pragma dvm parallel([i][j][k] on c[i][j][k]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < 4; k++)
        sum += c[i][j][k] * (k + 1);
#pragma dvm parallel([i] on v[i])
  for (int i = 0; i < N; i++)
    v[i] = i % 4;
#pragma dvm parallel([i] on v[i]) across(v[3:2])
  for (int i = 3; i < N - 2; i++)
    v[i] = (v[i - 3] + v[i + 2] + v[i]) / 2;
  steps(2, 3);
  steps(1, 1);
#pragma dvm parallel([i] on v[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += v[i] * i;
  printf("%.9g\n", sum);
  return 0;
}
