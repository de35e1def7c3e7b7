/* Each iteration writes its neighbour's element: that is the edge, not its own part. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block] shadow[1:1]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];

int main(void) {
  int i;
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++) {
    a[i] = 0;
    b[i] = i;
  }
#ifdef RIGHT
#pragma dvm parallel([i] on b[i - 1])
#else
#pragma dvm parallel([i] on b[i])
#endif
  for (i = 1; i < N - 1; i++)
#ifdef RIGHT
    a[i - 1] = 5;
#else
    a[i + 1] = 5;
//  ^ error dvm-shadow-write 'a[2]'
#endif
  printf("%d\n", a[4]);
  return 0;
}
