/* The target is an element that every processor has: it is said at once, with the element's name. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];
static double table[3];

int main(void) {
  struct { double x, y; } point = {0, 0};
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  int k = 2;
#ifdef RIGHT
#pragma dvm remote_access(a[k])
  {
    table[0] = a[k] * 2;
    point.x = a[k];
  }
#else
  table[0] = a[k] * 2;
  //         ^ error dvm-sequential-access 'a[2]'
  point.x = a[k];
  //        ^ error dvm-sequential-access 'a[2]'
  fprintf(stderr, "dvm-test: between\n");
  // stderr a\[2\]' is read outside[\s\S]*between
#endif
  printf("%g %g %g\n", table[0], point.x, point.y);
  return 0;
}
