/* The first value of an element goes to the buffer: one mistake, so the reads behind it are not told of. */
#include <stdio.h>
#define N 9

#pragma dvm array distribute[block]
static int a[N];
#pragma dvm array align([i] with a[i])
static int b[N];

int main(void) {
  int x;
#pragma dvm parallel([i] on a[i - 1]) remote_access(b[]) private(x)
  for (int i = 2; i < N; i++) {
    b[i] = 1;
//  ^ error dvm-remote-write 'b[2]'
    x = b[i];
    a[i - 1] = x;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 3; i < N - 1; i++)
    a[i] += b[i];
  return 0;
}
