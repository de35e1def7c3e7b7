/* The loop finds the least, the clause says maxloc; the location is an array of one. */
// TWIN
#include <stdio.h>
#define N 9
#ifdef RIGHT
#define OP minloc
#else
#define OP maxloc
#endif

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int least = 100, at[1] = {-1};
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 7 * i % 9;
#pragma dvm parallel([i] on a[i]) reduction(OP(least, at, 1))
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-mismatch 'least'
  for (int i = 0; i < N; i++)
    if (a[i] < least) {
      least = a[i];
      at[0] = i;
    }
  printf("%d %d\n", least, at[0]);
  return 0;
}
