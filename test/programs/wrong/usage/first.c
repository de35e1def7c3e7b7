/* Iterations that leave the target of 'on': it is told before what follows from it, whatever that is. */
// TWIN
// RUN-OPTIONS max_errors=1
#include <stdio.h>
#define N 12
#ifdef RIGHT
#define TO N
#else
#define TO (N + 1)
#endif

#pragma dvm array distribute[block] shadow[1:1]
double a[N];
#pragma dvm array distribute[block]
double b[N + 1];

int main(void) {
  int sum = 0;
#pragma dvm parallel([p] on b[p])
  for (int p = 0; p < N + 1; p++)
    b[p] = p;
#pragma dvm parallel([p] on a[p])
//          ^ error dvm-usage 'a'
  for (int p = 0; p < TO; p++)
    a[p] = p;
#pragma dvm parallel([p] on a[p]) reduction(sum(sum))
  for (int p = 0; p < N; p++)
    sum += a[p] > 1;
  printf("%d\n", sum);
  return 0;
}
