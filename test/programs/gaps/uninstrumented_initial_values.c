/* Gap: "False positives on data initialised in code that is not instrumented (file-scope initialisers, parameters)". */
#include <stdio.h>
#include <stdlib.h>
#define N 6

static double scale = 0.5, table[N] = {1, 2, 3};
const int shift = 3;
#pragma dvm array distribute[block]
double a[N];

static double at(int i, double by, const double *values) {
  return values[i] * by + shift;
}

int main(int argc, char **argv) {
  int extra = argc > 1 ? atoi(argv[1]) : 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = at(i, scale, table) + extra + argc;
  for (int i = 0; i < N; i++)
    printf("%g ", a[i]);
  printf("\n");
  return 0;
}
