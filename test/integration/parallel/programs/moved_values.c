/* Values of allocated arrays stay when the array moves, with poison=1 too. */
#include <stdio.h>
#include <stdlib.h>
static double half(double x, int i) { return x / 2 + i; }
#pragma dvm inherit(v)
static double apply(double *v, int n, double (*f)(double, int)) {
  double sum = 0;
#pragma dvm parallel([i] on v[i])
    for (int i = 0; i < n; i++)
      v[i] = f(v[i], i);
#pragma dvm parallel([i] on v[i]) reduction(sum(sum))
  for (int i = 0; i < n; i++)
    sum += v[i];
  return sum;
}
static void one(const char *name, int n, int how, double sign) {
#pragma dvm array distribute[block] dynamic
  double *a;
  a = malloc(n * sizeof *a);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < n; i++)
    a[i] = sign * ((i * 13 + 5) % 17) / 3;
  if (how & 1) {
    printf("%.6g\n", apply(a, n, half));
  }
  if (how & 2) {
#pragma dvm redistribute(a[block])
  }
  {

  double least = 1e300, most = -1e300;
  int where = -1, top = -1;
#pragma dvm parallel([i] on a[i]) reduction(minloc(least, where), maxloc(most, top))
  for (int i = 0; i < n; i++) {
    if (a[i] < least) {
      least = a[i];
      where = i;
    }
    if (a[i] > most) {
      most = a[i];
      top = i;
    }
  }
  printf("%s least %.10g at %d, most %.10g at %d\n", name, least, where, most, top);

  }
  free(a);
}
int main(void) {
  one("plain", 21, 0, 1);
  one("apply", 21, 1, 1);
  one("moved", 21, 2, 1);
  one("both", 21, 3, 1);
  one("minus", 21, 0, -1);
  one("27", 27, 3, 1);
  return 0;
}
