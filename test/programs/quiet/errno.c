/* 'errno' is nobody's private variable: a library's function may assign it in any iteration. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 100
#pragma dvm array distribute[block]
static double a[N];

static double root_or_zero(double x) {
  errno = 0;
  double root = sqrt(x);
  return errno == EDOM ? 0 : root;
}

int main(void) {
  double sum = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = root_or_zero(i - 3);
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++) {
    char text[32], *end;
    snprintf(text, sizeof text, "%g", a[i]);
    errno = 0;
    const double value = strtod(text, &end);
    if (!errno)
      sum += value;
  }
  printf("%d\n", sum > 600);
}
