/* The result of an asynchronous reduction is used where its group has not even been started. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int s = 0;
#pragma dvm parallel([i] on a[i]) reduction(g: sum(s))
  for (int i = 0; i < N; i++) {
    a[i] = i;
    s += a[i];
  }
#ifdef RIGHT
#pragma dvm reduction_start(g)
#pragma dvm reduction_wait(g)
#endif
  printf("%d\n", s);
  //             ^ error dvm-reduction-pending 's'
  // help put '#pragma dvm reduction_start\(g\)' and '#pragma dvm reduction_wait\(g\)' before it
#ifndef RIGHT
#pragma dvm reduction_start(g)
#pragma dvm reduction_wait(g)
#endif
  return 0;
}
