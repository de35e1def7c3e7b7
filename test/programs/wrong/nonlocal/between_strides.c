/* The coarse grid lies on every second point of the fine one: an iteration on an odd point has no part of it at all. */
// TWIN
#include <stdio.h>
#define N 6
#ifdef RIGHT
#define STEP 2
#else
#define STEP 1
#endif

#pragma dvm array distribute[block]
double fine[2 * N];
#pragma dvm array align([i] with fine[2 * i]) shadow[1:1]
double coarse[N];

int main(void) {
#pragma dvm parallel([i] on coarse[i])
  for (int i = 0; i < N; i++)
    coarse[i] = i;
#pragma dvm parallel([i] on fine[i]) shadow_renew(coarse)
  for (int i = 0; i < 2 * N; i += STEP)
    fine[i] = coarse[i / 2];
    //        ^ error dvm-nonlocal-access 'coarse[0]'
  // note .*i=1
  printf("%g\n", fine[4]);
  return 0;
}
