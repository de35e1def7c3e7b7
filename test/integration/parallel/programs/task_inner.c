/* Tasks that tasks make: their processors are those of the task that makes them. */
#include <stdio.h>
#define N 24
#pragma dvm processors P[4]
void *P;
#pragma dvm task T[2]
void *T;
#pragma dvm task U[2]
void *U;
#pragma dvm array distribute[block] dynamic
static long a[N];
#pragma dvm array distribute[block] dynamic
static long b[N];

static long inner(int k) {
  long s = 0, t = 0;
#pragma dvm map(U[0] onto P[0:1])
#pragma dvm map(U[1] onto P[2:3])
#pragma dvm array distribute[block] dynamic
  long v[N];
#pragma dvm array distribute[block] dynamic
  long w[N];
#pragma dvm redistribute(v[block] onto U[0])
#pragma dvm redistribute(w[block] onto U[1])
#pragma dvm task_region(U)
  {
#pragma dvm on(U[0])
    {
#pragma dvm parallel([i] on v[i])
      for (int i = 0; i < N; i++)
        v[i] = i * k;
#pragma dvm parallel([i] on v[i]) shadow_renew(v) reduction(sum(s))
      for (int i = 1; i < N; i++)
        s += v[i - 1] * i;
    }
#pragma dvm on(U[1])
    {
#pragma dvm parallel([i] on w[i])
      for (int i = 0; i < N; i++)
        w[i] = i + k;
#pragma dvm parallel([i] on w[i]) reduction(sum(t))
      for (int i = 0; i < N; i++)
        t += w[i] % 5;
    }
  }
  return s + t;
}

int main(void) {
  long s = 0;
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
      printf("%ld\n", inner(3));
    }
#pragma dvm on(T[1])
    {
#pragma dvm parallel([i] on b[i])
      for (int i = 0; i < N; i++)
        b[i] = 2 * i;
      printf("%ld\n", inner(4));
    }
  }
#pragma dvm parallel([i] on a[i]) remote_access(b[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += a[i] * b[i];
  printf("%ld\n", s);
  return 0;
}
