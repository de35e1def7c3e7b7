/* A task reads and writes an array that lies on the processors of another one. */
// TWIN
#include <stdio.h>
#define N 8
#pragma dvm processors P[4]
void *P;
#pragma dvm task T[2]
void *T;
#pragma dvm array distribute[block] dynamic
double a[N];
#pragma dvm array distribute[block] dynamic
double b[N];
#pragma dvm array align([i] with b[i])
double c[N];

int main(void) {
#pragma dvm map(T[0] onto P[0:1])
#pragma dvm map(T[1] onto P[2:3])
#pragma dvm redistribute(a[block] onto T[0])
#pragma dvm redistribute(b[block] onto T[1])
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = i;
#ifndef RIGHT
#pragma dvm parallel([i] on c[i])
      for (int i = 0; i < N; i++)
        c[i] = i;
    //  ^ error dvm-nonlocal-access 'c[0]'
#endif
    }
#pragma dvm on(T[1])
    {
#pragma dvm parallel([i] on b[i])
      for (int i = 0; i < N; i++)
        b[i] = 2 * i;
    }
  }
  printf("%g %g\n", a[1], b[1]);
  return 0;
}
