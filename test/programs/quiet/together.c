/* Members are asked about together, by a pointer that may lead to what another one has written in between. */
#include <stdio.h>
#include <stdlib.h>
struct pair {
  int x, y, z;
};

__attribute__((noinline)) static int other(struct pair *p, struct pair *q) {
  int t = p->x;
  q->y = 1;
  return t + p->y;
}

__attribute__((noinline)) static void give(struct pair *p, int k) {
  p->x = k;
  p->y = p->x + k;
  p->z = p->x + p->y;
}

int main(void) {
  struct pair *s = malloc(2 * sizeof(*s));
  int n;
  if (!s)
    return 1;
  s->x = 1;
  n = other(s, s);
  give(s + 1, n);
  printf("%d %d\n", n, s[1].z);
  free(s);
  return 0;
}
