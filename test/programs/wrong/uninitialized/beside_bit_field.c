/* Particles with flags: a bit-field lies in the same word of memory as a member that nobody has assigned. */
// TWIN
#include <stdio.h>
#define N 8

struct particle {
  double x;
  short cell;
  unsigned alive : 1, marked : 2;
};
#pragma dvm array distribute[block]
struct particle p[N];
struct flags {
  char kind;
  unsigned first : 3;
  unsigned long rest : 20;
  short count;
};
#pragma dvm array align([i] with p[i])
struct flags f[N];

int main(void) {
  int sum = 0;
#pragma dvm parallel([i] on p[i])
  for (int i = 0; i < N; i++) {
    p[i].x = i;
    p[i].alive = i % 3 != 0;
    f[i].rest = (unsigned)i;
    f[i].first = 1;
#ifdef RIGHT
    p[i].cell = 0;
    f[i].kind = 1;
    f[i].count = 2;
#endif
  }
#pragma dvm parallel([i] on p[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++) {
    if (!p[i].alive)
      continue;
    if (p[i].cell > 3)
    //  ^ error dvm-uninitialized 'p[1].cell'
      sum++;
    if (f[i].kind > 3)
    //  ^ error dvm-uninitialized 'f[1].kind'
      sum++;
    if (f[i].count > 3)
    //  ^ error dvm-uninitialized 'f[1].count'
      sum++;
    sum += f[i].rest > 3;
  }
  printf("%d\n", sum >= 0);
  return 0;
}
