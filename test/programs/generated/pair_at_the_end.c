/* An array at every second point: the only block of two points around the first iteration's has the element for its own, so that nothing
 * is read from an edge. */
// TWIN
#include <stdio.h>
#define N 3
#ifdef RIGHT
#define READ 0
#else
#define READ 1
#endif

#pragma dvm array distribute[block]
int fine[2 * N];
#pragma dvm array align([u] with fine[2 * u + 1]) shadow[0:0]
int coarse[N];

int main(void) {
#pragma dvm parallel([u] on coarse[u])
  for (int u = 0; u < N; u++)
    coarse[u] = u;
#pragma dvm parallel([i] on fine[i])
  for (int i = 0; i < 2; i++)
    fine[i] = coarse[READ];
    //        ^ error dvm-nonlocal-access 'coarse[1]'
    // note in this parallel loop, iteration \(i=0\)$
  printf("%d\n", fine[0]);
  return 0;
}
