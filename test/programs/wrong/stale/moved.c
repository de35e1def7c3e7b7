/* What moves leaves its shadow edges behind, and so does what is aligned with it. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm template[N] distribute[block] dynamic
void *T;
#pragma dvm array align([i] with T[i]) dynamic
static int A[N], B[N];
#pragma dvm array align([i] with B[i])
static int C[N];

int main(void) {
  int s = 0;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = B[i] = C[i] = i;
#pragma dvm parallel([i] on A[i]) shadow_renew(A, B, C) reduction(sum(s))
  for (int i = 1; i < N - 1; i++)
    s += A[i - 1] + B[i - 1] + C[i + 1];
#ifndef RIGHT
#pragma dvm redistribute(T[block])
#endif
#pragma dvm parallel([i] on C[i]) reduction(sum(s))
  for (int i = 1; i < N - 1; i++)
    s += C[i + 1];
//       ^ error dvm-shadow-stale 'C[2]'
// stderr 'C\[2\]' is read from the shadow edge, which has not been renewed since the distribution of 'C' changed
// stderr :22:13: note: the edges of 'C' have no value since this directive
#pragma dvm parallel([i] on A[i]) shadow_renew(A, C) reduction(sum(s))
  for (int i = 1; i < N - 1; i++)
    s += A[i - 1] + C[i + 1];
#ifndef RIGHT
#pragma dvm realign(B[i] with T[i])
#endif
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
  for (int i = 1; i < N - 1; i++)
    s += A[i + 1] + C[i + 1];
//                  ^ error dvm-shadow-stale 'C[2]'
  printf("%d\n", s);
  return 0;
}
