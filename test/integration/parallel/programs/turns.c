/* Dependences in nests with a loop along no dimension: outside of all others, between them, with bounds that depend on other loops, empty. */
#include <stdio.h>
#define N 19
#pragma dvm array distribute[block] shadow[2:2], dynamic
double a[N];
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double b[N][N];
#pragma dvm array distribute[*][block] shadow[1:1][2:2]
double c[4][N];
int map[N];
static void show(void) {
  double s = 0, t = 0, u = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += a[i] * (i % 7 + 1);
#pragma dvm parallel([i][j] on b[i][j]) reduction(sum(t))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      t += b[i][j] * ((i * 3 + j) % 5 + 1);
#pragma dvm parallel([i][j] on c[i][j]) reduction(sum(u))
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < N; j++)
      u += c[i][j] * ((i * 3 + j) % 5 + 1);
  printf("%.9g %.9g %.9g\n", s, t, u);
}
static void one(int m, int by) {
#pragma dvm parallel([k][i] on a[i]) across(a[1:1])
  for (int k = 0; k < 4; k++)
    for (int i = 1; i < N - 1; i++)
      a[i] = (a[i - 1] + 2 * a[i + 1]) / 4 + k;
  show();
#pragma dvm parallel([k][i] on a[i]) across(a[2:1])
  for (int k = m; k >= 0; k -= by)
    for (int i = N - 2; i > 1; i--)
      a[i] = (a[i - 2] + 2 * a[i + 1]) / 4 + k;
  show();
#pragma dvm parallel([k][l][i] on a[i]) across(a[2:0])
  for (unsigned char k = 2; k < 2 * m; k += by)
    for (short l = -k; l < 0; l += 3)
      for (int i = k; i < N; i += by)
        a[i] = (a[i - 2] + a[i]) / 2 + k + l;
  show();
}
static void two(int m) {
#pragma dvm parallel([k][i][j] on b[i][j]) across(b[1:1][1:1])
  for (int k = 0; k < m; k++)
    for (int i = 1; i < N - 1; i++)
      for (int j = N - 2; j > 0; j--)
        b[i][j] = (b[i - 1][j] + b[i + 1][j] * 2 + b[i][j - 1] * 3 + b[i][j + 1]) / 7 + k;
#pragma dvm parallel([i][k][j] on b[i][j]) across(b[1:1][1:1])
  for (int i = 1; i < N - 1; i++)
    for (int k = i; k < i + m - 3; k++)
      for (int j = N - 2; j > 0; j--)
        b[i][j] = (b[i - 1][j] + b[i + 1][j] * 2 + b[i][j - 1] * 3 + b[i][j + 1]) / 7 + k;
  show();
#pragma dvm parallel([i][k][j] on b[i][j]) across(b[1:1][1:1])
  for (int i = 1; i < N - 1; i++)
    for (int k = 0; k < i % 3; k++)
      for (int j = N - 2; j > k; j--)
        b[i][j] = (b[i - 1][j] + b[i + 1][j] * 2 + b[i][j - 1] * 3 + b[i][j + 1]) / 7 + k;
#pragma dvm parallel([k][j][i] on b[j][i]) across(b[1:1][1:1])
  for (int k = 0; k < m - 5; k++)
    for (int j = 1 + k; j < N - 1; j++)
      for (int i = N - 2; i > k; i--)
        b[j][i] = (b[j - 1][i] + b[j + 1][i] * 2 + b[j][i - 1] * 3 + b[j][i + 1]) / 7 + k;
  show();
#pragma dvm parallel([i][k][j] on c[i][j]) across(c[1:1][2:1])
  for (int i = 1; i < 3; i++)
    for (int k = m; k > i; k--)
      for (int j = 2; j < N - 1; j++)
        c[i][j] = (c[i - 1][j] + c[i + 1][j] * 2 + c[i][j - 2] * 3 + c[i][j + 1]) / 7 + k;
  show();
}
int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = (i * 37) % 11;
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = (i * 37 + j * 5) % 11;
#pragma dvm parallel([i][j] on c[i][j])
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < N; j++)
      c[i][j] = (i * 3 + j * 5) % 11;
  one(5, 2);
  one(4, 1);
  one(0, 3);
  two(6);
  two(5);
  for (int i = 0; i < N; i++)
    map[i] = (i / 3) % 2;
#pragma dvm redistribute(a[indirect(map)])
  one(5, 2);
  show();
  return 0;
}
