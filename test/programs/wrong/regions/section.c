/* The region uses more of the array than its clause names. */
// TWIN
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void)
{
  int i;
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++)
    a[i] = i, b[i] = 0;
#ifdef RIGHT
#pragma dvm region in(a), inout(b)
#else
#pragma dvm region in(a[0:9]), inout(b)
#endif
  {
#pragma dvm parallel([i] on b[i])
    for (i = 1; i < N; i++)
      b[i] = a[i];
      //     ^ error dvm-region-clause 'a[10]'
  }
#pragma dvm get_actual(b)
  printf("%g\n", b[11]);
  return 0;
}
