/* Private rows, structs and scalars of the file, and rows that begin to live in an iteration: each byte that is read has to be the iteration's. */
#include <stdio.h>
#define N 40
#define M 300
struct point {
  double x, y;
};
#pragma dvm array distribute[block][*]
static double a[N][M];
#pragma dvm array align([i] with a[i][])
static double s[N];
static double row[M], tmp;
static struct point at[3];
static const double given[4] = {1, 2, 3};

int main(void) {
#pragma dvm parallel([i] on a[i][])
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++)
      a[i][j] = i + j;
    s[i] = 0;
  }
#pragma dvm parallel([i] on s[i]) private(row, tmp, at) /* right */
  for (int i = 0; i < N; i++) {
    double own[M], copy[4] = {1, 2, 3}, zero[8] = {0};
    struct point ends[2];
    for (int j = 0; j < M; j++)
      row[j] = a[i][j];
    for (int j = 0; j < M; j++)
      own[M - 1 - j] = row[j];
    for (int k = 0; k < 3; k++) {
      at[k].x = own[k];
      at[k].y = given[k];
    }
    for (int k = 0; k < 2; k++) {
      ends[k].x = at[k + 1].y + copy[k];
      ends[k].y = at[k].x + zero[7 - k];
    }
    tmp = ends[0].x + ends[1].y;
    s[i] = tmp;
  }
  printf("%g\n", s[3]);
  printf("%d\n", row[7] == row[7]);
  //             ^ error dvm-private-uninitialized 'row[7]'
#pragma dvm parallel([i] on s[i]) private(row) /* the last element */
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M - 1; j++)
      row[j] = a[i][j];
    for (int j = 0; j < M; j++)
      s[i] += row[j];
    //        ^ error dvm-private-uninitialized 'row[299]'
  }
#pragma dvm parallel([i] on s[i]) private(at) /* a member */
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 3; k++)
      at[k].x = i;
    for (int k = 0; k < 3; k++)
      s[i] += at[k].y;
    //        ^ error dvm-private-uninitialized 'at[0].y'
  }
#pragma dvm parallel([i] on s[i]) private(tmp) /* first read, then assigned */
  for (int i = 0; i < N; i++) {
    s[i] += tmp;
    //      ^ error dvm-private-uninitialized 'tmp'
    tmp = i;
  }
#pragma dvm parallel([i] on s[i]) private(row) /* one that begins later */
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j += 2)
      row[j] = a[i][j];
    for (int j = 0; j < M; j += 2)
      s[i] += row[j];
    for (int j = 1; j < M; j += 4)
      s[i] += row[j];
    //        ^ error dvm-private-uninitialized 'row[1]'
  }
#pragma dvm parallel([i] on s[i]) /* structs of an iteration */
  for (int i = 0; i < N; i++) {
    struct point p[200];
    for (int k = 0; k < 200; k++)
      p[k].x = i;
    for (int k = 0; k < 200; k++)
      s[i] += p[k].x;
    s[i] += p[199].y;
    //      ^ error dvm-uninitialized 'p[199].y'
  }
#pragma dvm parallel([i] on s[i]) private(row) /* behind the end */
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= M; j++)
      row[j < M ? j : 0] = a[i][0];
    for (int j = 0; j < M; j++)
      s[i] += row[j + 1];
    //        ^ error dvm-out-of-bounds 'row[300]'
  }
  printf("%d\n", row[5] == row[5]);
  //             ^ error dvm-private-uninitialized 'row[5]'
  return 0;
}
