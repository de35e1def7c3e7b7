// The note names what touched the same member, not another one of the same variable.
#include <stdio.h>

struct cell { double x, y; };

int main(void) {
  struct cell acc, one, *p = &one;
  struct cell c[9] = {{0, 0}};
  double out[9] = {0};
#pragma dvm parallel(1) private(acc)
  for (int i = 1; i < 8; i++) {
    acc.x = i;
    out[i] = acc.x + acc.y;
    //               ^ error dvm-private-uninitialized 'acc.y'
  }
#pragma dvm parallel(1)
  for (int i = 1; i < 8; i++) {
    p->x = 1;
    p->y = i;
  }
  // expect -3:5 error dvm-loop-dependence 'p->x'
  // expect -3:5 error dvm-loop-dependence 'p->y'
  // stderr :18:5: note: 'p->x' was written here, in iteration \(i=1\)
  // stderr :19:5: note: 'p->y' was written here, in iteration \(i=1\)
#pragma dvm parallel(1)
  for (int i = 1; i < 8; i++) {
    c[i].x = i;
    c[i].y = c[i - 1].y + c[i + 1].x;
    //       ^ error dvm-loop-dependence
    // expect -3:5 error dvm-loop-dependence 'c[2].x'
  }
  // stderr :28:5: note: 'c\[1\].y' was written here, in iteration \(i=1\)
  // stderr :28:27: note: 'c\[2\].x' was read here, in iteration \(i=1\)
  printf("%g %g %g\n", out[0], one.x, c[3].x);
}
