/* Objects whose type is a typedef of less alignment than their members ask for. */
#include <stdio.h>
#include <stdlib.h>
typedef float vector __attribute__((vector_size(16)));
typedef vector loose_vector __attribute__((aligned(4)));
typedef struct { double d; vector v; long l[4]; } record;
typedef record loose_record __attribute__((aligned(1)));
struct __attribute__((packed)) tight { char c; record r; };

static void fill(loose_record *p, loose_vector *q, struct tight *t, int k) {
  vector x = {1, 2, 3, 4};
  p->v = x;
  p->v += x;
  p->d = 2;
  p->l[k] = 7;
  q[k] = x;
  q[k] += p->v;
  t->r.v = x + q[k];
}

int main(void) {
  char *bytes = calloc(1, 1000);
  if (!bytes)
    return 1;
  loose_record *p = (loose_record *)(bytes + 1);
  loose_vector *q = (loose_vector *)(bytes + 132);
  struct tight *t = (struct tight *)(bytes + 600);
  fill(p, q, t, 1);
  printf("%g %g %ld %g %g\n", p->v[2], p->d, p->l[1], q[1][3], t->r.v[0]);
  free(bytes);
  return 0;
}
