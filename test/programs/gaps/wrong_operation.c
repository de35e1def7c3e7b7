/* Gap: "Wrong reduction operation needs a third run". */
// TWIN
#include <math.h>
#include <stdio.h>
#define N 10
#ifdef RIGHT
#define OP max
#else
#define OP sum
#endif

#pragma dvm array distribute[block]
double a[N];

int main(void) {
  double eps = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = sin(i);
#pragma dvm parallel([i] on a[i]) reduction(OP(eps))
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-mismatch 'eps'
  for (int i = 0; i < N; i++)
    eps = fmax(eps, fabs(a[i]));
  printf("%.6f\n", eps);
  return 0;
}
