/* Arrays that are born in an iteration, given to functions that touch nothing else: what these read without a value is told in their text, as if
 * the calls were not put inline. */
// TWIN
// OUTPUT any
#include <math.h>
#include <stdio.h>
#include <string.h>
#define N 40
#pragma dvm array distribute[block]
static double A[N];
#pragma dvm array align([i] with A[i])
static double B[N];
#ifdef RIGHT
enum { ALL = 1 };
#else
enum { ALL = 0 };
#endif

static void set(double *v, int n) {
  for (int k = 0; k < n; k += 2 - ALL)
    v[k] = k;
}

static int find(const double *v, double x) {
  for (int k = 0; k < 6; k++)
    // expect +1:9 error dvm-uninitialized 'v[4]'
    if (v[k] == x)
      return k;
  return -1;
}

static double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    s += a[k] * b[k];
  return s;
}

static double angle(const double *a, const double *b, int n) {
  double t[2];
  t[0] = dot(a, a, n);
  if (n > 2 || ALL)
    t[1] = dot(b, b, n);
  return dot(a, b, n) / sqrt(t[0] * t[1]);
  //                                ^ error dvm-uninitialized 't[1]'
}

static void unit(double v[], int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    s += v[k];
  //     ^ error dvm-uninitialized 'v[0]'
  for (int k = 0; k < n; k++)
    v[k] /= s;
  // expect -1:5 error dvm-uninitialized 'v[0]'
}

static const double weights[4] = {1, 3, 3, 1};
static double apply(const double *v) {
  double s = 0;
  for (int k = 0; k < 4; k++)
    s += weights[k] * v[k];
  //                  ^ error dvm-uninitialized 'v[0]'
  return s;
}

static void clear(double *v) { memset(v, 0, (3 + ALL) * sizeof *v); }

static void get(double a, double *r) {
  if (a > 3 || ALL)
    *r = a;
}

int main(void) {
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i + 1;
#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++) {
    double v[8], s = 0;
    set(v, 8);
    for (int k = 0; k < 8; k++)
      s += v[k];
    //     ^ error dvm-uninitialized 'v[1]'
    B[i] = s;
  }
#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++) {
    double v[6];
    for (int k = 0; k < 4 + 2 * ALL; k++)
      v[k] = A[i] + k;
    B[i] = find(v, A[i] + i % 8);
  }
#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++) {
    double a[3] = {A[i], 1, 2}, b[3] = {2, A[i], 3};
    B[i] = angle(a, b, i % 3 + 1);
  }
#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++) {
    double all = 0;
    for (int m = 0; m < 3; m++) {
      double v[3];
      if (m != 1 || i != 7 || ALL)
        v[0] = 1;
      v[1] = m;
      v[2] = A[i];
      unit(v, 3);
      all += v[2];
    }
    B[i] = all;
  }
#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++) {
    double v[4], w[4], r;
    for (int k = ALL ? 0 : i % 2; k < 4; k++)
      v[k] = A[i];
    clear(w);
    get(A[i], &r);
    B[i] = apply(v) + w[3];
    //                ^ error dvm-uninitialized 'w[3]'
    B[i] += r;
    //      ^ error dvm-uninitialized 'r'
  }
  double s = 0;
#pragma dvm parallel([i] on B[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += B[i];
  printf("%g\n", s);
  return 0;
}
