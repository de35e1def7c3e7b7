/* Named twice, a variable is private all the same: the program runs, and is told. */
// TWIN
#include <stdio.h>
#define N 8
#pragma dvm array distribute[block]
double A[N];

int main(void) {
  double m, k;
  /* NPB SP of the public set */
#ifdef RIGHT
#pragma dvm parallel([i] on A[i]) private(m, k)
#else
#pragma dvm parallel([i] on A[i]) private(m, k, m) private(k)
  //                                            ^ compile-warning 'm' is under 'private' twice
  // expect -2:60 compile-warning 'k' is under 'private' twice
#endif
  for (int i = 0; i < N; i++) {
    m = i;
    k = m + 1;
    A[i] = k * m;
  }
  printf("done\n");
  return 0;
}
