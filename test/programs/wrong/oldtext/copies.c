/* A copy that begins before the loop, and ends at COPY_WAIT; a template that gets its sizes later; a shift by one that leaves it. */
// TWIN
#include <stdio.h>
#define DVM(dvmdir)
#define DO(v, l, h, s) for (v = l; v <= h; v += s)
#define FOR(v, h) for (v = 0; v < h; v++)
#define N 16
#ifdef RIGHT
#define EXTRA 1
#else
#define EXTRA 0
#endif

DVM(DISTRIBUTE [BLOCK][]; TEMPLATE) void *T;
DVM(ALIGN [i][j] WITH T[i][j]) double A[N][N];
DVM(ALIGN [i][j] WITH T[i + 1][j]) double B[N][N];
//  ^ error dvm-usage 'B'
DVM(COPY_FLAG) void *flag;

int main(void) {
  int i, j;
  DVM(CREATE_TEMPLATE T[N + EXTRA][N]);
  DVM(PARALLEL [i][j] ON A[i][j])
  DO(i, 0, N - 1, 1)
    DO(j, 0, N - 1, 1)
      A[i][j] = i + j;
  DVM(PARALLEL [i][j] ON B[i][j])
  DO(i, 0, N - 1, 1)
    DO(j, 0, N - 1, 1)
      B[i][j] = 0;
  DVM(COPY_START flag)
  DO(i, 1, N - 2, 1)
    FOR(j, N)
      B[i - 1][j] = A[i + 1][j];
#ifdef RIGHT
  DVM(COPY_WAIT flag);
#endif
  DVM(PARALLEL [i][j] ON A[i][j])
  DO(i, 0, N - 1, 1)
    DO(j, 0, N - 1, 1)
      A[i][j] = 7;
  //  ^ error dvm-exchange-write 'A[2][0]'
  // help .*copy_wait.flag.*
#ifndef RIGHT
  DVM(COPY_WAIT flag);
#endif
  DVM(REMOTE_ACCESS B[0][1])
  printf("%g\n", B[0][1]);
  return 0;
}
