/* Factorials with digits in an array of which the used part grows; printed through a buffer from its end. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct big {
  uint32_t digit[64];
  int n;
};
static void times(struct big *b, uint32_t f) {
  uint64_t carry = 0;
  for (int i = 0; i < b->n; i++) {
    carry += (uint64_t)b->digit[i] * f;
    b->digit[i] = (uint32_t)(carry % 1000000000);
    carry /= 1000000000;
  }
  if (carry)
    b->digit[b->n++] = (uint32_t)carry;
}
int main(void) {
  struct big b, copy;
  b.n = 1;
  b.digit[0] = 1;
  for (uint32_t f = 2; f <= 60; f++) {
    times(&b, f);
    if (f == 40)
      copy = b;
  }
  char text[700], *at = text + sizeof text - 1;
  *at = 0;
  for (int i = 0; i < b.n; i++) {
    char nine[10];
    sprintf(nine, i + 1 < b.n ? "%09u" : "%u", b.digit[i]);
    at -= strlen(nine);
    memcpy(at, nine, strlen(nine));
  }
  puts(at);
  memmove(text, at, strlen(at) + 1);
  printf("%zu %d %d\n", strlen(text), copy.n, memcmp(copy.digit, b.digit, sizeof(uint32_t) * 2) != 0);
  return 0;
}
