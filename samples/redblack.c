/* Red-black relaxation in place.  Points of one colour depend on points of the other one only, so that all of a colour may
 * be computed at the same time; the bounds of the inner loop depend on the index of the outer one. */
#include <math.h>
#include <stdio.h>

#define N 64
#define STEPS 50

#pragma dvm array distribute[block][block], shadow[1:1][1:1]
static double A[N][N];

int main(void)
{
  double change = 0;
  int i, j, step, colour;

#pragma dvm parallel([i][j] on A[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      A[i][j] = j == 0 ? 100 : 0;

  for (step = 0; step < STEPS; step++) {
    change = 0;
    for (colour = 0; colour < 2; colour++) {
#pragma dvm parallel([i][j] on A[i][j]) shadow_renew(A) reduction(max(change))
      for (i = 1; i < N - 1; i++)
        for (j = 1 + (i + colour) % 2; j < N - 1; j += 2) {
          double mean = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
          change = fmax(change, fabs(mean - A[i][j]));
          A[i][j] = mean;
        }
    }
  }
  printf("%d steps, last change %.9f\n", STEPS, change);
  return 0;
}
