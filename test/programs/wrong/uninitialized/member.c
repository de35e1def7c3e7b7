/* One member of the element has no value, its neighbours have. */
// TWIN
#include <stdio.h>
#define N 16
struct point { float x, y, z, weight; };

#pragma dvm array distribute[block]
struct point p[N];

int main(void) {
#pragma dvm parallel([i] on p[i])
  for (int i = 0; i < N; i++) {
    p[i].x = i;
    p[i].z = 2 * i;
#ifdef RIGHT
    p[i].y = 0;
#endif
  }
#pragma dvm parallel([i] on p[i])
  for (int i = 0; i < N; i++)
    p[i].weight = p[i].x + p[i].y;
  //                       ^ error dvm-uninitialized 'p'
  return 0;
}
