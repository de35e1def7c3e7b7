// Updates that look like the declared extreme and are another thing.
// TWIN
#include <stdio.h>
#define N 16
#pragma dvm array distribute[block]
static int A[N];

int main(void) {
  int low = 0, next = 0, both = 0;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = (i * 5) % N - 4;
#ifdef RIGHT
#pragma dvm parallel([i] on A[i]) reduction(min(low), max(next), max(both))
#else
#pragma dvm parallel([i] on A[i]) reduction(max(low), max(next), max(both))
  //        ^ error dvm-reduction-mismatch 'low'
#endif
  for (int i = 0; i < N; i++) {
    int x = A[i];
    if (x < low)
      low = x;
    if (x++ > next)
      next = x - 1;
    both = both < x ? x : both;
  }
  printf("%d %d %d\n", low, next, both);
  return 0;
}
