/* Many private temporaries and branches, one store an iteration. */
#include <stdio.h>
#include <stdlib.h>
#define N 200000

#pragma dvm array distribute[block]
static double o[N];

int main(int argc, char **argv) {
  int times = argc > 1 ? atoi(argv[1]) : 20;
  double total = 0, x, y, z, u, w;
  int k;
  for (int it = 0; it < times; it++) {
#pragma dvm parallel([i] on o[i]) private(x, y, z, u, w, k)
    for (int i = 0; i < N; i++) {
      x = i * 1e-6 + it;
      y = 1 - x;
      z = 0.5;
      for (k = 0; k < 8; k++) {
        u = x * y + z;
        w = u > 0 ? u - 0.25 * x : u + 0.25 * y;
        x = y * 0.75 - w * 0.125;
        y = z + 0.5 * u;
        z = w * w < 4 ? w * 0.5 : 1 / (1 + w * w);
      }
      o[i] = x + y + z;
    }
  }
#pragma dvm parallel([i] on o[i]) reduction(sum(total))
  for (int i = 0; i < N; i++)
    total += o[i];
  printf("%.13g\n", total);
  return 0;
}
