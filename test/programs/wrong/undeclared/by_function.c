/* What functions of the library write is written by the iteration: data that no clause makes private. */
// TWIN
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 6
#ifdef RIGHT
#define PRIVATE private(word, copied, line, part, rest, end, count, zero, raised)
#else
#define PRIVATE
#endif

#pragma dvm array distribute[block]
double x[N];
static double zero[3], copied[3];
static char line[16], word[8];
static const double values[3] = {1, 2, 3};

static double tail(double v) {
#ifdef RIGHT
  char text[8];
#else
  static char text[8];
#endif
  strncpy(text, "abcdefgh", sizeof text);
    //    ^ warning dvm-undeclared-private 'text'
  return v + text[1];
}

int main(void) {
  char part[8], *end;
  double rest;
  int count, raised;
#pragma dvm parallel([i] on x[i]) PRIVATE
  for (int i = 0; i < N; i++) {
    char own[8];
    memset(zero, 0, sizeof zero);
    //     ^ warning dvm-undeclared-private 'zero'
    memcpy(copied, values, sizeof copied);
    //     ^ warning dvm-undeclared-private 'copied'
    memcpy(part, "0123456", sizeof part);
    //     ^ warning dvm-undeclared-private 'part'
    strcpy(word, "a");
    //     ^ warning dvm-undeclared-private 'word'
    sprintf(line, "%d", i);
    //      ^ warning dvm-undeclared-private 'line'
    sprintf(own, "%d", i);
    x[i] = modf(i + 0.5, &rest);
    //                    ^ warning dvm-undeclared-private 'rest'
    x[i] += frexp(i + 1, &raised);
    //                    ^ warning dvm-undeclared-private 'raised'
    x[i] += strtod(line, &end);
    //                    ^ warning dvm-undeclared-private 'end'
    sscanf(own, "%d", &count);
    //                 ^ warning dvm-undeclared-private 'count'
    x[i] = tail(x[i] + zero[1] + copied[2] + part[1] + word[0] + rest + raised + *end + count);
  }
  double sum = 0;
#pragma dvm parallel([i] on x[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += x[i];
  printf("%g\n", sum);
  return 0;
}
