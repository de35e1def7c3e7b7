/* The variable is declared private, but carries a value from one iteration to the next. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double x[N];

int main(void) {
  double t = 0;
  int i;
#pragma dvm parallel([i] on x[i]) private(t)
  for (i = 0; i < N; i++) {
#ifdef RIGHT
    t = 0;
#endif
    if (i % 2 == 0)
      t = i;
    x[i] = t;
    //     ^ error dvm-private-uninitialized 't'
  }
  printf("%g\n", x[0]);
  return 0;
}
