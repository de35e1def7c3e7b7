/* What was 'local' in a region is read in the next one. */
// TWIN
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double t[N];

int main(void)
{
  int i;
#ifdef RIGHT
#pragma dvm region out(t), out(a)
#else
#pragma dvm region local(t), out(a)
#endif
  {
#pragma dvm parallel([i] on a[i])
    for (i = 0; i < N; i++) {
      t[i] = i;
      a[i] = t[i] + 1;
    }
  }
#pragma dvm region in(t) inout(a)
  {
#pragma dvm parallel([i] on a[i])
    for (i = 0; i < N; i++)
      a[i] += t[i];
      //      ^ error dvm-region-clause 't[0]'
  }
#pragma dvm get_actual(a)
  printf("%g\n", a[5]);
  return 0;
}
