/* Processors that there are not, tasks that have none. */
// TWIN
#include <stdio.h>
#define N 8
#pragma dvm processors P[4]
void *P;
#pragma dvm task T[2]
void *T;
#pragma dvm array distribute[block] dynamic
double a[N];

int main(void) {
#pragma dvm map(T[0] onto P[0:1])
#ifdef RIGHT
#pragma dvm map(T[1] onto P[2:3])
#else
#pragma dvm map(T[1] onto P[2:4])
  //        ^ error dvm-usage
#pragma dvm map(T[2] onto P[2:3])
  //        ^ error dvm-usage
#endif
#pragma dvm redistribute(a[block] onto T[1])
  //        ^ error dvm-usage
#pragma dvm task_region(T)
  {
#pragma dvm on(T[1])
    //      ^ error dvm-usage
    {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = i;
    }
  }
  printf("%g\n", a[1]);
  return 0;
}
