/* The location is that of the last element looked at, not that of the greatest. */
// TWIN
#include <stdio.h>
#define N 9

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int m = -1, where = -1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 7 * i % 9;
#pragma dvm parallel([i] on a[i]) reduction(maxloc(m, where))
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-mismatch
  for (int i = 0; i < N; i++) {
#ifdef RIGHT
    if (a[i] > m) {
      m = a[i];
      where = i;
    }
#else
    if (a[i] > m)
      m = a[i];
    where = i;
#endif
  }
  printf("%d %d\n", m, where >= 0);
  return 0;
}
