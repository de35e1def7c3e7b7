/* The reference that 'across' does not cover stands in a function that the loop calls. */
#include <stdio.h>
#define N 9

#pragma dvm array distribute[block] shadow[2:1]
static int A[N];

static int *volatile base;
int next(int i);
int next(int i) { return A[i + 1] + (base != 0); }

int main(void) {
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i;
#pragma dvm parallel([i] on A[i]) across(A[2:0]) shadow_renew(A)
  for (int i = 2; i < N - 1; i++)
    A[i] = next(i);
//  ^ error dvm-across-distance 'A[3]'
  printf("%d\n", A[3]);
  return 0;
}
