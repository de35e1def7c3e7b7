/* The coarse grid lies on every third point of the fine one: an iteration between has no part of it at all, nor has a block of two points. */
// TWIN
#include <stdio.h>
#define N 6
#ifdef RIGHT
#define STEP 3
#else
#define STEP 1
#endif

#pragma dvm array distribute[block]
double fine[3 * N];
#pragma dvm array align([i] with fine[3 * i]) shadow[1:1]
double coarse[N];

int main(void) {
#pragma dvm parallel([i] on coarse[i])
  for (int i = 0; i < N; i++)
    coarse[i] = i;
#pragma dvm parallel([i] on fine[i]) shadow_renew(coarse)
  for (int i = 0; i < 3 * N; i += STEP)
    fine[i] = coarse[i / 3];
    //        ^ error dvm-nonlocal-access 'coarse[0]'
  // note .*i=1
  printf("%g\n", fine[3]);
  return 0;
}
