/* Two arrays distributed by two directives are never taken as co-located, though they look the same. */
// TWIN
#include <stdio.h>
#define N 9

#pragma dvm array distribute[block]
long x[N];
#ifdef RIGHT
#pragma dvm array align([i] with x[i])
#else
#pragma dvm array distribute[block]
#endif
long y[N];

int main(void) {
  int i;
#pragma dvm parallel([i] on y[i])
  for (i = 0; i < N; ++i)
    y[i] = i;
#pragma dvm parallel([i] on x[i])
  for (i = 0; i < N; ++i)
    x[i] = y[i] + 1;
    //     ^ error dvm-nonlocal-access 'y[0]'
    // help or 'y' may be aligned with
  printf("%ld\n", x[N - 1]);
  return 0;
}
