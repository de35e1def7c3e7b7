/* A sum that its own value bounds: each processor has a part of it only. */
// TWIN
#include <stdio.h>
#define N 40

#pragma dvm array distribute[block]
double a[N];

int main(void) {
  double s = 1, p = 1;
  int n = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i % 3;
#pragma dvm parallel([i] on a[i]) reduction(sum(s), sum(n), product(p))
  for (int i = 0; i < N; i++) {
#ifdef RIGHT
    s += a[i];
    if (a[i] > 1)
      n++;
#else
    if (s < 20)
    //  ^ error dvm-reduction-escape 's'
      s += a[i];
    if (n < 10 && a[i] > 1)
    //  ^ error dvm-reduction-escape 'n'
      n++;
#endif
    if (p != 0)
      p *= a[i] + 1;
  }
  printf("%g %d %g\n", s, n, p);
  return 0;
}
