/* What inline assembly writes counts as assigned. */
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block]
long a[N];

static int branches(int n) {
  int out, *where = &out;
  __asm__ goto("movl $5, (%0)\n\ttestl %1, %1\n\tjz %l2" : : "r"(where), "r"(n) : "cc", "memory" : zero);
  return out + 1;
zero:
  return out;
}

int main(void) {
  long out, both = 5, block[2];
  __asm__("mov $42, %0" : "=r"(out));
  __asm__("add $1, %0" : "+r"(both));
  __asm__ volatile("movq $7, (%0)\n\tmovq $8, 8(%0)" : : "r"(block) : "memory");
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    long t;
    __asm__("lea 3(%1), %0" : "=r"(t) : "r"((long)i));
    __asm__ volatile("movq %1, %0" : "=m"(a[i]) : "r"(t));
  }
  for (int i = 0; i < N; i++)
    printf("%ld ", a[i]);
  printf("%ld %ld %ld\n", out, both, block[0] + block[1] + branches(0) + branches(1));
  return 0;
}
