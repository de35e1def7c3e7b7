/* Jacobi relaxation: each point of the grid becomes the mean of its four neighbours, until nothing changes much.
 * One directive is wrong: the last loop reads values of neighbours, and no directive fetches them. */
#include <math.h>
#include <stdio.h>

#define N 64
#define STEPS 200

#pragma dvm array distribute[block][block], shadow[1:1][1:1]
static double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
static double B[N][N];

int main(void)
{
  int i, j, step;
  double change = 0;

#pragma dvm parallel([i][j] on A[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      A[i][j] = 0;
      B[i][j] = i == 0 ? 100 : 0;
    }

  for (step = 1; step <= STEPS; step++) {
    change = 0;
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(change))
    for (i = 0; i < N; i++)
      for (j = 0; j < N; j++) {
        double d = fabs(B[i][j] - A[i][j]);
        if (d > change)
          change = d;
        A[i][j] = B[i][j];
      }
#pragma dvm parallel([i][j] on B[i][j])
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
  }
  printf("%d steps, last change %.6f\n", STEPS, change);
  return 0;
}
