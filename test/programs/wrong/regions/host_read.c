/* The host prints what a region has written, without bringing it back. */
// TWIN
#include <stdio.h>
#define N 12

int main(void)
{
  int i;
  double sum = 0;
#pragma dvm array distribute[block]
  double a[N];
#pragma dvm region out(a)
  {
#pragma dvm parallel([i] on a[i])
    for (i = 0; i < N; i++)
      a[i] = i * 2;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
    for (i = 0; i < N; i++)
      sum += a[i];
  }
#ifdef RIGHT
#pragma dvm get_actual(sum, a[3])
#endif
  printf("%g\n", sum);
  //             ^ error dvm-host-stale 'sum'
  // help .*get_actual.sum.
  printf("%g\n", a[3]);
  //             ^ error dvm-host-stale 'a[3]'
  // help .*get_actual
  return 0;
}
