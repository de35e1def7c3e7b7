/* Gap: "Iteration index -1 unchecked".  Only the iteration -1 does something wrong. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block] shadow[0:0]
int a[N];
#pragma dvm array align([i] with a[i]) shadow[0:0]
int b[N];

int main(void) {
  int t;
#pragma dvm parallel([i] on a[i + 1]) private(t)
  for (int i = -1; i < N - 2; i++) {
    a[i + 1] = i;
#ifndef RIGHT
    if (i == -1)
      a[N - 1] = 0;
//    ^ error dvm-nonlocal-access 'a[5]'
    if (i != -1)
#endif
      t = i;
    b[i + 1] = t;
    //         ^ error dvm-private-uninitialized 't'
    // note .*i=-1
  }
  printf("%d\n", b[3]);
  return 0;
}
