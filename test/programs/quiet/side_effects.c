/* Operands with side effects are evaluated once. */
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];
static int calls;

static double next(void) {
  return ++calls;
}

static int where(int i) {
  calls += 100;
  return i;
}

int main(void) {
  int k = 0, list[N];
  double x = next();
  double *p;
  for (int i = 0; i < N; i++)
    list[k++] = i;
  k = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  a[where(3)] += 1;
  p = a;
  *p++ = x;
  *p++ = 8;
  printf("%d %d %g %g %g %d\n", calls, list[k++], a[3], a[0], a[1], N);
  return 0;
}
