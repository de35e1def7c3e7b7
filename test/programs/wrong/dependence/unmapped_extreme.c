/* The greatest value, found by all iterations of a loop without 'on' in one variable: it is a reduction, not a private variable. */
// TWIN
#include <stdio.h>
#define N 8

int main(void) {
  int d[N], greatest = -1;
  for (int i = 0; i < N; i++)
    d[i] = i * 3 % N;
#ifdef RIGHT
#pragma dvm parallel([i]) reduction(max(greatest))
#else
#pragma dvm parallel([i])
#endif
  for (int i = 0; i < N; i++)
    if (d[i] > greatest)
      greatest = d[i];
  // expect 16:16 error dvm-loop-dependence 'greatest'
  // expect 17:7 error dvm-loop-dependence 'greatest'
  // help add 'reduction\(max\(greatest\)\)' to the directive
  printf("%d\n", greatest);
  return 0;
}
