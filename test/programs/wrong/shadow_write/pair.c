/* Steps of two, each iteration fills two elements: the second one is another owner's. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int i;
#ifdef RIGHT
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++)
    a[i] = i;
#else
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i += 2) {
    a[i] = i;
    a[i + 1] = i + 1;
//  ^ error dvm-shadow-write 'a[1]'
  }
#endif
  printf("%d %d\n", a[3], a[8]);
  return 0;
}
