/* The array is written while its exchange is under way: which value travels is a matter of luck. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm shadow_group(edges: a)
#pragma dvm shadow_start(edges)
#ifdef RIGHT
#pragma dvm shadow_wait(edges)
#endif
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 2 * i;
//  ^ error dvm-exchange-write 'a[0]'
#ifndef RIGHT
#pragma dvm shadow_wait(edges)
#endif
  printf("%g\n", a[4]);
  return 0;
}
