/* What tasks can show besides conflicts among them: each mistake of a loop or statement, inside of a task. */
// TWIN
// OUTPUT any
#include <stdio.h>
#define N 6
#ifdef RIGHT
#define RENEW shadow_renew(a)
#define NEAR(i) (i)
#define SAME(i) (i)
#define LAST (N - 1)
#define OPERATION sum(s)
#define OWN private(t)
#define FAR remote_access(a[0])
#define WHOLE _Pragma("dvm remote_access(a[1])")
#define FIRST 0
#define SUM reduction(sum(total))
#define CARRIED across(a[1:0])
#else
#define RENEW
#define NEAR(i) ((i) + 2)
#define SAME(i) ((i) + 1)
#define LAST N
#define OPERATION max(s)
#define OWN
#define FAR
#define WHOLE
#define FIRST 1
#define SUM
#define CARRIED shadow_renew(a)
#endif

#pragma dvm task T[3]
void *T;
#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
#pragma dvm array align([i] with a[i])
double c[N];

int main(void) {
  double s = 0, t = 0, total = 0, got = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i + 1;
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    {
#pragma dvm parallel([i] on b[i]) RENEW
      for (int i = 1; i < N; i++)
        b[i] = a[i - 1];
        //     ^ error dvm-shadow-stale 'a[0]'
#pragma dvm parallel([i] on b[i])
      for (int i = 0; i < N - 2; i++)
        b[NEAR(i)] = i;
        // expect -1:9 error dvm-nonlocal-access 'b[2]'
#pragma dvm parallel([i] on b[i])
      for (int i = 0; i < N - 1; i++)
        b[SAME(i)] = i;
        // expect -1:9 error dvm-shadow-write 'b[1]'
#pragma dvm parallel([i] on b[i]) FAR
      for (int i = 2; i < N; i++)
        b[i] = a[0];
        //     ^ error dvm-nonlocal-access 'a[0]'
      WHOLE got = a[1];
      // expect -1:19 error dvm-sequential-access 'a[1]'
      b[0] = got;
    }
#pragma dvm on(T[1])
    {
#pragma dvm parallel([i] on c[i])
      for (int i = FIRST; i < N; i++)
        c[i] = 2;
#pragma dvm parallel([i] on c[i])
      for (int i = 0; i < N; i++)
        c[i] += 1;
        // expect -1:9 error dvm-uninitialized 'c[0]'
#pragma dvm parallel([i] on c[i]) OWN
      for (int i = 0; i < N; i++) {
        if (i >= FIRST)
          t = i;
        // expect -1:11 error dvm-readonly-write 't'
        c[i] += t;
      }
#pragma dvm parallel([i] on c[i]) SUM
      for (int i = 0; i < N; i++)
        total += c[i];
        // expect -1:9 error dvm-readonly-write 'total'
#pragma dvm parallel([i] on c[i]) reduction(OPERATION)
      // expect -1:13 error dvm-reduction-mismatch 's'
      for (int i = 0; i < N; i++)
        s += c[i];
    }
  }
#pragma dvm task_region(T)
  {
#pragma dvm on(T[2])
    {
#pragma dvm parallel([i] on a[i]) CARRIED
      for (int i = 1; i < N; i++)
        a[i] += a[i - 1];
        //      ^ error dvm-loop-dependence 'a[1]'
    }
  }
  printf("%g %g\n", s, total);
  return 0;
}
