/* The commonest mistake: the stencil reads its neighbours' elements and nobody renews the shadow edge. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
double B[N][N];

int main(void) {
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = i == 0 || j == 0 ? 1 : 0;
      B[i][j] = 0;
    }
#ifdef RIGHT
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A)
#else
#pragma dvm parallel([i][j] on B[i][j])
#endif
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      B[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j]) / 4;
      //         ^ error dvm-shadow-stale 'A[0][1]'
  // note 'A' was last written here
  // help .*shadow_renew\(A
  printf("%g\n", B[1][1]);
  return 0;
}
