/* The last value that fits is kept: that is no maximum. */
// TWIN
#include <stdio.h>
#define N 9

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int m = -1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 7 * i % 9;
#pragma dvm parallel([i] on a[i]) reduction(max(m))
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-mismatch 'm'
  for (int i = 0; i < N; i++)
#ifdef RIGHT
    m = a[i] > m ? a[i] : m;
#else
    m = a[i];
#endif
  printf("%s\n", m > 0 ? "some" : "none");
  return 0;
}
