// Results behind a pointer: 'reduction(sum(h))' would take '*h' alone, so it is not what the help says.
#include <stdlib.h>
#define N 12

#pragma dvm array distribute[block]
static int A[N];

int main(void) {
  int *h = calloc(4, sizeof *h);
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    A[i] = i;
    h[i % 4] += i;
//  ^ error dvm-readonly-write 'h[0]'
// help accumulate in an array whose declaration gives its size, and name that in 'reduction\(sum\(\.\.\)\)'
  }
  free(h);
  return 0;
}
