/* The loop computes the maximum, the clause says min. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define OP max
#else
#define OP min
#endif

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int m = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = (i * 5) % 8;
#pragma dvm parallel([i] on a[i]) reduction(OP(m))
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-mismatch 'm'
  for (int i = 0; i < N; i++)
    if (a[i] > m)
      m = a[i];
  printf("%d\n", m);
  return 0;
}
