/* Replicated data of which each iteration assigns its own elements: 'consistent'.  Here one iteration reads those of another. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];
double v[N];

int main(void) {
#pragma dvm parallel([i] on a[i]) consistent(v[i])
  for (int i = 0; i < N; i++) {
    a[i] = i;
    v[i] = 2 * i;
#ifndef RIGHT
    a[i] = v[i > 0 ? i - 1 : 0];
    //     ^ error dvm-loop-dependence 'v[0]'
#endif
  }
  printf("%g\n", v[3]);
  return 0;
}
