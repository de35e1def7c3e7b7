/* An assignment reads an element of another owner: the same array, another index. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block]
int a[N];
#pragma dvm array align([i] with a[i + 1])
int b[N - 1];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N - 1; i++)
    b[i] = a[i + 1];
  a[2] = b[1] * 10;
#ifdef RIGHT
  a[3] = b[2];
#else
  a[3] = b[3];
  //     ^ error dvm-sequential-access 'b[3]'
#endif
  printf("%d %d\n", a[2], a[3]);
  return 0;
}
