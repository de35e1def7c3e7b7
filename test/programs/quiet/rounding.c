/* Sums of many terms within an iteration: the two evaluations differ by the rounding of all additions, not of one an iteration. */
#include <complex.h>
#include <math.h>
#include <stdio.h>

enum { N = 10, M = 20000, K = 3 };
#pragma dvm array distribute[block][*]
float F[N][M];
#pragma dvm array distribute[block][*]
double D[N][M];

static float plus(float s, float x) { return s + x + 1; }
static double of(int i, int j) { return 1.0 / (1 + (i * 7919 + j * 104729) % 9973); }

static void start(void) {
#pragma dvm parallel([i] on F[i][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      F[i][j] = (float)of(i, j);
#pragma dvm parallel([i] on D[i][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      D[i][j] = of(i, j) * (j % 2 ? 1e6 : -1e6) + of(j, i);
}

static void sums(void) {
  float s = 0, t = 0, twice = 0, member = 3e5f;
  double d = 0, local = 0, mixed = 0;
#pragma dvm parallel([i] on F[i][]) reduction(sum(s), sum(t), sum(twice), sum(member))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      s += F[i][j];
      t = plus(t, F[i][j]);
      twice = twice + 1e5f * F[i][j] - 1e5f * F[i][j] + F[i][j];
      member -= F[i][j] * F[i][j];
    }
#pragma dvm parallel([i] on D[i][]) reduction(sum(d), sum(local), sum(mixed))
  for (int i = 0; i < N; i++) {
    double keep = local;
    for (int j = 0; j < M; j++) {
      d += D[i][j];
      keep += D[i][j] * 1e-3;
      mixed = (float)mixed + D[i][j];
    }
    local = keep;
  }
  printf("%d %d %d %d %d %d %d\n", s > 0, t > 0, twice > 0, member < 3e5f, d > -1e30, local > -1e30, mixed > -1e30);
}

static void many(void) {
  float r[K] = {0};
  double product = 1;
  float complex z = 0;
  struct { float sum; } x = {0};
#pragma dvm parallel([i] on F[i][]) reduction(sum(r), product(product), sum(z), sum(x.sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      r[j % K] += F[i][j];
      product *= 1 + (double)F[i][j] * 1e-3;
      z += F[i][j] + I * F[i][j] * F[i][j];
      x.sum = x.sum + 1e3f + F[i][j] - 1e3f;
    }
  printf("%d %d %d %d\n", r[0] > 0, product > 1, crealf(z) > 0, x.sum > 0);
}

int main(void) {
  start();
  sums();
  many();
  return 0;
}
