/* Arrays of one dimension: a row is all that the rank has. */
#include <stdio.h>
#include <stdlib.h>
#pragma dvm array distribute[block] shadow[1:1]
static double A[N];
#pragma dvm array align([i] with A[i])
static double B[N];

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 1;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i % 17, B[i] = 0;
  for (int step = 0; step < steps; step++) {
#pragma dvm parallel([i] on B[i]) shadow_renew(A)
    for (int i = 1; i < N - 1; i++)
      B[i] = (A[i - 1] + A[i + 1]) * 0.5 + A[i];
#pragma dvm parallel([i] on A[i])
    for (int i = 1; i < N - 1; i++)
      A[i] = B[i] * 0.5;
  }
  printf("%d\n", steps);
}
