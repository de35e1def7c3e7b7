/* Linked with generated programs, compiled by plain clang: prints what an array holds. */
#include <stdio.h>

/* Linked behind the programs' data: what they read beyond their arrays is memory. */
char generated_behind[1 << 16];

/* Sees what it is given, and changes none of it. */
void generated_take(const void *data, unsigned long bytes) {
  (void)data;
  (void)bytes;
}

void generated_sum(const char *name, const void *data, unsigned long bytes) {
  const unsigned char *p = data;
  unsigned long sum = 0;
  for (unsigned long k = 0; k < bytes; k++)
    sum = sum * 31 + p[k];
  printf("%s %lx\n", name, sum);
}
