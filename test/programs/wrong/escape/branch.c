/* A branch on the partial sum that is no part of the reduction. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
double a[N];

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 0; i < N; i++) {
    s += a[i];
#ifndef RIGHT
    if (s > 10)
    //  ^ error dvm-reduction-escape 's'
      a[i] = 0;
#endif
  }
  printf("%g\n", s);
  return 0;
}
