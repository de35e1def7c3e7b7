/* A private work array: one of its elements is assigned by some iterations only. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
int x[N];

int main(void) {
  int work[4];
#pragma dvm parallel([i] on x[i]) private(work)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 3; k++)
      work[k] = i + k;
#ifdef RIGHT
    work[3] = 0;
#endif
    if (i < 2)
      work[3] = i;
    x[i] = work[0] + work[1] + work[2] + work[3];
    //                                   ^ error dvm-private-uninitialized 'work[3]'
  }
  printf("%d\n", x[0]);
  return 0;
}
