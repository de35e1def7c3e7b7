/* Private by its first access: reading it after the loop is an error besides the warning. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
int x[N];
static int last;

int main(void) {
  int i;
#ifdef RIGHT
#pragma dvm parallel([i] on x[i]) private(last)
#else
#pragma dvm parallel([i] on x[i])
#endif
  for (i = 0; i < N; i++) {
    last = i;
//  ^ warning dvm-undeclared-private 'last'
    x[i] = last;
  }
#ifdef RIGHT
  last = 9;
#endif
  printf("%d\n", last);
  //             ^ error dvm-private-uninitialized 'last'
  return 0;
}
