/* Arrays behind pointers: casts, calloc, realloc, sizes known only at run time, a pointer parameter with inherit. */
#include <stdio.h>
#include <stdlib.h>

#pragma dvm inherit(field)
static void fill(int n, int m, double (*field)[m], double value) {
#pragma dvm parallel([i][j] on field[i][j])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      field[i][j] = value + i - j;
}

static double sum_of(int n, int m) {
  double sum = 0;
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
  double(*a)[m];
#pragma dvm array distribute[block]
  long *v;
  a = (double(*)[m])malloc((size_t)n * m * sizeof(double));
  v = (long *)malloc(n * sizeof *v);
  fill(n, m, a, 2.5);
#pragma dvm parallel([i] on v[i])
  for (int i = 0; i < n; i++)
    v[i] = i;
#pragma dvm parallel([i][j] on a[i][j]) shadow_renew(a(corner)) reduction(sum(sum))
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      sum += a[i - 1][j - 1] * a[i + 1][j + 1] - a[i][j];
#pragma dvm parallel([i] on v[i]) reduction(sum(sum))
  for (int i = 0; i < n; i++)
    sum += v[i];
  free(a);
  free(v);
  return sum;
}

int main(void) {
  printf("%g %g\n", sum_of(6, 7), sum_of(9, 4));
  return 0;
}
