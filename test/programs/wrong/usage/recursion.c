/* A construct is entered inside itself. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block]
int a[N];

static int sweep(int depth) {
  int s = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-usage
  for (int i = 0; i < N; i++) {
    if (depth == 0)
      a[i] = i;
    s += depth;
#ifndef RIGHT
    if (depth == 0 && i == 2)
      sweep(1);
#endif
  }
  return s;
}

int main(void) {
  printf("%d\n", sweep(0) >= 0);
  return 0;
}
