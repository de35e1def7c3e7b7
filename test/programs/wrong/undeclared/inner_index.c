/* The index of an inner sequential loop is a variable like any other. */
// TWIN
#include <stdio.h>
#define N 6
#ifdef RIGHT
#define ALSO private(k)
#else
#define ALSO
#endif

#pragma dvm array distribute[block][]
int x[N][N];

int main(void) {
  int i, k;
#pragma dvm parallel([i] on x[i][]) ALSO
  for (i = 0; i < N; i++)
    for (k = 0; k < N; k++)
    //   ^ warning dvm-undeclared-private 'k'
      x[i][k] = i + k;
  printf("%d\n", x[5][5]);
  return 0;
}
