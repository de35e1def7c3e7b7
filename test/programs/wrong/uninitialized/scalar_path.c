/* One path through the function leaves the variable without a value. */
// TWIN
#include <stdio.h>

static int scale(int kind) {
  int factor;
#ifdef RIGHT
  factor = 1;
#endif
  if (kind == 1)
    factor = 10;
  else if (kind == 2)
    factor = 100;
  return kind * factor;
  //            ^ error dvm-uninitialized 'factor'
}

int main(int argc, char **argv) {
  (void)argv;
  int known = scale(argc) + scale(argc + 1);
  int sum = scale(argc + 2);
  printf("%d\n", known);
  return sum == -1;
}
