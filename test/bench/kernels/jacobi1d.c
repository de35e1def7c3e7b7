/* Jacobi relaxation of a vector: copy with the greatest change, then the mean of two neighbours. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 1000000

#pragma dvm array distribute[block] shadow[1:1]
static double a[N];
#pragma dvm array align([i] with a[i])
static double b[N];

int main(int argc, char **argv) {
  int sweeps = argc > 1 ? atoi(argv[1]) : 100;
  double eps = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = 0;
    b[i] = i == 0 || i == N - 1 ? 0 : 1.0 + i % 100;
  }
  for (int it = 0; it < sweeps; it++) {
    eps = 0;
#pragma dvm parallel([i] on a[i]) reduction(max(eps))
    for (int i = 1; i < N - 1; i++) {
      double d = fabs(b[i] - a[i]);
      if (d > eps)
        eps = d;
      a[i] = b[i];
    }
#pragma dvm parallel([i] on b[i]) shadow_renew(a)
    for (int i = 1; i < N - 1; i++)
      b[i] = (a[i - 1] + a[i + 1]) / 2;
  }
  printf("%.17g\n", eps);
  return 0;
}
