/* An assignment behind 'continue' is reached by some iterations only: none in the first loop, so that nothing is wrong in
 * this run.  A 'continue' of an inner loop does not skip it. */
#include <stdio.h>
#define N 8
#pragma dvm array distribute[block]
int A[N];

int main(void) {
  int t, u, v;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    A[i] = i;
    if (A[i] >= 0)
      continue;
    t = 1;
    A[i] = t;
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    if (i % 2)
      continue;
    u = 1;
    // expect -1:5 warning dvm-undeclared-private 'u'
    A[i] = u;
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 3; k++)
      if (k == 1)
        continue;
    v = 1;
    // expect -1:5 warning dvm-undeclared-private 'v'
    A[i] = v;
  }
  printf("%d\n", A[3]);
  return 0;
}
