/* Tables that a nest only reads are asked for once; what they name is judged as ever, and so is one that a function called writes. */
#include <stdio.h>
#define N 3000

static int place[N], down[N], twice[N], again[N];
static double a[N], b[N];

static double mix(const double *v, int i, int j) { return v[i] + v[j]; }

static int deep(int level) {
  int sum = 0;
  if (!level) {
    again[7] = 7;
    return 0;
  }
#pragma dvm parallel(1) reduction(sum(sum))
  for (int i = 0; i < 10; i++) {
    sum += again[i];
    //     ^ error dvm-loop-dependence 'again[7]'
    if (i == 2)
      deep(level - 1);
  }
  return sum;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = i;
    place[i] = (int)(i * 7919LL % N);
    down[i] = N - 1 - i;
    twice[i] = i / 2;
    again[i] = i;
  }
  for (int it = 0; it < 3; it++) {
#pragma dvm parallel(1)
    for (int i = 0; i < N; i++)
      b[place[i]] = mix(a, i, down[i]);
#pragma dvm parallel(1)
    for (int i = N - 1; i >= 0; i--)
      a[i] = b[place[i]] + 1;
  }
#pragma dvm parallel(1)
  for (int i = 0; i < N; i++)
    b[twice[i]] = a[i];
  //^ error dvm-loop-dependence 'b[0]'
  printf("%g %g %d\n", a[5], b[5], deep(1));
  return 0;
}
