/* Started and never finished. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  static int s;
#pragma dvm parallel([i] on a[i]) reduction(g: sum(s))
  for (int i = 0; i < N; i++) {
    a[i] = i;
    s += a[i];
  }
#pragma dvm reduction_start(g)
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-protocol
#ifdef RIGHT
#pragma dvm reduction_wait(g)
#endif
  printf("%d\n", a[3]);
  return 0;
}
