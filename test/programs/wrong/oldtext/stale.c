/* The macro form of C-DVM: an edge is read that nobody renews, and a maximum is called a sum. */
// TWIN
#include <stdio.h>
#define DVM(dvmdir)
#define DO(v, l, h, s) for (v = l; v <= h; v += s)
#define N 16

DVM(DISTRIBUTE [BLOCK]; SHADOW [1:1]) float A[N];
DVM(ALIGN [i] WITH A[i]) float B[N];

int main(void)
{
  int i;
  float m = 0;
  DVM(PARALLEL [i] ON A[i])
  DO(i, 0, N - 1, 1)
    A[i] = i;
#ifdef RIGHT
  DVM(PARALLEL [i] ON B[i]; SHADOW_RENEW A)
#else
  DVM(PARALLEL [i] ON B[i])
#endif
  DO(i, 1, N - 2, 1)
    B[i] = A[i - 1] + A[i + 1];
  //       ^ error dvm-shadow-stale 'A[0]'
#ifdef RIGHT
  DVM(PARALLEL [i] ON A[i]; REDUCTION MAX(m))
#else
  DVM(PARALLEL [i] ON A[i]; REDUCTION SUM(m))
  //  ^ error dvm-reduction-mismatch 'm'
#endif
  DO(i, 0, N - 1, 1)
    if (A[i] > m)
      m = A[i];
  printf("%g\n", m);
  return 0;
}
