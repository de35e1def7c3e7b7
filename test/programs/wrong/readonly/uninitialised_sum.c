/* Neither an initial value nor a reduction: two mistakes, two reports. */
// TWIN
// OUTPUT any
#include <stdio.h>
#define N 6
#ifdef RIGHT
#define START = 0
#define SUMMED reduction(sum(s))
#else
#define START
#define SUMMED
#endif

#pragma dvm array distribute[block]
int x[N];

int main(void) {
  int s START;
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++)
    x[i] = i;
#pragma dvm parallel([i] on x[i]) SUMMED
  for (int i = 0; i < N; i++)
    s =
//  ^ error dvm-readonly-write 's'
      s + x[i];
//    ^ error dvm-uninitialized 's'
  printf("%d\n", s == 15);
  return 0;
}
