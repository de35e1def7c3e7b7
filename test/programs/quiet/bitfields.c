/* Storing a bit-field loads the whole word first: that is no read of the program. */
#include <stdio.h>
#define N 7

struct flags {
  unsigned low : 3, high : 5;
  int sign : 2;
  unsigned long wide : 40;
};

#pragma dvm array distribute[block]
struct flags f[N];

int main(void) {
  struct flags one;
  unsigned sum = 0;
  int i;
  one.low = 5;
  one.high = 17;
#pragma dvm parallel([i] on f[i])
  for (i = 0; i < N; i++) {
    struct flags t;
    t.low = i;
    t.high = one.high;
    f[i].low = t.low;
    f[i].high = t.high + i;
    f[i].wide = 1ul << 33;
  }
#pragma dvm parallel([i] on f[i]) reduction(sum(sum))
  for (i = 0; i < N; i++) {
    f[i].low++;
    sum += f[i].low + f[i].high + (unsigned)(f[i].wide >> 32);
  }
  printf("%u %d\n", sum, one.low + one.high);
  return 0;
}
