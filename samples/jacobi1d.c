/* Jacobi relaxation of a rod: each point becomes the mean of its two neighbours. */
#include <math.h>
#include <stdio.h>

#define N 1000
#define STEPS 100

#pragma dvm array distribute[block], shadow[1:1]
static double A[N];
#pragma dvm array align([i] with A[i])
static double B[N];

int main(void)
{
  double change;
  int i, step;

#pragma dvm parallel([i] on A[i])
  for (i = 0; i < N; i++) {
    A[i] = i == 0 ? 1 : 0;
    B[i] = A[i];
  }

  for (step = 1; step <= STEPS; step++) {
#pragma dvm parallel([i] on B[i]) shadow_renew(A)
    for (i = 1; i < N - 1; i++)
      B[i] = (A[i - 1] + A[i + 1]) / 2;
    change = 0;
#pragma dvm parallel([i] on A[i]) reduction(max(change))
    for (i = 0; i < N; i++) {
      double d = fabs(B[i] - A[i]);
      if (d > change)
        change = d;
      A[i] = B[i];
    }
  }
  printf("%d steps, last change %.9f\n", STEPS, change);
  return 0;
}
