// Of the reductions of one loop those of a group alone have to be waited for.
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
static double a[N];

int main(void) {
  double m = 0, s = 0, low = 9;
  int n = 0, k = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(sum(k)) reduction(g: max(m)) reduction(sum(s)) reduction(h: sum(n), min(low))
  for (int i = 0; i < N; i++) {
    if (a[i] > m)
      m = a[i];
    s += a[i];
    n++;
    k++;
    low = a[i] < low ? a[i] : low;
  }
  printf("%g %d\n", s, k);
#pragma dvm reduction_start(g)
#pragma dvm reduction_start(h)
#pragma dvm reduction_wait(g)
  printf("%g\n", m);
  printf("%d\n", n);
  //             ^ error dvm-reduction-pending 'n'
#pragma dvm reduction_wait(h)
  printf("%g %d\n", low, n);
}
