/* Gap: "Loop-carried scalar through a conditionally written private: missed". */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void) {
  double nearest;
  int i;
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++)
    a[i] = i % 3;
#pragma dvm parallel([i] on a[i]) private(nearest)
  for (i = 0; i < N; i++) {
#ifdef RIGHT
    nearest = -1;
#endif
    if (a[i] == 0)
      nearest = i;
    b[i] = nearest + a[i];
    //     ^ error dvm-private-uninitialized 'nearest'
    // note .*iteration \(i=1\)
  }
  printf("%g\n", b[0]);
  return 0;
}
