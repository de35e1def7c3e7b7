/* A function has read the variable before the iteration assigns it: not private by its first access. */
// TWIN
#include <stdlib.h>
#pragma dvm array distribute[block]
static int a[8];
static int s, t;

static int get(void) { return s; }

int main(void) {
#ifndef RIGHT
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < 8; i++) {
    s = get() + 1;
    // expect -1:5 error dvm-readonly-write 's'
    a[i] = abs(i);
    t = i; /* the function might have read this as well: only the run tells */
    // expect -1:5 warning dvm-undeclared-private 't'
  }
#endif
#pragma dvm parallel([i] on a[i]) private(t)
  for (int i = 0; i < 8; i++) {
    t = get() + 1;
    a[i] = abs(t);
  }
  return 0;
}
