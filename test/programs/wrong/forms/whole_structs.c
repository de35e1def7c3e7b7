/* Elements that are structs, copied as a whole: where they lie and who touches them matters; members without a value do not. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define RENEW(x) shadow_renew(x)
#define FROM old
#else
#define RENEW(x)
#define FROM c
#endif

typedef struct { double x; int kind; } cell;
#pragma dvm array distribute[block] shadow[1:1]
cell c[N];
#pragma dvm array align([i] with c[i]) shadow[1:1]
cell old[N];

static double value(cell a) { return a.x; }

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on c[i])
  for (int i = 0; i < N; i++) {
    c[i].x = i; /* 'kind' has no value */
    old[i] = c[i];
  }
#pragma dvm parallel([i] on c[i]) RENEW(old) reduction(sum(s))
  for (int i = 1; i < N; i++)
    s += value(old[i - 1]);
    //         ^ error dvm-shadow-stale 'old[0]'
#pragma dvm parallel([i] on c[i]) shadow_renew(c) RENEW(old)
  for (int i = 1; i < N; i++)
    c[i] = FROM[i - 1];
    // expect -1:12 error dvm-loop-dependence
  printf("%g %g\n", s, c[3].x);
  return 0;
}
