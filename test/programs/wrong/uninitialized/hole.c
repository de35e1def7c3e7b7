/* The border of the array is never assigned, and the stencil reads it. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define FIRST 0
#else
#define FIRST 1
#endif

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = FIRST; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i]) shadow_renew(a)
  for (int i = 1; i < N - 1; i++)
    b[i] = a[i + 1] - a[i - 1];
    //                ^ error dvm-uninitialized 'a[0]'
  printf("%g\n", b[N - 2]);
  return 0;
}
