/* A reduction variable that nobody sets and no iteration updates has no value to compare. */
#include <stdio.h>
#define N 5

#pragma dvm array distribute[block]
int a[N];

static void sweep(int first, int step) {
  int s, w, i;
  double t = first;
#pragma dvm parallel([i] on a[i]) reduction(sum(s)) reduction(sum(t))
  for (i = first; i < N - 1; i += step) {
    a[i] = i;
    t += i;
    if (i == 7)
      s = s + (i - 1);
  }
#pragma dvm parallel([i] on a[i]) reduction(maxloc(s, w))
  for (i = first; i < N - 1; i += step)
    if (i == 7 && s < i) {
      s = i;
      w = i;
    }
  printf("%g\n", t);
}

int main(void) {
  sweep(1, 1);
  sweep(1, 3);
  return 0;
}
