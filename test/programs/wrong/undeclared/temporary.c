/* A temporary declared outside and named in no private: a race on threads and accelerators, so a warning. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double x[N];

int main(void) {
  double t;
#ifdef RIGHT
#pragma dvm parallel([i] on x[i]) private(t)
#else
#pragma dvm parallel([i] on x[i])
#endif
  for (int i = 0; i < N; i++) {
    t = i * 0.5;
//  ^ warning dvm-undeclared-private 't'
    x[i] = t * t;
  }
  printf("%g\n", x[9]);
  return 0;
}
