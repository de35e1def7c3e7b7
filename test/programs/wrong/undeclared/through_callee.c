/* The compiler cannot see it at the loop: the function that is called uses a global work variable. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
int x[N];
int scratch;

static int twice(int n) {
  scratch = n + n;
//^ warning dvm-undeclared-private 'scratch'
  return scratch;
}

int main(void) {
  int i;
#ifdef RIGHT
#pragma dvm parallel([i] on x[i]) private(scratch)
#else
#pragma dvm parallel([i] on x[i])
#endif
  for (i = 0; i < N; i++)
    x[i] = twice(i);
  printf("%d\n", x[4]);
  return 0;
}
