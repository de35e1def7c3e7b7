/* 'out' promises the whole array, the region writes its inside; the border is read later. */
// TWIN
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block]
double a[N];

int main(void)
{
  int i;
  double s = 0;
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++)
    a[i] = 1;
#ifdef RIGHT
#pragma dvm region inout(a)
#else
#pragma dvm region out(a)
#endif
  {
#pragma dvm parallel([i] on a[i])
    for (i = 1; i < N - 1; i++)
      a[i] = 2;
  }
#pragma dvm get_actual(a)
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (i = 0; i < N; i++)
    s += a[i];
    //   ^ error dvm-region-clause 'a[0]'
  printf("%g\n", s);
  return 0;
}
