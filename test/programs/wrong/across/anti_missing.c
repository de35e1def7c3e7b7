/* The new value of the element before is declared, the old value of the element behind is not. */
// TWIN
#include <stdio.h>
#define N 12
#ifdef RIGHT
#define HIGH 1
#else
#define HIGH 0
#endif

#pragma dvm array distribute[block]
double u[N];

int main(void) {
  int i;
#pragma dvm parallel([i] on u[i])
  for (i = 0; i < N; i++)
    u[i] = i % 4;
#pragma dvm parallel([i] on u[i]) across(u[1:HIGH]) shadow_renew(u)
  for (i = 1; i < N - 1; i++)
    u[i] =
//  ^ error dvm-across-distance 'u[2]'
      (u[i - 1] + u[i + 1]) / 2;
  // stderr anti
  printf("%g\n", u[5]);
  return 0;
}
