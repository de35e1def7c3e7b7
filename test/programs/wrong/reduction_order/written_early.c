/* Assigning the variable for the next round before the last one has completed. */
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
#ifndef RIGHT
  s = 0;
//^ error dvm-reduction-pending 's'
#endif
#pragma dvm reduction_wait(g)
#ifdef RIGHT
  s = 0;
#endif
  printf("%d\n", a[3]);
  return 0;
}
