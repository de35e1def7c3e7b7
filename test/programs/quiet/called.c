/* Nests whose work is done by functions, through pointers to rows and elements, and by way of locals. */
#include <stdio.h>
#include <stdlib.h>
#define N 30
#define M 20
#pragma dvm array distribute[block][*] shadow[2 : 2][0 : 0]
double a[N][M];
#pragma dvm array align([i][j] with a[i][j])
double b[N][M];
#pragma dvm array distribute[block]
double *v;
static double scale = 0.25;
static int step;

static double star(int i, int j) { return scale * (a[i - 1][j] + a[i + 1][j] + a[i][(j + 1) % M] + a[i][(j + M - 1) % M]); }
static double both(int i, int j) { return star(i, j) + (i > 1 ? a[i - 2][j] : 0); }
static void put(int i, int j, double x) { b[i][j] = x; }
static void row(double *to, const double *from, int n) {
  for (int j = 1; j < n; j++)
    to[j] = from[j] + from[j - 1];
}
static void first(double (*to)[M], double (*from)[M], int i) { to[i][0] = from[i][0] + from[i][M - 1]; }
static double of_extents(int n, int m, double (*x)[m], int i, int j) { return n ? x[i - 1][j] + x[i][(j + 1) % m] : 0; }
static double entry(const double *x) { return *x + 1; }
static void element(double *x) { *x = *x / 2 + step; }
static double deep(int i, int j, int n) { return n ? deep(i, j, n - 1) : a[i + 1][j]; }
static void solve(double x[M]) {
  double w[M];
  for (int j = 0; j < M; j++)
    w[j] = j ? w[j - 1] / 2 + x[j] : x[0];
  for (int j = M - 1; j >= 0; j--)
    x[j] = w[j] / 4;
}
static double of_vector(int i) { return v[i] * 2; }
static void to_vector(int i, double x) { v[i] = x; }

int main(void) {
  double sum = 0, largest = 0;
  int k, kept;
  v = malloc(N * sizeof(*v));
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      a[i][j] = i * 3 % 7 + j;
#pragma dvm parallel([i] on v[i])
  for (int i = 0; i < N; i++)
    to_vector(i, i);
  for (step = 0; step < 4; step++) {
#pragma dvm parallel([i] on b[i][]) shadow_renew(a) private(k, kept)
    for (int i = 2; i < N - 2; i++) {
      const double *above = a[i - 2];
      const int below = i + 2;
      kept = i;
      for (int j = 0; j < M; j++) {
        k = j;
        put(i, k, both(kept, j) + above[j] + a[below][k] + entry(&a[i][j]) + deep(i, j, 2) + of_extents(N, M, a, i, j));
      }
    }
#pragma dvm parallel([i] on a[i][]) reduction(sum(sum), max(largest))
    for (int i = 2; i < N - 2; i++) {
      row(a[i], b[i], M);
      first(a, b, i);
      solve(a[i]);
      for (double *p = a[i]; p < a[i] + M; p++) {
        element(p);
        sum += *p;
        largest = *p > largest ? *p : largest;
      }
    }
#pragma dvm parallel([i] on v[i])
    for (int i = 0; i < N; i++)
      to_vector(i, of_vector(i) / 3 + entry(&v[i]));
  }
  printf("%g %g %g %g\n", sum, largest, a[5][7], v[N / 2]);
  free(v);
  return 0;
}
