/* The region writes what its clause says it only reads. */
// TWIN
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block]
double a[N];

int main(void)
{
  int i;
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++)
    a[i] = i;
#ifdef RIGHT
#pragma dvm region inout(a)
#else
#pragma dvm region in(a)
#endif
  {
#pragma dvm parallel([i] on a[i])
    for (i = 1; i < N; i++)
      a[i] = a[i] + 1;
    //^ error dvm-region-clause 'a[1]'
      // help .*inout
  }
#pragma dvm get_actual(a)
  printf("%g\n", a[5]);
  return 0;
}
