/* As callee.c, with the functions in other files than the region that calls them. */
// TWIN
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block]
static double a[N];
double twice(int i);
void prepare(int it);
void count(void);
extern int hits[2];
extern double weight[3];

int main(void) {
  hits[1] = 0;
#pragma dvm actual(hits)
  for (int it = 0; it < 2; it++) {
    prepare(it);
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
