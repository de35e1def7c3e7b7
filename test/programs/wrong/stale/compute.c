/* What a loop writes is in the edges too where it computes them: 'shadow_compute'. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void) {
#ifdef RIGHT
#pragma dvm parallel([i] on a[i]) shadow_compute
#else
#pragma dvm parallel([i] on a[i]) shadow_compute(a[1:0])
#endif
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i])
  for (int i = 1; i < N - 1; i++)
    b[i] = a[i - 1] + a[i + 1];
  //                  ^ error dvm-shadow-stale 'a[2]'
  printf("%g\n", b[3]);
  return 0;
}
