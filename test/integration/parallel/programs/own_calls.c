/* Elements that are assigned what functions without effects make of elements of the same owner: the owner alone computes that. */
#include <math.h>
#include <stdio.h>
#define N 100

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
static double added = 2;

static double plus(double x) { return x + added; }
static double last(const double *t) { return t[2]; }
static double own(double x) {
  double t[3] = {1};
  for (int i = 0; i < 3; i++) {
    t[i] = plus(x);
    x += 1;
  }
  return last(t);
}

int main(void) {
  double w = 1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
  a[60] = plus(b[60]);
  a[99] += own(b[99]) + sqrt(b[99]);
  for (int i = 0; i < N; i += 7)
    a[i] = own(a[i]) - fabs(b[i]);
  for (int i = 0; i < N; i += 3)
    a[i] = b[i] = plus(a[i]) - b[i];
  a[20] = b[90] = 2 * (a[50] = 7);
  w = a[3] = 5;
  (a[4] = w, b[4]++);
  for (int i = 0; i < 3; a[i] += 1, i++)
    w++;
  for (int i = 0; i < N; i++)
    printf("%g%c", a[i], i % 10 == 9 ? '\n' : ' ');
  printf("%g %g\n", w, b[4]);
  return 0;
}
