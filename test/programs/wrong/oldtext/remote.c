/* The macro form: what PREFETCH has fetched is written before it is used; a task reads another's array. */
// TWIN
#define DVM(dvmdir)
#define DO(v, l, h, s) for (v = l; v <= h; v += s)
#include <stdio.h>
#define N 8
DVM(PROCESSORS) void *P[4];
DVM(TASK) void *jobs[2];
DVM(REMOTE_GROUP) void *rg;
DVM(DISTRIBUTE [BLOCK]) double A[N];
DVM(ALIGN [i] WITH A[i]) double B[N];
DVM(DISTRIBUTE [BLOCK]) double C[N];
int M[N];

int main(void) {
  int i, t;
  DVM(PARALLEL [i] ON A[i])
  DO(i, 0, N - 1, 1) {
    A[i] = i;
    B[i] = 0;
  }
  for (i = 0; i < N; i++)
    M[i] = N - 1 - i;
  for (t = 0; t < 2; t++) {
    DVM(PREFETCH rg);
#ifndef RIGHT
    DVM(PARALLEL [i] ON A[i])
    DO(i, 0, N - 1, 1)
      A[i] = A[i] + 1;
    //^ error dvm-exchange-write 'A[2]'
#endif
    DVM(PARALLEL [i] ON B[i]; REMOTE_ACCESS rg: A[2])
    DO(i, 0, N - 1, 1)
      B[i] = B[i] + A[2];
    DVM(RESET rg);
    DVM(PREFETCH rg);
    DVM(PARALLEL [i] ON B[i]; INDIRECT_ACCESS A[M[i]])
    DO(i, 0, N - 1, 1)
      B[i] = A[M[i]];
    DVM(PARALLEL [i] ON B[i]; REMOTE_ACCESS rg: A[2])
    DO(i, 0, N - 1, 1)
      B[i] = B[i] + A[2];
  }
  DVM(MAP jobs[0] ONTO P[0:1]);
  DVM(MAP jobs[1] ONTO P[2:3]);
  DVM(REDISTRIBUTE C[BLOCK] ONTO jobs[1]);
  DVM(TASK_REGION jobs) {
#ifdef RIGHT
    DVM(ON jobs[1]) {
#else
    DVM(ON jobs[0]) {
#endif
      DVM(PARALLEL [i] ON C[i])
      DO(i, 0, N - 1, 1)
        C[i] = i;
    //  ^ error dvm-nonlocal-access 'C[0]'
    }
  }
  printf("%g\n", B[1]);
  return 0;
}
