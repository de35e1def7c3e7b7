/* Tasks that have some of the processors use arrays that lie on all of them, or on those of a task of another array of tasks.  What a task
 * declares or moves lies on its own. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#define N 8
#pragma dvm processors P[4]
void *P;
#pragma dvm task T[3]
void *T;
#pragma dvm task U[2]
void *U;
#pragma dvm array distribute[block] dynamic
double a[N];
#pragma dvm array distribute[block] dynamic
double b[N];
#pragma dvm array distribute[block] dynamic
double all[N];
#pragma dvm array align([i] with all[i])
double beside[N];
#pragma dvm array distribute[block] dynamic
double other[N];

static double own(int k)
{
  double s = 0;
#pragma dvm array distribute[block]
  double x[N];
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++)
    x[i] = k * i;
#pragma dvm parallel([i] on x[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += x[i];
#pragma dvm array distribute[block]
  double *y = malloc(N * sizeof *y);
  if (!y)
    return 0;
#pragma dvm parallel([i] on y[i])
  for (int i = 0; i < N; i++)
    y[i] = k * i;
#pragma dvm parallel([i] on y[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += y[i];
  free(y);
  return s;
}

int main(void)
{
  double s = own(1);
#pragma dvm map(T[0] onto P[0:1])
#pragma dvm map(T[1] onto P[2:3])
#pragma dvm map(T[2] onto P[])
#pragma dvm map(U[0] onto P[0])
#pragma dvm map(U[1] onto P[3])
#pragma dvm redistribute(a[block] onto T[0])
#pragma dvm redistribute(b[block] onto P[2:3])
#pragma dvm redistribute(other[block] onto U[1])
#pragma dvm parallel([i] on all[i])
  for (int i = 0; i < N; i++)
    all[i] = beside[i] = i;
#pragma dvm parallel([i] on other[i])
  for (int i = 0; i < N; i++)
    other[i] = i;
#pragma dvm task_region(T) reduction(sum(s))
  {
#pragma dvm on(T[0])
    {
      double t = 0;
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = i;
#pragma dvm parallel([i] on a[i]) remote_access(all[i]) reduction(sum(t))
      for (int i = 0; i < N; i++)
        t += a[i] * all[i];
      t += own(2);
#ifdef RIGHT
#pragma dvm parallel([i] on a[i]) remote_access(beside[i], other[i]) reduction(sum(t))
      for (int i = 0; i < N; i++)
        t += beside[i] + other[i];
#else
#pragma dvm parallel([i] on beside[i]) reduction(sum(t))
      for (int i = 0; i < N; i++)
        t += beside[i];
      //     ^ error dvm-nonlocal-access 'beside[0]'
#pragma dvm parallel([i] on other[i]) reduction(sum(t))
      for (int i = 0; i < N; i++)
        t += other[i];
      //     ^ error dvm-nonlocal-access 'other[0]'
      all[1] = 2;
//    ^ error dvm-nonlocal-access 'all[1]'
#endif
      s += t;
    }
#pragma dvm on(T[1])
    {
      double t = 0;
#pragma dvm parallel([i] on b[i])
      for (int i = 0; i < N; i++)
        b[i] = 2 * i;
#pragma dvm parallel([i] on other[i]) reduction(sum(t))
      for (int i = 0; i < N; i++)
        t += other[i];
      s += t;
    }
#pragma dvm on(T[2])
    {
      double t = 0;
#pragma dvm parallel([i] on all[i]) reduction(sum(t))
      for (int i = 0; i < N; i++)
        t += all[i];
      s += t;
    }
  }
  printf("%g %g\n", s, b[1]);
  return 0;
}
