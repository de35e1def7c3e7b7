/* Each iteration gives its row a value before it adds to it, but not to the last element of the row. */
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][]
static double z[N][N];

int main(void) {
#ifdef RIGHT
  int upto = N;
#else
  int upto = N - 1;
#endif
#pragma dvm parallel([i] on z[i][])
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < upto; j++)
      z[i][j] = 0;
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++)
        z[i][j] += k;
    //  ^ error dvm-uninitialized 'z[0][5]'
  }
  printf("%g\n", z[1][1]);
  return 0;
}
// TWIN
