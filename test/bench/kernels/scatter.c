/* Irregular: elements are written through a permutation and combined with others by a function of another unit's kind. */
#include <stdio.h>
#include <stdlib.h>
#define N 500000

static double from[N], into[N];
static int place[N], other[N];

static double mix(const double *v, int i, int j) { return 0.5 * v[i] + 0.25 * v[j]; }

int main(int argc, char **argv) {
  int times = argc > 1 ? atoi(argv[1]) : 20;
  double sum = 0;
  for (int i = 0; i < N; i++) {
    from[i] = i % 100;
    place[i] = (int)((i * 7919LL) % N);
    other[i] = (int)((i * 104729LL + 1) % N);
  }
  for (int it = 0; it < times; it++) {
#pragma dvm parallel(1)
    for (int i = 0; i < N; i++)
      into[place[i]] = mix(from, i, other[i]);
#pragma dvm parallel(1)
    for (int i = 0; i < N; i++)
      from[i] = into[place[i]] + 1;
  }
#pragma dvm parallel(1) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += from[i];
  printf("%.13g\n", sum);
  return 0;
}
