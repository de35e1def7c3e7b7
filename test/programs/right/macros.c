/* Macros in directives, in bounds, in subscripts; directives by _Pragma; loops by macro. */
#include <stdio.h>
#define N 10
#define WIDTH 2
#define EDGE [WIDTH : WIDTH]
#define CELL(m, i, j) m[i][j]
#define FOR(v, from, to) for (int v = (from); v < (to); v++)
#define DVM(text) _Pragma(#text)
#define RENEWED(x) shadow_renew(x[WIDTH:WIDTH][0:0])
#define BLOCKS [block][block]

DVM(dvm array distribute BLOCKS shadow EDGE EDGE)
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on a[i][j])
  FOR(i, 0, N)
    FOR(j, 0, N)
      CELL(a, i, j) = i - 2 * j;
#pragma dvm parallel([i][j] on b[i][j]) RENEWED(a)
  FOR(i, WIDTH, N - WIDTH)
    FOR(j, 0, N)
      CELL(b, i, j) = CELL(a, i - WIDTH, j) * CELL(a, i + 1, j);
  DVM(dvm parallel([i][j] on b[i][j]) reduction(sum(sum)))
  FOR(i, WIDTH, N - WIDTH)
    FOR(j, 0, N)
      sum += CELL(b, i, j);
  printf("%g\n", sum);
  return 0;
}
