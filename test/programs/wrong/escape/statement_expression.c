/* The value of a '({ .. })' that goes elsewhere as well, and one under the wrong operation. */
// TWIN
#include <stdio.h>
#define N 16
#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#pragma dvm array distribute[block]
static double A[N];

int main(void)
{
  double most = 0, top = 0;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i * 7 % 5;
#ifdef RIGHT
#pragma dvm parallel([i] on A[i]) reduction(max(most), max(top))
  for (int i = 0; i < N; i++) {
    most = MAX(most, A[i]);
    top = MAX(top, A[i]);
  }
#else
#pragma dvm parallel([i] on A[i]) reduction(max(most), min(top))
  //        ^ error dvm-reduction-mismatch 'top'
  for (int i = 0; i < N; i++) {
    A[i] = MAX(most, A[i]);
    //         ^ error dvm-reduction-escape 'most'
    most = MAX(most, A[i]);
    top = MAX(top, A[i]);
  }
#endif
  printf("%g %g\n", most, top);
  return 0;
}
// help write 'max\(top\)' in the 'reduction'
