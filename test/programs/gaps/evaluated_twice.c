/* Gap: "Instrumentation macros execute some operands twice": a[i++], double x = next(). */
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][]
double a[N][N];
static int calls;

static double next(void) {
  return ++calls;
}

int main(void) {
  double x = next(), y = next() + next();
#pragma dvm parallel([i] on a[i][])
  for (int i = 0; i < N; i++) {
    int k = 0;
    double first = i, second = 2 * i, *p = a[i];
    while (k < N - 2)
      a[i][k++] = first;
    p[k++] = second;
    p[k] = first + a[i][k - 1];
  }
  for (int i = 0; i < N; i++)
    printf("%g %g\n", a[i][N - 1], a[i][N - 2]);
  printf("%d %g %g\n", calls, x, y);
  return 0;
}
