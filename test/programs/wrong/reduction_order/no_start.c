/* The second wait has no start. */
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
#pragma dvm reduction_start(g)
#pragma dvm reduction_wait(g)
#ifndef RIGHT
#pragma dvm reduction_wait(g)
//^~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-protocol
#endif
  printf("%d\n", s);
  return 0;
}
