/* What remote access brings is a copy: assigning it changes nothing at the owner. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block] shadow[0:0]
int a[N];
#pragma dvm array align([i] with a[i]) shadow[0:0]
int b[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
#pragma dvm parallel([i] on b[i]) remote_access(a[])
  for (int i = 0; i < N; i++) {
    b[i] = a[1] + i;
#ifndef RIGHT
    if (i == 3)
      a[0] = 5;
//    ^ error dvm-remote-write 'a[0]'
#endif
  }
  printf("%d\n", b[1]);
  return 0;
}
