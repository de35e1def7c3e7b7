/* The shorter array begins one point later: the first iteration owns none of it, so it has no edge either. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define FIRST 1
#else
#define FIRST 0
#endif

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i + 1]) shadow[1:1]
double b[N - 2];

int main(void) {
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N - 2; i++)
    b[i] = i;
#pragma dvm parallel([i] on a[i]) shadow_renew(b)
  for (int i = FIRST; i < 3; i++)
    a[i] = b[0];
    //     ^ error dvm-nonlocal-access 'b[0]'
  // note .*i=0
  printf("%g\n", a[1]);
  return 0;
}
