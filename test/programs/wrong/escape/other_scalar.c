/* A private variable takes the partial value and goes on with it. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int s = 0, t;
#pragma dvm parallel([i] on a[i]) reduction(sum(s)) private(t)
  for (int i = 0; i < N; i++) {
#ifdef RIGHT
    t = i;
#else
    t = s;
    //  ^ error dvm-reduction-escape 's'
#endif
    a[i] = t + i;
    s += i;
  }
  printf("%d\n", s);
  return 0;
}
