/* The steps of a remote group are out of order, and it is not reset where another section is used. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i, b[i] = 0;
#ifndef RIGHT
#pragma dvm remote_wait(g)
  //        ^ error dvm-usage
#endif
  for (int t = 0; t < 3; t++) {
    int k = t / 2;
#ifdef RIGHT
#pragma dvm remote_reset(g)
#endif
#pragma dvm remote_start(g)
#pragma dvm parallel([i] on b[i]) remote_access(g: a[k])
    //      ^ error dvm-usage
    for (int i = 0; i < N; i++)
      b[i] = b[i] + a[k];
  }
#pragma dvm remote_start(g)
#ifndef RIGHT
#pragma dvm remote_start(g)
  //        ^ error dvm-usage
#pragma dvm remote_reset(g)
  //        ^ error dvm-usage
#else
#pragma dvm remote_wait(g)
#endif
  /* Nothing is under way where no construct has used the group. */
#pragma dvm remote_start(none)
#pragma dvm remote_start(none)
#pragma dvm remote_reset(none)
  printf("%g\n", b[1]);
  return 0;
}
