/* Conjugate gradients for a five-point operator: dot products, vectors aligned with a template. */
#include <math.h>
#include <stdio.h>
#define N 12

#pragma dvm template[N][N] distribute[block][block]
void *grid;
#pragma dvm array align([i][j] with grid[i][j]) shadow[0:0][0:0]
static double x[N][N], r[N][N], q[N][N];
#pragma dvm array align([i][j] with grid[i][j]) shadow[1:1][1:1]
static double p[N][N];

static void apply(void) {
#pragma dvm parallel([i][j] on q[i][j]) shadow_renew(p)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = 4.5 * p[i][j];
      if (i > 0)
        s -= p[i - 1][j];
      if (i < N - 1)
        s -= p[i + 1][j];
      if (j > 0)
        s -= p[i][j - 1];
      if (j < N - 1)
        s -= p[i][j + 1];
      q[i][j] = s;
    }
}

int main(void) {
  double rho = 0, initial;
#pragma dvm parallel([i][j] on grid[i][j]) reduction(sum(rho))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      x[i][j] = 0;
      p[i][j] = r[i][j] = 1.0 / (1 + i + j);
      rho += r[i][j] * r[i][j];
    }
  initial = rho;
  for (int it = 0; it < 30 && rho > 1e-20 * initial; it++) {
    double pq = 0, alpha, beta, next = 0;
    apply();
#pragma dvm parallel([i][j] on grid[i][j]) reduction(sum(pq))
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        pq += p[i][j] * q[i][j];
    alpha = rho / pq;
#pragma dvm parallel([i][j] on grid[i][j]) reduction(sum(next))
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        x[i][j] += alpha * p[i][j];
        r[i][j] -= alpha * q[i][j];
        next += r[i][j] * r[i][j];
      }
    beta = next / rho;
    rho = next;
#pragma dvm parallel([i][j] on p[i][j])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        p[i][j] = r[i][j] + beta * p[i][j];
    printf("%d %.6e\n", it, sqrt(rho));
  }
  return 0;
}
