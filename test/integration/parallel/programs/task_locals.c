/* Arrays that tasks declare in blocks: they are gone behind them, and ordinary variables may lie where they lay. */
#include <stdio.h>
#include <stdlib.h>
#pragma dvm processors P[5]
void *P;
#pragma dvm task T[2]
void *T;
#pragma dvm array distribute[block][*] shadow[1 : 1][1 : 1] dynamic
static long a[10][2];
static long *kept;

__attribute__((noinline)) static long fill(long *p, int n) {
  long s = 0;
  for (int i = 0; i < n; i++)
    p[i] = i + 1;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s;
}

static long nested(int turns) {
  long s = 0;
  for (int t = 0; t < turns; t++) {
    if (t % 2) {
#pragma dvm array distribute[block] shadow[1 : 1]
      long w[16];
#pragma dvm parallel([i] on w[i])
      for (int i = 0; i < 16; i++)
        w[i] = 5 * i + t;
#pragma dvm parallel([i] on w[i]) reduction(sum(s)) shadow_renew(w)
      for (int i = 1; i < 15; i++)
        s += w[i - 1] * w[i + 1];
    } else {
      long plain[16];
      s += fill(plain, 16);
    }
  }
  return s;
}

int main(void) {
  long s = 0;
#pragma dvm map(T[0] onto P[3 : 4])
#pragma dvm map(T[1] onto P[0 : 1])
#pragma dvm redistribute(a[*][block] onto T[0])
  for (int step = 0; step < 2; step++) {
#pragma dvm task_region(T)
    {
#pragma dvm on(T[0])
      {
        printf("%ld\n", nested(4));
        if (!step) {
#pragma dvm array distribute[block]
          long *v = malloc(12 * sizeof *v); /* stays, and other ranks know nothing of it */
#pragma dvm parallel([i] on v[i])
          for (int i = 0; i < 12; i++)
            v[i] = i;
          kept = v;
        }
      }
#pragma dvm on(T[1])
      {
        printf("%ld\n", nested(3));
      }
    }
#pragma dvm parallel([i][j] on a[i][j])
    for (int i = 0; i < 10; i++)
      for (int j = 0; j < 2; j++)
        a[i][j] = 3 * i + j + step;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(s)) shadow_renew(a)
    for (int i = 1; i < 10; i++)
      for (int j = 0; j < 2; j++)
        s += a[i][j] * a[i - 1][j];
    printf("%ld %ld %ld\n", s, a[4][1], nested(2));
  }
  return 0;
}
