/* Iterations that meet at the end of a long row only, each other element of it, and in rows of every other element. */
// TWIN
#include <stdio.h>
#define N 200
#ifdef RIGHT
#define AHEAD 200
#else
#define AHEAD 190
#endif

static double x[2 * N], y[N], z[2 * N];

int main(void) {
  for (int i = 0; i < 2 * N; i++)
    x[i] = z[i] = i;
#pragma dvm parallel(1)
  for (int i = 0; i < N; i++) {
    x[i] = i;
//  ^ error dvm-loop-dependence 'x[190]'
// stderr 10 times
    y[i] = x[i + AHEAD];
  }
#pragma dvm parallel(1)
  for (int i = 1; i < N; i += 2)
    z[i] = z[i - 1] + z[i + 1];
#pragma dvm parallel(1)
  for (int i = N - 1; i >= 0; i--)
    z[i] = z[i + N];
  printf("%g %g\n", y[N - 1], z[3]);
  return 0;
}
