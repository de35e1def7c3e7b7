/* TWIN */
/* Elements that the text of the nest does not show: through functions of its indices, pointers, locals.  Others that lie the same way from the own
 * element are judged as the first one was; the counts are those of each access judged anew.  With the clauses it is right. */
#include <stdio.h>
#define N 40
#define M 24
#ifdef RIGHT
#define RENEWED shadow_renew(a)
#else
#define RENEWED
#endif

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double a[N][M];
#pragma dvm array align([i][j] with a[i][j])
double b[N][M];

static double up(int i, int j) { return a[i - 1][j] + a[i][j]; }
//                                      ^ error dvm-shadow-stale 'a[0][1]'
static double at(const double *p) { return p[1] - *p; }
//                                         ^ error dvm-shadow-stale 'a[1][2]'
__attribute__((noinline)) static double kept(int i, int j) { return a[i][j - 1]; }
//                                                                  ^ error dvm-shadow-stale 'a[1][0]'
static double twice(const double *row, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    s += row[k] / 2;
  //     ^ error dvm-nonlocal-access 'a[1][0]'
  return s;
}
static void put(int i, int j, double x) { b[i][j] = x; }
static void beside(int i, int j, double x) { b[i][j + 1] = x; }
//                                           ^ error dvm-shadow-write 'b[1][6]'

static void sweep(void) {
#pragma dvm parallel([i][j] on b[i][j]) RENEWED
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < M - 1; j++) {
      const int below = i + 1, twice_below = 2 * i - i + 1;
      const double *row = a[i];
      b[i][j] = up(i, j) + at(&a[i][j]) + kept(i, j);
      b[i][j] += a[below][j];
      //         ^ error dvm-shadow-stale 'a[2][1]'
      b[i][j] += row[j + 1] + a[twice_below][j];
      //         ^ error dvm-shadow-stale 'a[1][2]'
      put(i, j, b[i][j] / 8);
    }
}

static void others(void) {
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = 5; j < M - 1; j += 3) {
#ifndef RIGHT
      b[i][j] = twice(a[i], i % 3);
      beside(i, j, 1);
#endif
    }
}

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      a[i][j] = i * 3 + j, b[i][j] = 0;
  for (int n = 0; n < 3; n++)
    sweep();
  others();
  printf("%g\n", b[N / 2][M / 2]);
  return 0;
}
