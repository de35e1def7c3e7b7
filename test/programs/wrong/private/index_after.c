/* The index variable of the nest is private without a clause: after the loop it has no value. */
// TWIN
#include <stdio.h>
#define N 7

#pragma dvm array distribute[block]
int x[N];

int main(void) {
  int i;
#pragma dvm parallel([i] on x[i])
  for (i = 0; i < N; i++)
    x[i] = 2 * i;
#ifdef RIGHT
  i = N;
#endif
  if (i == N)
  //  ^ error dvm-private-uninitialized 'i'
    printf("complete\n");
  return 0;
}
