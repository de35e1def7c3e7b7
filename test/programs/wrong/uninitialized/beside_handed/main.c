/* Large blocks that unseen code is handed, again and again, excuse nothing that they do not lead to: those of numbers lead nowhere,
 * and what is allocated after the last call was not there. */
// TWIN
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20, CALLS = 200 };
void lib_scale(double *v, size_t n);

static double *numbers(int n, int from) {
  double *v = malloc((size_t)n * sizeof *v);
  if (!v)
    exit(1);
  for (int i = from; i < n; i++)
    v[i] = i;
  return v;
}

static void scale(double *v, int times) {
  for (int i = 0; i < times; i++)
    lib_scale(v, 100);
}

int main(void) {
#ifdef RIGHT
  enum { FROM = 0 };
#else
  enum { FROM = 1 };
#endif
  double *before = numbers(50, FROM), *large = numbers(N, 0), **table = malloc(N * sizeof *table), sum = 0;
  if (!table)
    return 1;
  for (int i = 0; i < N; i++)
    table[i] = large + i;
  scale(large, CALLS);
  sum += before[0] + large[5];
  //     ^ error dvm-uninitialized 'before[0]'
  for (int i = 0; i < 9; i++)
    lib_scale((double *)table, 0); /* it might have written 'large' */
  double *after = numbers(50, FROM);
  sum += after[0];
  //     ^ error dvm-uninitialized 'after[0]'
  puts(sum < 1e300 ? "done" : "large");
  return 0;
}
