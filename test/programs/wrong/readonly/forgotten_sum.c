/* A sum without reduction(sum(s)). */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double x[N];

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++)
    x[i] = i;
#ifdef RIGHT
#pragma dvm parallel([i] on x[i]) reduction(sum(s))
#else
#pragma dvm parallel([i] on x[i])
#endif
  for (int i = 0; i < N; i++)
    s = s + x[i];
//  ^ error dvm-readonly-write 's'
// help .*reduction\(sum\(s\)\)
  printf("%g\n", s);
  return 0;
}
