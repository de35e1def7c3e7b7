/* A loop that is to be vectorised, and is not where it is checked: that is no fault of the program's. */
#include <stdio.h>
#define N 64
#pragma dvm array distribute[block]
static double a[N];

int main(void)
{
  double sum = 0, square[N];
#pragma dvm parallel([i] on a[i]) private(square)
  for (int i = 0; i < N; i++) {
#pragma clang loop vectorize(enable)
    for (int k = 0; k < N; k++)
      square[k] = k * k + i;
    a[i] = square[i];
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i];
  printf("%g\n", sum);
  return 0;
}
