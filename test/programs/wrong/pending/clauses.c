/* Start and wait as clauses of parallel: the second loop forgets to wait. */
// TWIN
#include <stdio.h>
#define N 10
#ifdef RIGHT
#define WAIT shadow_wait(g)
#else
#define WAIT
#endif

#pragma dvm array distribute[block]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
#pragma dvm shadow_group(g: a[1:0])
#pragma dvm parallel([i] on b[i]) shadow_start(g)
  for (int i = 0; i < N; i++)
    b[i] += a[i];
#pragma dvm parallel([i] on b[i]) WAIT
  for (int i = 1; i < N; i++)
    b[i] -= a[i - 1];
    //      ^ error dvm-shadow-pending 'a[0]'
  printf("%d\n", b[4]);
  return 0;
}
