/* A loop that moves a pointer asks for all of its turns at once: the one element without a value is found all the same, whichever way
 * it goes, and what lies beside the range is no matter. */
// TWIN
#include <stdio.h>
#include <stdlib.h>

static double up(const double *p, int n) {
  double s = 0;
  while (n-- > 0)
    s += *p++;
  //     ^ error dvm-uninitialized '*p++'
  return s;
}

static double down(const double *p, int n) {
  double s = 0;
  while (n-- > 0)
    s += *--p;
  //     ^ error dvm-uninitialized '*--p'
  return s;
}

static void fill(double *p, const double *end) {
  while (p != end)
    *p++ = 1;
}

int main(int argc, char **argv) {
  (void)argv;
  int n = argc + 99;
  double *v = malloc((n + 2) * sizeof *v);
  if (!v)
    return 1;
  fill(v + 1, v + n);
#ifdef RIGHT
  v[n] = 1;
#endif
  double sum = up(v + 1, n - 1) + down(v + n, n - 1);
  sum += up(v + 1, n) + down(v + n + 1, n);
  puts(sum < 1e300 ? "done" : "large");
  free(v);
  return 0;
}
