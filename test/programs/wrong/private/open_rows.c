/* Private rows whose loops end where a variable says, recurrences along them, and loops that may have no turn at all. */
#include <stdio.h>
#define N 40
#define M 100
#pragma dvm array distribute[block][*]
static double a[N][M];
#pragma dvm array align([i] with a[i][])
static double s[N];
static double row[M], other[M];
static int n = M, few = M - 1, more = M + 1, none = 0, two = 2;

int main(void) {
#pragma dvm parallel([i] on a[i][])
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++)
      a[i][j] = i + j;
    s[i] = 0;
  }
#pragma dvm parallel([i] on s[i]) private(row, other) /* right: all, by another way, within, from one on, the turn before */
  for (int i = 0; i < N; i++) {
    double own[M];
    for (int j = 0; j < n; j++)
      row[j] = a[i][j];
    for (int j = n - 1; j >= 0; j--)
      other[j] = row[j];
    for (int j = 1; j < n - 1; j++)
      s[i] += other[j - 1] + other[j + 1];
    own[0] = 1;
    for (int j = 1; j < n; j++)
      own[j] = own[j - 1] / 2 + row[0];
    for (int j = 0; j < n; j++)
      s[i] += own[j];
  }
#pragma dvm parallel([i] on s[i]) private(row) /* right: a solver along the row */
  for (int i = 0; i < N; i++) {
    double c[M], d[M];
    c[0] = 0.5;
    d[0] = a[i][0];
    for (int j = 1; j < M; j++) {
      double m = 1 / (2 - c[j - 1]);
      c[j] = m;
      d[j] = (a[i][j] + d[j - 1]) * m;
    }
    row[M - 1] = d[M - 1];
    for (int j = M - 2; j >= 0; j--)
      row[j] = d[j] + c[j] * row[j + 1];
    s[i] += row[0];
  }
#pragma dvm parallel([i] on s[i]) private(row) /* one is missing at the end */
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < few; j++)
      row[j] = a[i][j];
    for (int j = 0; j < n; j++)
      s[i] += row[j];
    //        ^ error dvm-private-uninitialized 'row[99]'
  }
#pragma dvm parallel([i] on s[i]) private(row) /* and at the beginning */
  for (int i = 0; i < N; i++) {
    for (int j = 1; j < n; j++)
      row[j] = a[i][j];
    for (int j = n - 1; j >= 0; j--)
      s[i] += row[j];
    //        ^ error dvm-private-uninitialized 'row[0]'
  }
#pragma dvm parallel([i] on s[i]) private(row) /* outside */
  for (int i = 0; i < N; i++) {
    row[0] = 1;
    for (int j = 0; j < more; j++)
      s[i] += row[j] * (row[j] = 1);
    //        ^ error dvm-private-uninitialized 'row[1]'
    //        ^ error dvm-out-of-bounds 'row[100]'
  }
#pragma dvm parallel([i] on s[i]) private(row) /* each other one */
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < n; j += 2)
      row[j] = a[i][j];
    for (int j = 0; j < n; j++)
      s[i] += row[j];
    //        ^ error dvm-private-uninitialized 'row[1]'
  }
#pragma dvm parallel([i] on s[i]) private(row) /* a loop around that has no turn */
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < none; k++)
      for (int j = 0; j < M; j++)
        row[j] = a[i][j];
    for (int j = 0; j < M; j++)
      s[i] += row[j];
    //        ^ error dvm-private-uninitialized 'row[0]'
  }
#pragma dvm parallel([i] on s[i]) private(row) /* .. and one that ends where a variable says */
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < none; k++)
      for (int j = 0; j < n; j++)
        row[j] = a[i][j];
    for (int j = 0; j < n; j++)
      s[i] += row[j];
    //        ^ error dvm-private-uninitialized 'row[0]'
  }
#pragma dvm parallel([i] on s[i]) private(row) /* two turns before, of which one is there */
  for (int i = 0; i < N; i++) {
    row[1] = 1;
    for (int j = 2; j < n; j++)
      row[j] = row[j - 2];
    //         ^ error dvm-private-uninitialized 'row[0]'
    s[i] += row[n - 1];
  }
#pragma dvm parallel([i] on s[i]) private(row) /* the turn behind */
  for (int i = 0; i < N; i++) {
    row[0] = 1;
    for (int j = 0; j < n - 1; j++)
      row[j] = row[j + 1];
    //         ^ error dvm-private-uninitialized 'row[1]'
    s[i] += row[0];
  }
#pragma dvm parallel([i] on s[i]) private(row) /* the turn before, under a condition */
  for (int i = 0; i < N; i++) {
    row[0] = 1;
    for (int j = 1; j < n; j++)
      if (j % two)
        row[j] = row[j - 1];
    //           ^ error dvm-private-uninitialized 'row[2]'
    s[i] += row[0];
  }
  printf("done\n");
  return 0;
}
