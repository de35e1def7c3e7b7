/* A recurrence: each iteration needs what the one before has written. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double p[N];

int main(void) {
#pragma dvm parallel([i] on p[i])
  for (int i = 0; i < N; i++)
    p[i] = i;
#ifdef RIGHT
#pragma dvm parallel([i] on p[i]) across(p[1:0])
#else
#pragma dvm parallel([i] on p[i]) shadow_renew(p[1:0])
#endif
  for (int i = 1; i < N; i++)
    p[i] = p[i - 1] + 0.5;
    //     ^ error dvm-loop-dependence 'p[1]'
  // stderr flow
  // help .*across\(p
  printf("%g\n", p[N - 1]);
  return 0;
}
