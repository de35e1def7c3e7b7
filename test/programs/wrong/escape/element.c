/* A partial sum is stored in an element: what it holds depends on who runs which iterations. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 0; i < N; i++) {
    s += a[i];
#ifndef RIGHT
    b[i] = s;
    //     ^ error dvm-reduction-escape 's'
#endif
  }
  printf("%g %g\n", s, b[0]);
  return 0;
}
