/* setjmp and longjmp: volatile locals keep their values, constructs that are left by a jump in the callee end. */
#include <setjmp.h>
#include <stdio.h>
#define N 6

static jmp_buf back;
#pragma dvm array distribute[block]
int a[N];

static int depth(int n) {
  int here = n;
  if (n == 0)
    longjmp(back, 3);
  return depth(n - 1) + here;
}

int main(void) {
  volatile int tries = 0;
  int sum = 0, code = setjmp(back);
  int after = code + 1;
  tries++;
  if (code != 3)
    depth(5);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i * tries;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i];
  printf("%d %d %d %d\n", code, tries, after, sum);
  return 0;
}
