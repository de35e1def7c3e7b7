/* Structs that are no elements of distributed arrays, assigned as a whole: data like any other. */
// TWIN
#include <stdio.h>
#define N 8
struct small { double x, y; };
struct large { double v[6]; int n; };
#pragma dvm array distribute[block]
static struct small a[N];
#pragma dvm array align([i] with a[i])
static struct large b[N];
static struct small table[N];

static struct small plus(struct small p, struct small q) { return (struct small){p.x + q.x, p.y + q.y}; }
static struct large longer(struct large p, double x) {
  p.v[p.n % 6] += x;
  p.n++;
  return p;
}

int main(void) {
  struct small s = {0, 0}, q, r;
  struct large l = {{0}, 0}, m;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = (struct small){i, 1};
    b[i] = (struct large){{i}, 0};
  }
  for (int i = 0; i < N; i++)
    table[i] = (struct small){i, 2};
  q = s;
  m = l;

#ifndef RIGHT
  /* Sums without a reduction. */
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    s = plus(s, a[i]);
  // expect -1:5 error dvm-readonly-write 's'
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    struct large mine = longer(l, a[i].x);
    l = longer(mine, 1);
    // expect -1:5 error dvm-readonly-write 'l'
  }
  /* Nobody says that they are private. */
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    q = a[i];
    // expect -1:5 warning dvm-undeclared-private 'q'
    m = longer(b[i], q.x);
    // expect -1:5 warning dvm-undeclared-private 'm'
    b[i] = m;
  }
  /* A loop that is not mapped. */
#pragma dvm parallel(1)
  for (int i = 1; i < N; i++)
    table[i] = plus(table[i - 1], table[i]);
  // expect -1:21 error dvm-loop-dependence 'table[1]'
#endif

#pragma dvm parallel([i] on a[i]) private(q, m, r)
  for (int i = 0; i < N; i++) {
    q = plus(a[i], s);
    r.x = q.x; /* of the other member nobody asks */
    m = longer(b[i], r.x);
    struct small inner = r;
    inner.y = 1;
    a[i] = plus(inner, q);
    b[i] = m;
  }
#pragma dvm parallel([i] on a[i]) private(q, r)
  for (int i = 0; i < N; i++) {
#ifndef RIGHT
    a[i] = plus(a[i], q);
    // expect -1:23 error dvm-private-uninitialized 'q'
#endif
    q = a[i];
    if (i % 2)
      r.y = 1;
    r.x = 2;
    struct small partly = r;
    a[i].x = partly.x + q.x;
  }
#pragma dvm parallel(1) private(q)
  for (int i = 0; i < N; i++) {
    q = table[i];
    table[i] = plus(q, q);
  }
  double sum = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i].x;
  printf("%g %g\n", sum, table[N - 1].x);
  return 0;
}
