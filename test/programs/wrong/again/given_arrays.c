/* Arrays that functions are given in each iteration: the iteration's own, of all of which some elements lack a value, those that
 * iterations share, and what lies on two pages.  What loops of the functions touch is judged before the first turn, where it can be. */
#include <stdio.h>
#define N 40
#define M 16

#pragma dvm array distribute[block]
double A[N];
static double shared[M], table[4000], in[M];

static void fill(double *v, int n, double x) {
  for (int i = 0; i < n; i++)
    v[i] = x + i;
  //^ warning dvm-undeclared-private 'v[0]'
  //^ warning dvm-undeclared-private 'v[0]'
}

static double sum(const double *v, int n) {
  double s = 0;
  for (int i = n - 1; i >= 0; i--)
    s += v[i];
  //     ^ error dvm-uninitialized 'v[15]'
  return s;
}

static double chain(double *v, int n) {
  for (int i = 1; i < n; i++)
    v[i] = v[i - 1] / 2;
  return v[n - 1];
}

static void add(double *to, const double *v, int n) {
  for (int i = 0; i < n; i++)
    to[i] += v[i];
}

int main(void) {
  for (int i = 0; i < M; i++)
    in[i] = i;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    double w[M], far[1000];
    fill(w, M, i);
    A[i] = sum(w, M) + sum(in, M);
    add(w, in, M);
    far[200] = A[i];
    A[i] += sum(w, M) + chain(far + 200, 700);
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    double w[M];
    fill(w, i % 3 ? M : M - 1, i);
    A[i] = sum(w, M) > 0;
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    fill(shared, M, i);
    A[i] = sum(shared, M);
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    fill(table + i * 100, M, i);
    A[i] = sum(table + i * 100, M);
  }
  puts("done");
  return 0;
}
