/* A distributed array of pointers: what they lead to is not the array, which 'private' would refuse. */
// TWIN
#include <stdio.h>
#define N 8
#pragma dvm array distribute[block]
static double *a[N];
static double table[N];

int main(void)
{
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = &table[i];
#ifdef RIGHT
#pragma dvm parallel([i] on a[i]) private(table)
#else
#pragma dvm parallel([i] on a[i])
#endif
  for (int i = 0; i < N; i++) {
    *a[i] = i;
//  ^ warning dvm-undeclared-private '*a'
    // help name what '\*a\[i\]' stands for in 'private' of the directive at through_element\.c:17
    if (*a[i] < 0)
      puts("below");
  }
  return 0;
}
