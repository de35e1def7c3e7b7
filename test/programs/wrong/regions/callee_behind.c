/* As callee.c, with the functions behind the region that calls them. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#define N 12

#pragma dvm array distribute[block]
static double a[N];
static double weight[3];
static int hits[2];
static double *factor;

static double twice(int i);
static void count(void);

int main(void) {
  hits[1] = 0;
  factor = malloc(2 * sizeof(*factor));
  factor[0] = factor[1] = 2;
#pragma dvm actual(hits)
  for (int it = 0; it < 2; it++) {
    for (int k = 0; k < 3; k++)
      weight[k] = it + k;
#ifdef RIGHT
#pragma dvm actual(weight)
#endif
#pragma dvm region
    {
      count();
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = twice(i);
    }
#ifdef RIGHT
#pragma dvm get_actual(hits)
#endif
  }
#pragma dvm get_actual(a)
#pragma dvm remote_access(a[N - 1])
  printf("%g ", a[N - 1]);
  printf("%d\n", hits[1]);
  //             ^ error dvm-host-stale 'hits[1]'
  // help .*get_actual.hits
  return 0;
}

static double weighed(int i) { return weight[i % 3] * i; }
//                                    ^ error dvm-device-stale 'weight[0]'
// help .*actual.weight.
static double twice(int i) { return factor[i % 2] * weighed(i); }
static void count(void) { hits[1] += 1; }
