/* A loop reads data that a function of the library writes then: no iteration has the value of another one. */
// TWIN
#include <stdio.h>
#include <string.h>
#define N 6

#pragma dvm array distribute[block]
double x[N];
static double kept[3] = {1, 2, 3}, other[3];

int main(void) {
  double mine[3] = {1, 2, 3};
  char last[8] = "7";
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++) {
    double next[3] = {i, i, i};
#ifdef RIGHT
    x[i] = next[1];
#else
    x[i] = kept[1] + mine[2] + last[0] - '0' + other[1];
    memcpy(kept, next, sizeof next);
    //     ^ error dvm-readonly-write 'kept'
    memset(mine, 0, sizeof mine);
    //     ^ error dvm-readonly-write 'mine'
    snprintf(last, sizeof last, "%d", i);
    //       ^ error dvm-readonly-write 'last'
    sscanf("1.5", "%lf", &other[1]);
    //                    ^ error dvm-readonly-write 'other[1]'
#endif
  }
  double sum = 0;
#pragma dvm parallel([i] on x[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += x[i];
  printf("%g\n", sum + kept[0] + other[0] + mine[0] + last[0]);
  return 0;
}
