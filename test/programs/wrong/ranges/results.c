/* Results that functions of the library return through pointers are written there. */
// TWIN
// FLAGS -D_GNU_SOURCE -lm
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define N 8
#ifdef RIGHT
#define TO i
#define OWN private(whole, rest)
#else
#define TO i + 1
#define OWN
#endif

#pragma dvm array distribute[block]
double x[N + 1];
#pragma dvm array align([i] with x[i])
int e[N + 1];
#pragma dvm array align([i] with x[i])
double w[N + 1];

int main(void) {
  double sum = 0, s, c;
  double whole[1];
  char *rest[1];
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i <= N; i++) {
    x[i] = i + 0.25;
    e[i] = 0;
    w[i] = 0;
  }
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++) {
    x[i] = frexp(x[i], &e[TO]);
    //                  ^ error dvm-shadow-write 'e[1]'
    x[i] += modf(x[i], &w[TO]);
    //                  ^ error dvm-shadow-write 'w[1]'
  }
#pragma dvm parallel([i] on x[i]) private(s, c)
  for (int i = 0; i < N; i++) {
    sincos(x[i], &s, &c);
    x[i] = s * c;
    x[i] += remquo(x[i], 2, e + (TO));
    //                      ^ error dvm-shadow-write 'e[1]'
  }
#pragma dvm parallel(1) OWN
  for (int i = 0; i < N; i++) {
    modf(i + 0.5, whole);
    //            ^ error dvm-loop-dependence 'whole'
    strtod("1.5", rest);
    //            ^ error dvm-loop-dependence 'rest'
  }
#pragma dvm parallel([i] on x[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += x[i] + e[i];
  printf("%d\n", sum != 0);
  return 0;
}
