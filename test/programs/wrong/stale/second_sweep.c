/* The first sweep is right; then the array is written, and the second sweep reads the edges of before. */
// TWIN
#include <stdio.h>
enum { N = 12 };

#pragma dvm array distribute[block] shadow[1:1]
static float u[N];
#pragma dvm array align([k] with u[k])
static float v[N];

int main(void) {
  int i, step;
#pragma dvm parallel([i] on u[i])
  for (i = 0; i < N; i++)
    u[i] = (float)(i % 3);
  for (step = 0; step < 3; step++) {
#pragma dvm parallel([i] on v[i]) shadow_renew(u)
    for (i = 1; i < N - 1; i++)
      v[i] = u[i - 1] + u[i + 1];
#pragma dvm parallel([i] on u[i])
    for (i = 1; i < N - 1; i++)
      u[i] = v[i] / 2;
#ifdef RIGHT
#pragma dvm parallel([i] on v[i]) shadow_renew(u[0:1])
#else
#pragma dvm parallel([i] on v[i])
#endif
    for (i = 1; i < N - 1; i++)
      v[i] = v[i] - u[i + 1];
      //            ^ error dvm-shadow-stale 'u[2]'
      // note .*'u' was last written here
#pragma dvm parallel([i] on u[i])
    for (i = 1; i < N - 1; i++)
      u[i] += v[i];
  }
  for (i = 0; i < N; i++)
    printf("%g ", u[i]);
  printf("\n");
  return 0;
}
