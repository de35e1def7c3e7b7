/* Gap: "Shared-memory parallel(n) on ordinary arrays: elements are classed as scalars by first access; false and missed
 * reports".  The first loop is right, the second is not. */
// TWIN
#include <stdio.h>
#define N 8

int main(void) {
  int a[N], b[N];
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
#pragma dvm parallel(1)
  for (int i = 0; i < N; i++) {
    int old = a[i];
    a[i] = old + b[i];
    b[i] = a[i];
    a[i]++;
  }
#pragma dvm parallel(1)
  for (int i = 1; i < N; i++) {
#ifdef RIGHT
    b[i] = a[i];
#else
    a[i] = a[i - 1];
    //     ^ error dvm-loop-dependence 'a[1]'
#endif
  }
  printf("%d %d\n", a[7], b[7]);
  return 0;
}
