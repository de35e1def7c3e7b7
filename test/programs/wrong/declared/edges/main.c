/* An edge is too narrow that three declarations give: a header's, and those of two files. */
// TWIN
#include "data.h"
#include <stdio.h>

#ifdef RIGHT
#pragma dvm array distribute[block] shadow[1:2]
#else
#pragma dvm array distribute[block] shadow[1:1]
#endif
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
double total(void);

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i]) shadow_renew(a)
  for (int i = 1; i < N - 2; i++)
    b[i] = a[i - 1] + a[i + 2];
  //                  ^ error dvm-nonlocal-access 'a[3]'
  printf("%g %g\n", total(), b[1]);
  return 0;
}
