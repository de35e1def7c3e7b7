/* A private pointer leads to a variable that is shared: its name in 'private' is not that of the variable. */
// TWIN
#include <stdio.h>
#define N 8
#pragma dvm array distribute[block]
double a[N];

#ifdef RIGHT
#define PRIVATE private(p, other)
#else
#define PRIVATE private(p)
#endif

int main(void) {
  double other, *p;
#pragma dvm parallel([i] on a[i]) PRIVATE
  for (int i = 0; i < N; i++) {
    p = &other;
    *p = i;
//  ^ warning dvm-undeclared-private '*p'
    // help name what '\*p' stands for in 'private' of the directive at through_pointer\.c:16
    a[i] = *p;
  }
  double sum = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i];
  printf("%g\n", sum);
  return 0;
}
