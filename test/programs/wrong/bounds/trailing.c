/* An array at the end of a struct is as long as the memory behind its pointer, no longer: not in variables, not in elements of
 * distributed arrays, not behind the end of an allocation. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#ifdef RIGHT
enum { EXTRA = 0 };
#else
enum { EXTRA = 1 };
#endif
enum { N = 6 };
struct row { int n; double x[4]; };

#pragma dvm array distribute[block]
struct row *g;
static struct row whole;

static double sum(const struct row *r, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    s += r->x[k];
  //     ^ error dvm-out-of-bounds 'r->x[4]'
  return s;
}

int main(void) {
  double s = 0;
  struct row local = {0, {0}}, *heap = malloc(sizeof *heap + 2 * sizeof(double) + 1);
  g = malloc(N * sizeof *g);
  if (!heap || !g)
    return 1;
  for (int k = 0; k < 6 + EXTRA; k++)
    heap->x[k] = k;
  //^ error dvm-out-of-bounds 'heap->x[6]'
  for (int k = 0; k < 4 + EXTRA; k++)
    s += whole.x[k] + local.x[k];
  //     ^ error dvm-out-of-bounds 'whole.x[4]'
  // expect -2:23 error dvm-out-of-bounds 'local.x[4]'
#pragma dvm parallel([i] on g[i])
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 4 + EXTRA; k++)
      g[i].x[k] = k;
  //  ^ error dvm-out-of-bounds 'g[0].x[4]'
  s += sum(&local, 4 + EXTRA);
  printf("%d\n", s > 1e300);
  free(heap);
  free(g);
  return 0;
}
