/* Neighbours by offsets in constant tables: right, one too far, one behind the end of a row, and by a table that changes. */
#include <stdio.h>
#define N 20
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
static double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
static double b[N][N];
static const int di[4] = {-1, 1, 0, 0}, dj[4] = {0, 0, -1, 1};
static const signed char far[2][2] = {{0, 1}, {2, 0}};
static int moved[2] = {0, 1};

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i + j;
      b[i][j] = 0;
    }
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a)
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      for (int k = 0; k < 4; k++)
        b[i][j] += a[i + di[k]][j + dj[k]];
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a)
  for (int i = 0; i < N - 2; i++)
    for (int j = 0; j < N - 2; j++)
      for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++)
          b[i][j] += a[i + far[k][l]][j];
  //                 ^ error dvm-nonlocal-access 'a[2][0]'
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a)
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N; j++)
      for (int k = 3; k >= 0; k--)
        b[i][j] += a[i + di[k]][j + dj[k]];
  //               ^ error dvm-out-of-bounds 'a[1][20]'
  moved[1] = -2;
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a)
  for (int i = 2; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < 2; k++)
        b[i][j] += a[i + moved[k]][j];
  //               ^ error dvm-nonlocal-access 'a[0][0]'
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      a[i][j] = b[i][j];
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      for (int k = 0; k < 4; k++)
        b[i][j] += a[i + di[k]][j + dj[k]];
  //               ^ error dvm-shadow-stale 'a[0][1]'
  return 0;
}
