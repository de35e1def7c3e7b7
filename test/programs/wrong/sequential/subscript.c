/* Everybody must know which element is assigned; what is assigned to it its owner alone needs. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
static double a[N];
#pragma dvm array align([i] with a[i])
static int k[N];
static int table[N];

int main(void)
{
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i;
    k[i] = N - 1 - i;
  }
  table[3] = 5;
  a[3] = table[k[3] - 1];
#ifdef RIGHT
  int to;
#pragma dvm remote_access(k[2])
  to = k[2];
  a[to] = 0;
  for (int i = 0; i < N; i++) {
#pragma dvm remote_access(a[i])
    if (a[i] > 6)
      printf("%d\n", i);
  }
#else
  a[k[2]] = 0;
  //^ error dvm-sequential-access 'k[2]'
  a[k[5]]++;
  //^ error dvm-sequential-access 'k[5]'
  for (int i = 0; i < N; i++)
    if (a[i] > 6)
    //  ^ error dvm-sequential-access 'a[0]'
    // help put the statement under '#pragma dvm remote_access\(a\[i\]\)'
      printf("%d\n", i);
#pragma dvm remote_access(k[1])
  table[2] = k[1] + k[2];
  //                ^ error dvm-remote-uncovered 'k[2]'
  // help name 'k\[2\]' in the 'remote_access' of the directive at subscript.c
#endif
  return 0;
}
