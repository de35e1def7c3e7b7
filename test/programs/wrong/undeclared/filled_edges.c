/* What counts as assigned by memset and is right: variables of the body, of callees, of a scope that a jump enters, and what
 * a clause makes private.  What an iteration has not filled is not there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 6
#pragma dvm array distribute[block]
double x[N];
static char text[8];

static int callee(int n) {
  static const char name[] = "n";
  struct {
    int a, b[3];
  } s;
  char *copy = malloc(4);
  memset(&s, 0, sizeof s);
  s.b[1] = n;
  s.a = 1;
  strcpy(copy, name);
  copy[1] = (char)n;
  n += s.b[0] + s.b[1] + copy[1];
  free(copy);
  return n;
}

int main(void) {
  double flags[4];
#pragma dvm parallel([i] on x[i]) private(text, flags)
  for (int i = 0; i < N; i++) {
    switch (i % 2) {
      int scratch[40];
    case 0:
      memset(scratch, 0, sizeof scratch);
      x[i] = scratch[3] + callee(i);
      break;
    default:
      x[i] = callee(i);
    }
    double later[2] = {0};
    later[1] += x[i];
    memset(text, 'a', sizeof text);
    memset(flags, 0, sizeof flags);
    x[i] = later[1] + text[3] + flags[2];
  }
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++) {
    if (i % 3 == 0)
      memset(flags, 0, sizeof flags);
      //     ^ warning dvm-undeclared-private 'flags'
    x[i] += flags[1];
    //      ^ error dvm-private-uninitialized 'flags'
  }
  printf("%g\n", x[1]);
  return 0;
}
