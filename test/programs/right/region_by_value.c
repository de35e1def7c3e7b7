/* A scalar that one region has computed, and that a later one only reads without naming it: it goes there by value. */
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
double a[N];

int main(void) {
  double s = 0;
  for (int k = 0; k < 3; k++) {
    s = k;
#pragma dvm actual(s)
#pragma dvm region
    {
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
      for (int i = 0; i < N; i++) {
        a[i] = i;
        s += a[i];
      }
    }
#pragma dvm get_actual(s)
    s = s / N;
#pragma dvm region
    {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = a[i] - s;
    }
#pragma dvm get_actual(a)
    printf("%g %g\n", s, a[3]);
  }
  return 0;
}
