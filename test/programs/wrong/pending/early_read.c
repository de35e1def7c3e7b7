/* The edge is read while its exchange is under way. */
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
    a[i] = b[i] = i;
#pragma dvm shadow_group(edges: a[1:1])
#pragma dvm shadow_start(edges)
#ifdef RIGHT
#pragma dvm shadow_wait(edges)
#endif
#pragma dvm parallel([i] on b[i])
  for (int i = 1; i < N - 1; i++)
    b[i] = a[i - 1] + a[i + 1];
    //     ^ error dvm-shadow-pending 'a[0]'
#ifndef RIGHT
#pragma dvm shadow_wait(edges)
#endif
  printf("%g\n", b[4]);
  return 0;
}
