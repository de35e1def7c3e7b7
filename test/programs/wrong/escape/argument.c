/* The partial value is printed. */
// TWIN
#include <stdio.h>
#define N 4

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int count = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(count))
  for (int i = 0; i < N; i++) {
    a[i] = i;
    count++;
#ifndef RIGHT
    printf("%d\n", count);
    //             ^ error dvm-reduction-escape 'count'
#endif
  }
  printf("%d\n", count);
  return 0;
}
