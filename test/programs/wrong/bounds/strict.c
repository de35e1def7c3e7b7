/* With -fstrict-flex-arrays=2 only arrays without a size, or of none, may be longer than they say. */
// FLAGS -fstrict-flex-arrays=2
// TWIN
#include <stdio.h>
#include <stdlib.h>
#ifdef RIGHT
enum { EXTRA = 0 };
#else
enum { EXTRA = 1 };
#endif
struct one { int n; char c[1]; };
struct two { int n; char c[2]; };
struct none { int n; char c[0]; };
struct open { int n; char c[]; };

int main(void) {
  struct one *a = malloc(64);
  struct two *b = malloc(64);
  struct none *c = malloc(64);
  struct open *d = malloc(64);
  if (!a || !b || !c || !d)
    return 1;
  for (int k = 0; k < 8; k++)
    c->c[k] = d->c[k] = 'c';
  for (int k = 0; k < 1 + EXTRA; k++)
    a->c[k] = b->c[k + 1] = 'a';
  //^ error dvm-out-of-bounds 'a->c[1]'
  // expect -2:15 error dvm-out-of-bounds 'b->c[2]'
  printf("%c%c%c%c\n", a->c[0], b->c[1], c->c[7], d->c[7]);
  free(a), free(b), free(c), free(d);
  return 0;
}
