/* A parallel loop and a block are left by longjmp: into the function itself, into one below it. */
#include <setjmp.h>
#include <stdio.h>
#define N 6

static jmp_buf back, inner;
#pragma dvm array distribute[block]
int a[N];

static int check(int i) {
  if (i == 3)
    longjmp(back, 1);
  return i;
}

static void fill(int from) {
#pragma dvm parallel([i] on a[i])
//          ^ error dvm-usage
// stderr this parallel loop is left by a jump out of it \(longjmp\)
  for (int i = from; i < N; i++)
    a[i] = check(i);
}

static int caught(int i) {
  if (setjmp(inner))
    return -1;
  if (i % 2)
    longjmp(inner, 1);
  return i;
}

int main(void) {
  volatile int tries = 0;
  if (!setjmp(back))
    fill(0);
  if (tries++ == 0) {
    if (!setjmp(back)) {
#pragma dvm remote_access(a[0])
//          ^ error dvm-usage
      {
        check(a[0] + 3);
      }
    }
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = caught(i);
  if (!setjmp(back)) {
#pragma dvm parallel([i] on a[i])
//          ^ error dvm-usage
    for (int i = 0; i < N; i++)
      a[i] = check(i);
  }
  printf("%d\n", tries);
  return 0;
}
