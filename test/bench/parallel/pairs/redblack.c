/* Red-black relaxation in place, by rows: the bounds of the inner loop depend on the index of the outer one. */
#include "bench.h"
#include <stdio.h>
#define N 2000
#define STEPS 20
#pragma dvm array distribute[block][*] shadow[1 : 1][0 : 0]
static double A[N][N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = 1 + (i + j) % 10;
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
    for (int colour = 0; colour < 2; colour++) {
#pragma dvm parallel([i][j] on A[i][j]) shadow_renew(A)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2)
          A[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
    }
    bench_end();
  }
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += A[i][j];
  printf("%.9g\n", sum);
  return 0;
}
