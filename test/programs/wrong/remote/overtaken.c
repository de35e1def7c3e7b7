/* remote_access brings the values from before the loop; a run on one processor reads those that earlier iterations have
 * written.  Reading what a later iteration writes is right: the buffer keeps the old value. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block] shadow[0:0]
double A[N];
#pragma dvm array align([i] with A[i]) shadow[0:0]
double B[N];

int main(void)
{
  double sum = 0;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = B[i] = i;
#ifdef RIGHT
#pragma dvm parallel([i] on A[i]) remote_access(A[N - 1])
  for (int i = 0; i < N; i++)
    A[i] = i + A[N - 1];
#else
#pragma dvm parallel([i] on A[i]) remote_access(A[0])
  for (int i = 0; i < N; i++)
    A[i] = i + A[0];
    //         ^ error dvm-loop-dependence 'A[0]'
    // help 'remote_access' provides the values from before the loop
#endif
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += A[i] + B[i];
  printf("%g\n", sum);
  return 0;
}
