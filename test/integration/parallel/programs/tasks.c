/* Tasks: blocks and iterations of a task region. */
#include <stdio.h>
#define N 16
#pragma dvm task T[2]
void *T;
#pragma dvm array distribute[block]
double a[N];
#pragma dvm array distribute[block]
double b[N];
int main(void) {
  double one = 0, two = 0;
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(sum(one))
      for (int i = 0; i < N; i++)
        one += a[i];
    }
#pragma dvm on(T[1])
    {
#pragma dvm parallel([i] on b[i])
      for (int i = 0; i < N; i++)
        b[i] = 2 * i;
#pragma dvm parallel([i] on b[i]) reduction(sum(two))
      for (int i = 0; i < N; i++)
        two += b[i];
    }
  }
#pragma dvm task_region(T)
  {
#pragma dvm parallel([k] on T[k])
    for (int k = 0; k < 2; k++) {
      if (k == 0) {
#pragma dvm parallel([i] on a[i])
        for (int i = 0; i < N; i++)
          a[i] *= 3;
      } else {
#pragma dvm parallel([i] on b[i])
        for (int i = 0; i < N; i++)
          b[i] += 7;
      }
    }
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(one)) remote_access(b[])
  for (int i = 0; i < N; i++)
    one += a[i] * b[i];
  printf("%g %g\n", one, two);
  return 0;
}
