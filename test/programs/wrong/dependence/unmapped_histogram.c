/* A histogram under parallel(1): two iterations count in the same cell. */
// TWIN
#include <stdio.h>
#define N 12

int main(void) {
  int data[N], count[4] = {0, 0, 0, 0};
  for (int i = 0; i < N; i++)
    data[i] = (i * 7 + i / 3) & 3;
#ifdef RIGHT
#pragma dvm parallel(1) reduction(sum(count))
#else
#pragma dvm parallel(1)
#endif
  for (int i = 0; i < N; i++)
    count[data[i]] += 1;
//  ^ error dvm-loop-dependence 'count'
// help add 'reduction\(sum\(count\)\)' to the directive at 
  printf("%d %d %d %d\n", count[0], count[1], count[2], count[3]);
  return 0;
}
