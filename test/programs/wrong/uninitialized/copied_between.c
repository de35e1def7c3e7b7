/* What a nest has found to have values may lose them by a copy before it is executed again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 20 };

static double sum(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += a[i * N + j];
  //       ^ error dvm-uninitialized 'a[399]'
  return s;
}

int main(int argc, char **argv) {
  double *a = malloc(N * N * sizeof *a), *b = malloc(N * N * sizeof *b), s = 0;
  const int n = N - argc + 1;
  for (int i = 0; i < N * N; i++)
    a[i] = i;
#ifdef RIGHT
  for (int i = 0; i < N * N; i++)
#else
  for (int i = 0; i < N * N - argc; i++)
#endif
    b[i] = i;
  for (int k = 0; k < 3; k++) {
    s += sum(a, n);
    memcpy(a, b, N * N * sizeof *a);
  }
  printf("%g\n", s);
}
