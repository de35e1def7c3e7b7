/* Conjugate gradients with a sparse matrix in compressed rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 40
#pragma dvm array distribute[block]
static double x[N];
#pragma dvm array align([i] with x[i])
static double r[N], p[N], q[N];
int main(void) {
  int *start = malloc((N + 1) * sizeof *start), *column = malloc(3 * N * sizeof *column), nz = 0;
  double *value = malloc(3 * N * sizeof *value), rho = 0;
  for (int i = 0; i < N; i++) {
    start[i] = nz;
    for (int j = i - 1; j <= i + 1; j++)
      if (j >= 0 && j < N) {
        column[nz] = j;
        value[nz++] = i == j ? 4 : -1;
      }
  }
  start[N] = nz;
#pragma dvm parallel([i] on x[i]) reduction(sum(rho))
  for (int i = 0; i < N; i++) {
    x[i] = 0;
    r[i] = p[i] = 1 + i % 3;
    rho += r[i] * r[i];
  }
  int it;
  for (it = 0; it < 30 && rho > 1e-20; it++) {
    double pq = 0, next = 0;
#pragma dvm parallel([i] on q[i]) remote_access(p[]) reduction(sum(pq))
    for (int i = 0; i < N; i++) {
      double s = 0;
      for (int k = start[i]; k < start[i + 1]; k++)
        s += value[k] * p[column[k]];
      q[i] = s;
      pq += s * p[i];
    }
    double alpha = rho / pq;
#pragma dvm parallel([i] on x[i]) reduction(sum(next))
    for (int i = 0; i < N; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      next += r[i] * r[i];
    }
    double beta = next / rho;
    rho = next;
#pragma dvm parallel([i] on p[i])
    for (int i = 0; i < N; i++)
      p[i] = r[i] + beta * p[i];
  }
  double sum = 0;
#pragma dvm parallel([i] on x[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += x[i];
  printf("%d %.8f\n", it < 30, sum);
  free(start);
  free(column);
  free(value);
  return 0;
}
