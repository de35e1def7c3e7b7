/* Red-black over-relaxation in place: one colour after the other. */
#include <stdio.h>
#include <stdlib.h>
#define N 1000

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
static double a[N][N];

int main(int argc, char **argv) {
  int sweeps = argc > 1 ? atoi(argv[1]) : 100;
  double w = 1.5, sum = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i == j ? N : 1.0 / (1 + i + j);
  for (int it = 0; it < sweeps; it++)
    for (int colour = 0; colour < 2; colour++) {
#pragma dvm parallel([i][j] on a[i][j]) shadow_renew(a)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2)
          a[i][j] = w / 4 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) + (1 - w) * a[i][j];
    }
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j];
  printf("%.15g\n", sum);
  return 0;
}
