/* The loop runs down, so the dependence is on the element above: the clause declares the element below. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#ifdef RIGHT
#pragma dvm parallel([i] on a[i]) across(a[0:1])
#else
#pragma dvm parallel([i] on a[i]) across(a[1:0]) shadow_renew(a)
#endif
  for (int i = N - 2; i >= 0; i--)
    a[i] = a[i + 1] / 2 + 1;
    //     ^ error dvm-across-distance 'a[8]'
  // stderr flow
  // help .*across\(a\[0:1\]\)
  printf("%g\n", a[0]);
  return 0;
}
