/* Under parallel(1) ordinary data are shared by the iterations, scalars too. */
// TWIN
#include <stdio.h>
#define N 10

int main(void) {
  int a[N], b[N], t, i;
  for (i = 0; i < N; i++)
    a[i] = i;
#ifdef RIGHT
#pragma dvm parallel(1) private(t)
#else
#pragma dvm parallel(1)
#endif
  for (i = 0; i < N; i++) {
    t = a[i] * a[i];
//  ^ error dvm-loop-dependence 't'
// stderr output
// help .*private\(t\)
    b[i] = t + 1;
  }
  printf("%d %d\n", b[0], b[N - 1]);
  return 0;
}
