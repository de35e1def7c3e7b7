/* Successive over-relaxation: a point needs the new values of the points before it and the old ones of those behind it.
 * 'across' declares these dependences, and the loop runs as a pipeline. */
#include <math.h>
#include <stdio.h>

#define N 64
#define STEPS 50

#pragma dvm array distribute[block][block]
static double A[N][N];

int main(void)
{
  double change = 0, w = 1.5;
  int i, j, step;

#pragma dvm parallel([i][j] on A[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      A[i][j] = i == 0 ? 100 : 0;

  for (step = 0; step < STEPS; step++) {
    change = 0;
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1]) reduction(max(change))
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++) {
        double old = A[i][j];
        A[i][j] = w * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4 + (1 - w) * old;
        change = fmax(change, fabs(A[i][j] - old));
      }
  }
  printf("%d steps, last change %.9f\n", STEPS, change);
  return 0;
}
