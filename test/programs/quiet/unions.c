/* Unions and other ways to look at the same bytes: written as one type, read as another, byte by byte. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define N 5

union number {
  double d;
  uint64_t bits;
  uint32_t half[2];
  unsigned char byte[8];
};

#pragma dvm array distribute[block]
double a[N];

int main(void) {
  union number u[N];
  uint32_t word;
  unsigned char bytes[4];
  unsigned sum = 0;
  long total = 0;
  for (int i = 0; i < N; i++) {
    u[i].half[0] = 0;
    u[i].half[1] = 0x3ff00000;
    u[i].byte[6] |= (unsigned char)i;
  }
  for (int k = 0; k < 4; k++)
    bytes[k] = (unsigned char)(k + 1);
  memcpy(&word, bytes, sizeof word);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    unsigned char *p = (unsigned char *)&a[i];
    for (int k = 0; k < 8; k++)
      p[k] = u[i].byte[k];
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(sum), sum(total))
  for (int i = 0; i < N; i++) {
    sum += (unsigned)(a[i] * 64);
    total += ((int32_t *)&u[i])[1] >> 16;
  }
  printf("%u %ld %u %d\n", sum, total, word, u[1].bits > 0);
  return 0;
}
