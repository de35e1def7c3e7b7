/* Conjugate gradients for the five-point operator.  All vectors lie on one template, so that they need no messages between
 * them; only the direction P has shadow edges. */
#include <math.h>
#include <stdio.h>

#define N 40
#define STEPS 40

#pragma dvm template[N][N] distribute[block][block]
void *grid;
#pragma dvm array align([i][j] with grid[i][j]), shadow[0:0][0:0]
static double X[N][N], R[N][N], Q[N][N];
#pragma dvm array align([i][j] with grid[i][j]), shadow[1:1][1:1]
static double P[N][N];

int main(void)
{
  double rho = 0;
  int i, j, step;

#pragma dvm parallel([i][j] on grid[i][j]) reduction(sum(rho))
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      X[i][j] = 0;
      P[i][j] = R[i][j] = 1.0 / (1 + i + j);
      rho += R[i][j] * R[i][j];
    }

  for (step = 0; step < STEPS; step++) {
    double pq = 0, next = 0, alpha, beta;
#pragma dvm parallel([i][j] on grid[i][j]) shadow_renew(P) reduction(sum(pq))
    for (i = 0; i < N; i++)
      for (j = 0; j < N; j++) {
        double q = 4 * P[i][j];
        if (i > 0)
          q -= P[i - 1][j];
        if (i < N - 1)
          q -= P[i + 1][j];
        if (j > 0)
          q -= P[i][j - 1];
        if (j < N - 1)
          q -= P[i][j + 1];
        Q[i][j] = q;
        pq += P[i][j] * q;
      }
    alpha = rho / pq;
#pragma dvm parallel([i][j] on grid[i][j]) reduction(sum(next))
    for (i = 0; i < N; i++)
      for (j = 0; j < N; j++) {
        X[i][j] += alpha * P[i][j];
        R[i][j] -= alpha * Q[i][j];
        next += R[i][j] * R[i][j];
      }
    beta = next / rho;
    rho = next;
#pragma dvm parallel([i][j] on grid[i][j])
    for (i = 0; i < N; i++)
      for (j = 0; j < N; j++)
        P[i][j] = R[i][j] + beta * P[i][j];
  }
  printf("%d steps, residual %.6e\n", STEPS, sqrt(rho));
  return 0;
}
