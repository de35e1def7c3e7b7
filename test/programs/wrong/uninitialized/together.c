/* Members that are asked about together: each is told of where it is read, and not after a value was given to it by another name. */
// TWIN
// OUTPUT any
#include <stdio.h>
#include <stdlib.h>
struct pair {
  float x, y, z;
};

__attribute__((noinline)) static float other(struct pair *p, struct pair *q) {
  p->x = 1;
  float t = q->y;
  //        ^ error dvm-uninitialized 'q->y'
  p->y = 2;
  return t;
}

__attribute__((noinline)) static float three(const struct pair *p) {
  float a = p->x, b = 0, c = 0;
  b = p->y;
  //  ^ error dvm-uninitialized 'p->y'
  c = p->z;
  //  ^ error dvm-uninitialized 'p->z'
  return a + b + c;
}

int main(void) {
  struct pair *s = malloc(2 * sizeof(*s));
  if (!s)
    return 1;
#ifdef RIGHT
  s->y = s[1].y = s[1].z = 0;
#endif
  s[1].x = 1;
  float n = other(s, s);
  n += three(s + 1);
  printf("%g\n", n);
  free(s);
  return 0;
}
