/* Conjugate gradients with a sparse matrix by rows: columns through an index array, the direction held by all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 200000
#define PER_ROW 7

#pragma dvm array distribute[block]
static double x[N];
#pragma dvm array align([i] with x[i])
static double r[N];
#pragma dvm array align([i] with x[i])
static double q[N];
#pragma dvm array align([i] with x[i])
static double p[N];
static double value[N * PER_ROW];
static int column[N * PER_ROW];

static void make(void) {
  static const int away[PER_ROW] = {-300, -17, -1, 0, 1, 17, 300};
  for (int i = 0; i < N; i++)
    for (int k = 0; k < PER_ROW; k++) {
      column[i * PER_ROW + k] = (i + away[k] + N) % N;
      value[i * PER_ROW + k] = away[k] == 0 ? 8 : -1;
    }
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 40;
  double rho = 0, pq, next;
  make();
#pragma dvm parallel([i] on x[i]) reduction(sum(rho))
  for (int i = 0; i < N; i++) {
    x[i] = 0;
    p[i] = r[i] = 1.0 / (1 + i % 10);
    rho += r[i] * r[i];
  }
  for (int it = 0; it < steps; it++) {
#pragma dvm parallel([i] on q[i]) remote_access(p[])
    for (int i = 0; i < N; i++) {
      double s = 0;
      for (int k = i * PER_ROW; k < (i + 1) * PER_ROW; k++)
        s += value[k] * p[column[k]];
      q[i] = s;
    }
    pq = 0;
#pragma dvm parallel([i] on q[i]) reduction(sum(pq))
    for (int i = 0; i < N; i++)
      pq += p[i] * q[i];
    double alpha = rho / pq;
    next = 0;
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
  printf("%.9g\n", sqrt(rho));
  return 0;
}
