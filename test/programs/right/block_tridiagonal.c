/* Block tridiagonal systems along both directions of a plane, as in the solvers of the NAS benchmarks: elimination by 'across' on two arrays,
 * whose last dimension is the block; back substitution runs downwards. */
#include <math.h>
#include <stdio.h>

#define N 24
#define M 18
#define K 2

#pragma dvm template[N][M] distribute[block][block]
void *T;
#pragma dvm array align([i][j][] with T[i][j]), shadow[1:1][1:1][0:0]
double rhs[N][M][K];
#pragma dvm array align([i][j][][] with T[i][j]), shadow[1:1][1:1][0:0][0:0]
double lhs[N][M][K][K];
#pragma dvm array align([i][j][] with T[i][j]), shadow[1:1][1:1][0:0]
double u[N][M][K];

static void set_lhs(double scale) {
#pragma dvm parallel([i][j] on lhs[i][j][][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      for (int a = 0; a < K; a++)
        for (int b = 0; b < K; b++)
          lhs[i][j][a][b] = a == b ? 3 + scale : 0.25 * ((i + j) % 3);
}

static void invert(double x[K][K], const double y[K][K]) {
  double d = y[0][0] * y[1][1] - y[0][1] * y[1][0];
  x[0][0] = y[1][1] / d;
  x[1][1] = y[0][0] / d;
  x[0][1] = -y[0][1] / d;
  x[1][0] = -y[1][0] / d;
}

static void solve_i(void) {
  double inv[K][K];
  int a;
#pragma dvm parallel([i][j] on rhs[i][j][]) across(lhs[1:0][0:0][0:0][0:0], rhs[1:0][0:0][0:0]) private(inv, a) stage(4)
  for (int i = 1; i < N; i++)
    for (int j = 0; j < M; j++) {
      invert(inv, lhs[i - 1][j]);
      for (a = 0; a < K; a++) {
        for (int b = 0; b < K; b++)
          lhs[i][j][a][b] -= inv[a][b];
        rhs[i][j][a] += inv[a][0] * rhs[i - 1][j][0] + inv[a][1] * rhs[i - 1][j][1];
      }
    }
#pragma dvm parallel([i][j] on rhs[i][j][]) across(rhs[0:1][0:0][0:0]) private(inv, a)
  for (int i = N - 2; i >= 0; i--)
    for (int j = 0; j < M; j++) {
      double t[K];
      invert(inv, lhs[i][j]);
      for (a = 0; a < K; a++)
        t[a] = inv[a][0] * (rhs[i][j][0] + rhs[i + 1][j][0]) + inv[a][1] * (rhs[i][j][1] + rhs[i + 1][j][1]);
      for (a = 0; a < K; a++)
        rhs[i][j][a] = t[a];
    }
}

static void solve_j(void) {
  double inv[K][K];
#pragma dvm parallel([i][j] on rhs[i][j][]) across(lhs[0:0][1:0][0:0][0:0], rhs[0:0][1:0][0:0]) private(inv)
  for (int i = 0; i < N; i++)
    for (int j = 1; j < M; j++) {
      invert(inv, lhs[i][j - 1]);
      for (int a = 0; a < K; a++) {
        for (int b = 0; b < K; b++)
          lhs[i][j][a][b] -= inv[a][b];
        rhs[i][j][a] += inv[a][0] * rhs[i][j - 1][0] + inv[a][1] * rhs[i][j - 1][1];
      }
    }
#pragma dvm parallel([i][j] on rhs[i][j][]) across(rhs[0:0][0:1][0:0])
  for (int i = 0; i < N; i++)
    for (int j = M - 2; j >= 0; j--)
      for (int a = 0; a < K; a++)
        rhs[i][j][a] = (rhs[i][j][a] + rhs[i][j + 1][a]) / (lhs[i][j][a][a] + 1);
}

static double add(void) {
  double norm = 0;
#pragma dvm parallel([i][j] on u[i][j][]) reduction(sum(norm))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      for (int a = 0; a < K; a++) {
        u[i][j][a] += rhs[i][j][a];
        norm += rhs[i][j][a] * rhs[i][j][a];
      }
  return sqrt(norm);
}

int main(void) {
#pragma dvm parallel([i][j] on u[i][j][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      for (int a = 0; a < K; a++)
        u[i][j][a] = i * 0.5 - j * (a + 1);
  for (int t = 0; t < 5; t++) {
    set_lhs(t);
#pragma dvm parallel([i][j] on rhs[i][j][]) shadow_renew(u)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        for (int a = 0; a < K; a++) {
          double s = -4 * u[i][j][a];
          s += i > 0 ? u[i - 1][j][a] : 0;
          s += i < N - 1 ? u[i + 1][j][a] : 1;
          s += j > 0 ? u[i][j - 1][a] : 2;
          s += j < M - 1 ? u[i][j + 1][a] : u[i][j][1 - a];
          rhs[i][j][a] = 0.1 * s;
        }
    solve_i();
    set_lhs(t + 1);
    solve_j();
    printf("%d %.7f\n", t, add());
  }
  printf("%.7f %.7f\n", u[3][4][0], u[N - 1][M - 1][1]);
  return 0;
}
