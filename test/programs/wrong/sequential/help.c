/* No directive can stand before a declaration whose variable goes on living, or before 'return'; the variable of a 'for' it cannot see. */
// TWIN
#include <stdio.h>
#define N 8
#pragma dvm array distribute[block]
static double a[N];

static double first(void)
{
#ifdef RIGHT
  double x;
#pragma dvm remote_access(a[0])
  x = a[0];
  return x;
#else
  return a[0];
  //     ^ error dvm-sequential-access 'a[0]'
  // help assign the value to a variable under '#pragma dvm remote_access\(a\[0\]\)', and return that
#endif
}

int main(void)
{
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#ifdef RIGHT
  double second;
#pragma dvm remote_access(a[1])
  second = a[1];
  int k = 0;
#pragma dvm remote_access(a[])
  for (int i = 0; a[i] < 3; i++)
    k++;
#else
  double second = a[1];
  //              ^ error dvm-sequential-access 'a[1]'
  // help declare the variable first, and put its assignment under '#pragma dvm remote_access\(a\[1\]\)'
  int k = 0;
  for (int i = 0; a[i] < 3; i++)
    //            ^ error dvm-sequential-access 'a'
    // help put the statement under '#pragma dvm remote_access\(a\[\]\)'
    k++;
#endif
  printf("%g %g %d\n", first(), second, k);
  return 0;
}
