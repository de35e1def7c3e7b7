/* The host assigns the start value of a reduction again, and elements of an array, without telling the device. */
// TWIN
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block]
double a[N];
double eps;

int main(void)
{
  int i, it;
  for (i = 0; i < N; i++)
    a[i] = 1;
  for (it = 0; it < 3; it++) {
    eps = 0;
    a[2] = it;
#ifdef RIGHT
#pragma dvm actual(eps, a[2])
#endif
#pragma dvm region
    {
#pragma dvm parallel([i] on a[i]) reduction(sum(eps))
      for (i = 0; i < N; i++)
        eps +=
      //^ error dvm-device-stale 'eps'
        // help .*actual.eps.
            a[i];
          //^ error dvm-device-stale 'a[2]'
    }
#pragma dvm get_actual(eps)
    printf("%g\n", eps);
  }
  return 0;
}
