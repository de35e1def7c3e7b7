/* Reading the next element and overwriting it in the next iteration: right in order, a race on threads. */
// TWIN
#include <stdio.h>
#define N 10
#ifdef RIGHT
#define CLAUSE across(q[0:1])
#else
#define CLAUSE shadow_renew(q)
#endif
#pragma dvm array distribute[block]
int q[N];

int main(void) {
  int i;
#pragma dvm parallel([i] on q[i])
  for (i = 0; i < N; i++)
    q[i] = i;
#pragma dvm parallel([i] on q[i]) CLAUSE
  for (i = 0; i < N - 1; i++)
    q[i] = q[i + 1] * 2;
//  ^ error dvm-loop-dependence 'q[1]'
// stderr anti
  printf("%d %d\n", q[0], q[N - 1]);
  return 0;
}
