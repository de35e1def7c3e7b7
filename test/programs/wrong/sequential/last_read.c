/* A read whose value goes through a pointer is judged too when nothing follows that would tell where it went: the array ceases to be, or the
 * program ends. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#define N 8

struct cell {
  double t;
  int k[3];
};
#pragma dvm array distribute[block]
static double a[N];
#pragma dvm array distribute[block]
static struct cell g[N];

static void of_scope(double *w) {
#pragma dvm array distribute[block]
  double c[N];
#pragma dvm parallel([i] on c[i])
  for (int i = 0; i < N; i++)
    c[i] = i;
#ifdef RIGHT
#pragma dvm remote_access(c[7])
#endif
  w[0] = c[7];
  //     ^ error dvm-sequential-access 'c[7]'
}

static void of_heap(double *w) {
#pragma dvm array distribute[block]
  double *d = malloc(N * sizeof *d);
#pragma dvm parallel([i] on d[i])
  for (int i = 0; i < N; i++)
    d[i] = i;
#ifdef RIGHT
#pragma dvm remote_access(d[7])
#endif
  w[1] = d[7];
  //     ^ error dvm-sequential-access 'd[7]'
  free(d);
}

int main(void) {
  double w[3];
  struct cell copies[2];
  int k = 1;
  of_scope(w);
  of_heap(w);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i;
  }
#pragma dvm parallel([i] on g[i])
  for (int i = 0; i < N; i++)
    g[i] = (struct cell){i, {i}};
#ifdef RIGHT
#pragma dvm remote_access(g[5])
#endif
  copies[k] = g[5];
  //          ^ error dvm-sequential-access 'g[5]'
#ifdef RIGHT
#pragma dvm remote_access(a[3])
#endif
  w[k + 1] = a[3];
  //         ^ error dvm-sequential-access 'a[3]'
  printf("%g %g %g %g\n", w[0], w[1], w[2], copies[1].t);
  return 0;
}
