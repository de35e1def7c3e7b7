/* A sequential loop over a distributed array adds up elements of all processors. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block]
double a[N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#ifdef RIGHT
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
#endif
  for (int i = 0; i < N; i++)
    sum += a[i];
    //     ^ error dvm-sequential-access 'a[0]'
  printf("%g\n", sum);
  return 0;
}
