#include "packed.h"
#define N 400000
#define PER_ROW 7
#define EDGE 300
#define STEPS 20
static const int away[PER_ROW] = {-EDGE, -17, -1, 0, 1, 17, EDGE};

static double all(double part) {
  MPI_Allreduce(MPI_IN_PLACE, &part, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return part;
}

int main(void) {
  packed_begin(N);
  double *x = malloc(rows * sizeof *x), *r = malloc(rows * sizeof *r), *q = malloc(rows * sizeof *q);
  double *with_edges = calloc(rows + 2 * EDGE, sizeof *with_edges), *p = with_edges + EDGE;
  double(*value)[PER_ROW] = malloc(rows * sizeof *value), rho = 0, sum = 0;
  int(*column)[PER_ROW] = malloc(rows * sizeof *column);
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < PER_ROW; k++) {
      int to = first + i + away[k];
      column[i][k] = to < 0 || to >= N ? i : to - first;
      value[i][k] = away[k] == 0 ? 8 : -1;
    }
    x[i] = 0;
    p[i] = r[i] = 1.0 / (1 + (first + i) % 10);
    rho += r[i] * r[i];
  }
  rho = all(rho);
  for (int step = 0; step < STEPS; step++) {
    double pq = 0, next = 0;
    bench_begin();
    MPI_Sendrecv(p, EDGE, MPI_DOUBLE, up, 0, p + rows, EDGE, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(p + rows - EDGE, EDGE, MPI_DOUBLE, down, 1, p - EDGE, EDGE, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < rows; i++) {
      double s = 0;
      for (int k = 0; k < PER_ROW; k++)
        s += value[i][k] * p[column[i][k]];
      q[i] = s;
    }
    for (int i = 0; i < rows; i++)
      pq += p[i] * q[i];
    double alpha = rho / all(pq);
    for (int i = 0; i < rows; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      next += r[i] * r[i];
    }
    next = all(next);
    double beta = next / rho;
    rho = next;
    for (int i = 0; i < rows; i++)
      p[i] = r[i] + beta * p[i];
    bench_end();
  }
  for (int i = 0; i < rows; i++)
    sum += x[i];
  packed_end(sum);
  return 0;
}
