/* The loop adds, the clause multiplies. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
double a[N];

int main(void) {
  double s = 1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i + 1;
#ifdef RIGHT
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
#else
#pragma dvm parallel([i] on a[i]) reduction(product(s))
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-mismatch 's'
#endif
  for (int i = 0; i < N; i++)
    s += a[i];
  printf("%g\n", s);
  return 0;
}
