/* A fourth-order stencil over an edge of one element. */
// TWIN
#include <stdio.h>
#define N 16
#ifdef RIGHT
#define WIDTH 2
#else
#define WIDTH 1
#endif

#pragma dvm array distribute[block] shadow[WIDTH:WIDTH]
double f[N];
#pragma dvm array align([i] with f[i])
double g[N];

int main(void) {
#pragma dvm parallel([i] on f[i])
  for (int i = 0; i < N; i++) {
    f[i] = i % 5;
    g[i] = 0;
  }
#pragma dvm parallel([i] on g[i]) shadow_renew(f)
  for (int i = 2; i < N - 2; i++)
    g[i] = (-f[i + 2] + 16 * f[i + 1] - 30 * f[i] + 16 * f[i - 1] - f[i - 2]) / 12;
    //       ^ error dvm-nonlocal-access 'f[4]'
  // note .*'f' is distributed here
  double s = 0;
#pragma dvm parallel([i] on g[i]) reduction(sum(s))
  for (int i = 2; i < N - 2; i++)
    s += g[i];
  printf("%.10g\n", s);
  return 0;
}
