// The location of an extreme has no value before the loop; the loop gives it one, also where it is proved at its entry.
#include <stdio.h>
#define N 9

#pragma dvm array distribute[block]
static double A[N];

static int last(const double *p) {
  int at;
  double most = -1;
#pragma dvm parallel([i] on A[i]) reduction(maxloc(most, at))
  for (int i = 0; i < N; i++)
    if (A[i] > most) {
      most = A[i];
      at = i;
    }
  (void)p;
  return at + 1;
}

int main(void) {
  int at;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i * (8 - i);
  double least = 99;
#pragma dvm parallel([i] on A[i]) reduction(minloc(least, at))
  for (int i = 1; i < N; i++)
    if (A[i] < least) {
      least = A[i];
      at = i;
    }
  printf("%d %d\n", last(A), at);
}
