/* Sum of the products of two long vectors. */
#include <stdio.h>
#include <stdlib.h>
#define N 4000000

#pragma dvm array distribute[block]
static double x[N];
#pragma dvm array align([i] with x[i])
static double y[N];

int main(int argc, char **argv) {
  int times = argc > 1 ? atoi(argv[1]) : 30;
  double s = 0, total = 0;
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++) {
    x[i] = 1.0 / (i + 1);
    y[i] = i % 5;
  }
  for (int it = 0; it < times; it++) {
    s = 0;
#pragma dvm parallel([i] on x[i]) reduction(sum(s))
    for (int i = 0; i < N; i++)
      s += x[i] * y[i];
    total += s;
  }
  printf("%.13g\n", total);
  return 0;
}
