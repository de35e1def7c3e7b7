/* A member without a value goes with the copies of its struct: between variables of an iteration, to memory and from there. */
#include <stdio.h>
#define N 100
struct v {
  double x, y;
};
struct pair {
  float left, right;
};
struct deep {
  struct v at;
  int k[2];
};
#pragma dvm array distribute[block]
static double A[N];
#pragma dvm array align([i] with A[i])
static struct v C[N];

static struct v twice(struct v a) {
  struct v r = {2 * a.x, 2 * a.y};
  return r;
}
static float sum(struct pair p) { return p.left + p.right; }

int main(void) {
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) { /* right: each member has a value when it is read */
    struct v p = {i, 2}, q, r;
    q = p;
    q.x = 3;
    r = twice(q);
    struct pair f = {1, i}, g = f;
    struct deep d = {{0}}, e;
    d.at = r;
    d.k[1] = i;
    e = d;
    double _Complex z = r.x;
    z = z * 2.0 + 1.0i;
    A[i] = r.x + sum(g) + e.at.y + e.k[0] + e.k[1] + __real__ z + __imag__ z;
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    struct v p, q;
    p.x = i;
    q = p;
    C[i] = q;
    A[i] += q.x;
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    struct v r = C[i];
    A[i] += r.x + r.y;
    //            ^ error dvm-uninitialized 'r.y'
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] += C[i].y;
  //        ^ error dvm-uninitialized 'C[0].y'
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    struct deep d, e;
    d.at.x = i;
    d.k[0] = 1;
    e = d;
    A[i] += e.at.x + e.k[0];
    if (i % 2)
      A[i] += e.k[1];
    //        ^ error dvm-uninitialized 'e.k[1]'
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    struct v p;
    if (i > 50)
      p.y = 1;
    struct v q = p;
    A[i] += q.y;
    //      ^ error dvm-uninitialized 'q.y'
  }
  puts("done");
}
