/* reduction=emulate: the program goes on with what its processors would have computed, which is the same in a right program. */
// RUN-OPTIONS reduction=emulate
#include <stdio.h>
#define N 23

#pragma dvm array distribute[block]
int a[N];
static long total;
static void add(int x) { total += x; }
static void raise_to(int *m, int x) {
  if (x > *m)
    *m = x;
}

int main(void) {
  int s = 5, p = 3, least = 1000, most = -1, where = -1, bits = 0, hist[4] = {1, 2, 3, 4}, none = 7;
  unsigned all = ~0u;
  double half = 0.5, third[2] = {0, 1};
  struct { int n; double x; } r = {1, 2};
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i * 7 % N;
#pragma dvm parallel([i] on a[i]) reduction(sum(s), product(p), min(least), maxloc(most, where), or(bits), and(all))
  for (int i = 0; i < N; i++) {
    s += a[i];
    p *= i == 4 ? 2 : 1;
    least = a[i] < least ? a[i] : least;
    if (a[i] > most) {
      most = a[i];
      where = i;
    }
    bits |= a[i];
    all &= ~(unsigned)a[i];
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(total), sum(hist), sum(half), sum(third), sum(r.n), sum(r.x))
  for (int i = 0; i < N; i++) {
    add(a[i]);
    hist[a[i] & 3]++;
    half += 0.25 * a[i];
    third[i & 1] += 0.5;
    r.n++;
    r.x += 2;
  }
  int high = 3;
#pragma dvm parallel([i] on a[i]) reduction(max(high))
  for (int i = 0; i < N; i++)
    raise_to(&high, a[i]);
#pragma dvm parallel([i] on a[i]) reduction(min(none))
  for (int i = N; i < N; i++)
    none = a[i];
  printf("%d %d %d %d %d %d %u\n", s, p, least, most, where, bits, all);
  printf("%ld %d %d %g %g %g %d %g %d %d\n", total, hist[0], hist[3], half, third[0], third[1], r.n, r.x, high, none);
  return 0;
}
