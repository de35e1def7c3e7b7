/* Tables in structs with an array at their end, sized when they are allocated; functions through pointers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
struct table {
  double from, step;
  int n;
  double y[1]; /* more follow */
};
static struct table *make(double (*f)(double), double from, double to, int n) {
  struct table *t = malloc(sizeof *t + (size_t)(n - 1) * sizeof t->y[0]);
  t->from = from;
  t->step = (to - from) / (n - 1);
  t->n = n;
  for (int i = 0; i < n; i++)
    t->y[i] = f(from + i * t->step);
  return t;
}
static double at(const struct table *t, double x) {
  double p = (x - t->from) / t->step, whole;
  double f = modf(p, &whole);
  int i = (int)whole;
  return i + 1 < t->n ? t->y[i] * (1 - f) + t->y[i + 1] * f : t->y[t->n - 1];
}
#define N 30
#pragma dvm array distribute[block]
static double out[N];
int main(void) {
  struct table *t = make(sin, 0, 3, 100), *u = make(exp, 0, 1, 50);
  double worst = 0;
#pragma dvm parallel([i] on out[i]) reduction(max(worst))
  for (int i = 0; i < N; i++) {
    double x = i * 0.03;
    out[i] = at(t, x) * at(u, x);
    double d = fabs(out[i] - sin(x) * exp(x));
    if (d > worst)
      worst = d;
  }
  printf("%d\n", worst < 1e-3);
  free(t);
  free(u);
  return 0;
}
