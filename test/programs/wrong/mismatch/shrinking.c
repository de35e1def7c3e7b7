/* A callee that cannot be followed: an iteration that makes a maximum smaller is noticed all the same. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define OP sum
#else
#define OP max
#endif

#pragma dvm array distribute[block]
int a[N];
static int total;
static void add(int x) { total += x; }

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 3 - i;
#pragma dvm parallel([i] on a[i]) reduction(OP(total))
  //        ^ error dvm-reduction-mismatch 'total'
  for (int i = 0; i < N; i++)
    add(a[i]);
  printf("%d\n", total);
  return 0;
}
