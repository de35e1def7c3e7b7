/* The macro form of C-DVM: a task reads what another one writes; a parameter that is distributed as its argument is. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#define DVM(dvmdir)
#define FOR(v, n) for (v = 0; v < n; v++)
#define N 8

DVM(TASK) void *jobs[2];
DVM(DISTRIBUTE [BLOCK]) double *A;
double left[N], right[N];

static double total(DVM(* DISTRIBUTE [BLOCK]) double *v, int n)
{
  int i;
  double s = 0;
  DVM(PARALLEL [i] ON v[i]; REDUCTION SUM(s))
  FOR(i, n)
    s += v[i];
  return s;
}

int main(void)
{
  int i, k;
  A = malloc(N * sizeof(double));
  DVM(PARALLEL [i] ON A[i])
  FOR(i, N)
    A[i] = i;
  DVM(TASK_REGION jobs)
  {
    DVM(ON jobs[0])
    FOR(i, N)
      left[i] = i;
    DVM(ON jobs[1])
    FOR(k, N)
#ifdef RIGHT
      right[k] = k;
#else
      right[k] = left[k];
      //         ^ error dvm-task-dependence 'left[0]'
#endif
  }
  printf("%g\n", total(A, N));
  free(A);
  return 0;
}
