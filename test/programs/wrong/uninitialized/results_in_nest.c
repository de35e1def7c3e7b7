/* Results that functions of the nest, put inline there, put where a pointer of theirs leads. */
#include <stdio.h>
#define N 100
#pragma dvm array distribute[block] shadow[1:1]
static double a[N];
#pragma dvm array align([i] with a[i])
static double b[N];

struct pair {
  double low, high;
};

static void twice(double x, double *r) {
  if (x > 50)
    *r = 2 * x;
//  ^ warning dvm-undeclared-private '*r'
}

static void bounds(double x, struct pair *p) {
  p->low = x - 1;
  if (x < 10)
    p->high = x + 1;
}

static void both(double x, double *r, int n) {
  for (int k = 0; k < n; k++)
    r[k] = x * k;
}

int main(void) {
  double shared;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i;
    b[i] = 0;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    double r;
    twice(a[i], &r);
    b[i] = r;
    //     ^ error dvm-uninitialized 'r'
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    struct pair p;
    bounds(a[i], &p);
    b[i] = p.low + p.high;
    //             ^ error dvm-uninitialized 'p.high'
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    double r[4];
    both(a[i], r, 3);
    b[i] = r[0] + r[3];
    //            ^ error dvm-uninitialized 'r[3]'
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    twice(a[i] + 100, &shared);
    b[i] = shared;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    double r;
    double *p = &r;
    twice(a[i] + 100, p);
    b[i] = *p;
  }
  printf("%g\n", b[3]);
}
