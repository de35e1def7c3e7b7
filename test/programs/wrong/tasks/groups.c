/* Tasks that are mapped to processors of their own: an edge that is not renewed, replicated data behind the region. */
// TWIN
#include <stdio.h>
#define N 16
#pragma dvm processors P[8]
void *P;
#pragma dvm task T[2]
void *T;
#pragma dvm array distribute[block] shadow[1:1] dynamic
double a[N];
#pragma dvm array align([i] with a[i])
double c[N];
#pragma dvm array distribute[block] shadow[1:1] dynamic
double b[N];
int found;

int main(void) {
  double sum = 0;
#pragma dvm map(T[0] onto P[0:3])
#pragma dvm map(T[1] onto P[4:7])
#pragma dvm redistribute(a[block] onto T[0])
#pragma dvm redistribute(b[block] onto T[1])
#pragma dvm task_region(T) reduction(sum(sum))
  {
#pragma dvm on(T[0])
    {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = i;
#ifdef RIGHT
#pragma dvm parallel([i] on c[i]) shadow_renew(a)
#else
#pragma dvm parallel([i] on c[i])
#endif
      for (int i = 1; i < N; i++)
        c[i] = a[i - 1];
    //         ^ error dvm-shadow-stale 'a[0]'
      found = 1;
      sum += 2;
    }
#pragma dvm on(T[1])
    {
#pragma dvm parallel([i] on b[i])
      for (int i = 0; i < N; i++)
        b[i] = 2 * i;
      sum += 3;
    }
  }
#ifndef RIGHT
  printf("%d\n", found);
  //             ^ error dvm-task-dependence 'found'
#endif
  printf("%g %g %g\n", c[8], b[1], sum);
  return 0;
}
