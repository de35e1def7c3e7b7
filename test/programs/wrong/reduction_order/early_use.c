/* The result of an asynchronous reduction is used before it has been waited for. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int s = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(g: sum(s))
  for (int i = 0; i < N; i++)
    s += a[i];
#pragma dvm reduction_start(g)
#ifdef RIGHT
#pragma dvm reduction_wait(g)
#endif
  printf("%d\n", s);
  //             ^ error dvm-reduction-pending 's'
#ifndef RIGHT
#pragma dvm reduction_wait(g)
#endif
  return 0;
}
