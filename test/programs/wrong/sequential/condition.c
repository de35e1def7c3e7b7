/* Only the owner could evaluate the condition. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block]
int a[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#ifdef RIGHT
  int third;
#pragma dvm remote_access(a[3])
  third = a[3];
  if (third > 2)
#else
  if (a[3] > 2)
  //  ^ error dvm-sequential-access 'a[3]'
  // help .*remote_access\(a\[3\]\)
#endif
    puts("large");
  return 0;
}
