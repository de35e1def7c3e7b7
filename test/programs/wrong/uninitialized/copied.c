/* What is copied into a variable, by the function itself or by another one, brings no value with it. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
  int a;
  float b;
};

static double copied(const void *p) {
  double v;
  memcpy(&v, p, sizeof v);
  return v;
  //     ^ error dvm-uninitialized 'v'
}

static float member(const struct pair *p, int i) {
  struct pair t = p[i];
  return t.b;
  //     ^ error dvm-uninitialized 't.b'
}

static void put(double *p, const double *q) { memcpy(p, q, sizeof *p); }

static double passed(const double *q) {
  double x = 1;
  put(&x, q);
  return x;
  //     ^ error dvm-uninitialized 'x'
}

int main(int argc, char **argv) {
  (void)argv;
  int n = argc + 9;
  double *d = malloc(n * sizeof *d), sum = 0;
  struct pair *t = malloc(n * sizeof *t);
  if (!d || !t)
    return 1;
#ifdef RIGHT
  d[n - 1] = 0;
  t[n - 1].b = 0;
#endif
  for (int i = 0; i < n - 1; i++) {
    d[i] = i;
    t[i].a = i;
    t[i].b = i;
  }
  for (int i = 0; i < n; i++)
    sum += copied(&d[i]) + member(t, i) + passed(&d[i]);
  puts(sum < 1e300 ? "done" : "large");
  free(d);
  free(t);
  return 0;
}
