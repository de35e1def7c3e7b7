/* An element passed to the program's own function is no output: only standard functions on streams are. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block]
int a[N];

static int twice(int x) {
  return 2 * x;
}

int main(void) {
  int t;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#ifdef RIGHT
#pragma dvm remote_access(a[5])
#endif
  t = twice(a[5]);
  //        ^ error dvm-sequential-access 'a[5]'
  printf("%d %d\n", t, (int)a[2]);
  return 0;
}
