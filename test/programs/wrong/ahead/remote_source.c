/* Elements that have been fetched ahead are written before they are used: the copy holds the old values. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i, b[i] = 0;
  for (int t = 0; t < 3; t++) {
#ifdef RIGHT
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      a[i] = a[i] + 1;
#endif
#pragma dvm remote_start(g)
#ifndef RIGHT
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      a[i] = a[i] + 1;
    //^ error dvm-exchange-write 'a[3]'
#else
    /* the other elements may be written */
#pragma dvm parallel([i] on a[i])
    for (int i = 4; i < N; i++)
      a[i] = a[i] + 1;
#endif
#pragma dvm remote_wait(g)
#pragma dvm parallel([i] on b[i]) remote_access(g: a[3])
    for (int i = 0; i < N; i++)
      b[i] = b[i] + a[3];
  }
  printf("%g\n", b[1]);
  return 0;
}
