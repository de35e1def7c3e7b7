/* What memset has cleared in the loop is a datum of the iteration like any other: no clause makes it private. */
// TWIN
#include <stdio.h>
#include <string.h>
#define N 5
#ifdef RIGHT
#define PRIVATE private(part)
#else
#define PRIVATE
#endif

#pragma dvm array distribute[block]
double x[N];

int main(void) {
  double part[4];
#pragma dvm parallel([i] on x[i]) PRIVATE
  for (int i = 0; i < N; i++) {
    memset(part, 0, sizeof part);
    //     ^ warning dvm-undeclared-private 'part'
    part[1] = i;
    x[i] = part[0] + part[1];
  }
  printf("%g\n", x[3]);
  return 0;
}
