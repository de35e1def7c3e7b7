/* Conjugate gradients with a sparse matrix by rows: columns through an index array, neighbours within the edges. */
#include "bench.h"
#include <stdio.h>
#define N 400000
#define PER_ROW 7
#define EDGE 300
#define STEPS 20
#pragma dvm array distribute[block]
static double x[N];
#pragma dvm array align([i] with x[i])
static double r[N], q[N];
#pragma dvm array align([i] with x[i]) shadow[EDGE : EDGE]
static double p[N];
#pragma dvm array align([i][k] with x[i])
static double value[N][PER_ROW];
#pragma dvm array align([i][k] with x[i])
static int column[N][PER_ROW];
static const int away[PER_ROW] = {-EDGE, -17, -1, 0, 1, 17, EDGE};

int main(void) {
  double rho = 0, sum = 0;
#pragma dvm parallel([i] on x[i]) reduction(sum(rho))
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < PER_ROW; k++) {
      int to = i + away[k];
      column[i][k] = to < 0 || to >= N ? i : to;
      value[i][k] = away[k] == 0 ? 8 : -1;
    }
    x[i] = 0;
    p[i] = r[i] = 1.0 / (1 + i % 10);
    rho += r[i] * r[i];
  }
  for (int step = 0; step < STEPS; step++) {
    double pq = 0, next = 0;
    bench_begin();
#pragma dvm parallel([i] on x[i]) shadow_renew(p)
    for (int i = 0; i < N; i++) {
      double s = 0;
      for (int k = 0; k < PER_ROW; k++)
        s += value[i][k] * p[column[i][k]];
      q[i] = s;
    }
#pragma dvm parallel([i] on x[i]) reduction(sum(pq))
    for (int i = 0; i < N; i++)
      pq += p[i] * q[i];
    double alpha = rho / pq;
#pragma dvm parallel([i] on x[i]) reduction(sum(next))
    for (int i = 0; i < N; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      next += r[i] * r[i];
    }
    double beta = next / rho;
    rho = next;
#pragma dvm parallel([i] on x[i])
    for (int i = 0; i < N; i++)
      p[i] = r[i] + beta * p[i];
    bench_end();
  }
#pragma dvm parallel([i] on x[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += x[i];
  printf("%.9g\n", sum);
  return 0;
}
