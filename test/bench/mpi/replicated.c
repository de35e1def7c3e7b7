/* replicated ep|cg|stencil|alltoall SIZE STEPS: kernels as the benchmarks of replication have them; rank 0 prints a checksum, and the processor time of
   all ranks (of the mains, where there are two replicas) between MPI_Init and the end. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

static double sum_of_all(double one) {
  double all;
  MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* Pairs of numbers at random whose squares add up to less than 1; no messages but one at the end of a step. */
static double ep(int n, int steps) {
  unsigned long x = 12345 + 7919ul * (unsigned)rank;
  double inside = 0;
  for (int step = 0; step < steps; step++) {
    long found = 0;
    for (int i = 0; i < n; i++) {
      x = x * 6364136223846793005ul + 1442695040888963407ul;
      double a = (double)(x >> 11) / 9007199254740992.0;
      x = x * 6364136223846793005ul + 1442695040888963407ul;
      double b = (double)(x >> 11) / 9007199254740992.0;
      found += a * a + b * b < 1;
    }
    inside = sum_of_all((double)found);
  }
  return inside;
}

/* Rows of 'width' elements, with the last row of the rank before and the first of the next one around them. */
static void exchange(double *rows, int n, int width) {
  int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Request q[4];
  MPI_Irecv(rows, width, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(rows + (size_t)(n + 1) * width, width, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &q[1]);
  MPI_Isend(rows + width, width, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &q[2]);
  MPI_Isend(rows + (size_t)n * width, width, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &q[3]);
  MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
}

/* Five points, the largest change in each step known to all. */
static double stencil(int n, int steps) {
  int rows = n / size;
  size_t all = (size_t)(rows + 2) * n;
  double *a = calloc(all, sizeof(*a)), *b = calloc(all, sizeof(*b)), change = 0;
  for (size_t i = 0; i < all; i++)
    a[i] = b[i] = (double)((i + (size_t)rank) % 17);
  for (int step = 0; step < steps; step++) {
    exchange(a, rows, n);
    double most = 0;
    for (int i = 1; i <= rows; i++)
      for (int j = 1; j < n - 1; j++) {
        size_t at = (size_t)i * n + j;
        b[at] = 0.25 * (a[at - 1] + a[at + 1] + a[at - n] + a[at + n]);
        most = fmax(most, fabs(b[at] - a[at]));
      }
    MPI_Allreduce(&most, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double *t = a;
    a = b, b = t;
  }
  free(a);
  free(b);
  return change;
}

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 1; i <= n; i++)
    sum += x[i] * y[i];
  return sum_of_all(sum);
}

/* Conjugate gradients on the matrix (-1, 2.5, -1): two sums and an exchange of edges in each step. */
static double cg(int n, int steps) {
  double *x = calloc((size_t)n + 2, 8), *r = calloc((size_t)n + 2, 8), *p = calloc((size_t)n + 2, 8), *q = calloc((size_t)n + 2, 8);
  for (int i = 1; i <= n; i++)
    r[i] = p[i] = 1 + (i + rank) % 5;
  double rho = dot(r, r, n);
  for (int step = 0; step < steps; step++) {
    exchange(p, n, 1);
    for (int i = 1; i <= n; i++)
      q[i] = 2.5 * p[i] - p[i - 1] - p[i + 1];
    double alpha = rho / dot(p, q, n);
    for (int i = 1; i <= n; i++)
      x[i] += alpha * p[i], r[i] -= alpha * q[i];
    double next = dot(r, r, n), beta = next / rho;
    rho = next;
    for (int i = 1; i <= n; i++)
      p[i] = r[i] + beta * p[i];
    if (rho < 1e-20) /* goes on with work, as long as it was asked to */
      for (int i = 1; i <= n; i++)
        r[i] = p[i] = 1 + (i + rank) % 5, rho = 0;
    if (rho == 0)
      rho = dot(r, r, n);
  }
  double sum = dot(x, x, n);
  free(x), free(r), free(p), free(q);
  return sum;
}

/* A transposition and some work on each element, as in a Fourier transform. */
static double alltoall(int n, int steps) {
  double *a = calloc((size_t)n * size, 8), *b = calloc((size_t)n * size, 8), sum = 0;
  for (int i = 0; i < n * size; i++)
    a[i] = (i * 31 + rank) % 101;
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n * size; i++)
      a[i] = sin(a[i]) + 0.5 * a[i];
    MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD);
    double *t = a;
    a = b, b = t;
  }
  for (int i = 0; i < n * size; i++)
    sum += a[i];
  free(a), free(b);
  return sum_of_all(sum);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    double (*run)(int size, int steps);
  } kernels[] = {{"ep", ep}, {"cg", cg}, {"stencil", stencil}, {"alltoall", alltoall}};
  struct timespec t;
  double cpu = 0, result = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  cpu = -(double)t.tv_sec - 1e-9 * (double)t.tv_nsec;
  for (size_t k = 0; argc == 4 && k < sizeof(kernels) / sizeof(*kernels); k++)
    if (!strcmp(kernels[k].name, argv[1]))
      result = kernels[k].run(atoi(argv[2]), atoi(argv[3]));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  cpu += (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
  cpu = sum_of_all(cpu);
  if (!rank)
    printf("result %.12g cpu %.6f\n", result, cpu);
  MPI_Finalize();
  return 0;
}
