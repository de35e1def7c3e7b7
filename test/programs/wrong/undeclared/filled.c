/* Known functions fill data of the iteration, which are private without a clause as assigned ones are; what begins to live in the
 * iteration is private anyway. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 6
#ifdef RIGHT
#define PRIVATE private(line, shared, ready)
#else
#define PRIVATE private(ready)
#endif

#pragma dvm array distribute[block]
double x[N];
static double shared[3];

static double tail(int n) {
  double own[3];
  memset(own, 0, sizeof own);
  own[1] = n;
  shared[2] = n;
  return own[0] + own[1] + shared[0] + shared[2];
}

int main(void) {
  char line[16];
  double ready[2];
#pragma dvm parallel([i] on x[i]) PRIVATE
  for (int i = 0; i < N; i++) {
    double part[3] = {0}, *heap = malloc(2 * sizeof(double));
    sprintf(line, "%d", i);
    //      ^ warning dvm-undeclared-private 'line'
    line[1] = '0';
    memset(ready, 0, sizeof ready);
    ready[1] += i;
    memset(heap, 0, 2 * sizeof(double));
    heap[0] = part[0] + ready[1];
    memset(part, 0, sizeof part);
    part[2] = line[0];
    memset(shared, 0, sizeof shared);
    //     ^ warning dvm-undeclared-private 'shared'
    x[i] = heap[0] + part[2] + tail(i);
    free(heap);
  }
  double sum = 0;
#pragma dvm parallel([i] on x[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += x[i];
  printf("%g\n", sum);
  return 0;
}
