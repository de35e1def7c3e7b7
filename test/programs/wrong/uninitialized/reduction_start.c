/* The sum enters the loop without a value: static data would be zero, a local variable is not. */
// TWIN
#include <stdio.h>
#define N 10
#ifdef RIGHT
#define START = 0
#else
#define START
#endif
#pragma dvm array distribute[block]
int w[N];

int main(void) {
  int s START;
#pragma dvm parallel([i] on w[i])
  for (int i = 0; i < N; i++)
    w[i] = i;
#pragma dvm parallel([i] on w[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += w[i];
//  ^ error dvm-uninitialized 's'
  return s == 12345;
}
