/* A private variable has no value after the loop. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
int x[N];

int main(void) {
  int last = -1, i;
#pragma dvm parallel([i] on x[i]) private(last)
  for (i = 0; i < N; i++) {
    last = i;
    x[i] = last;
  }
#ifdef RIGHT
  last = N - 1;
#endif
  return last == -5;
  //     ^ error dvm-private-uninitialized 'last'
}
