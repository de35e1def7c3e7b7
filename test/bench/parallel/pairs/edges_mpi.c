#include "packed.h"
#define STEPS 40
#define TIMES 50
static size_t line; /* elements from a row or column of the rank to the next place in the other dimensions */
#ifdef PLANE
enum { X = 128, Y = 128, N = 128 };

/* The columns beside the neighbours', packed and unpacked element by element; with WHOLE in an array as large as that of all ranks. */
static void exchange(double *A, double *buffer) {
  size_t plane = (size_t)X * Y;
  double *out[2] = {buffer, buffer + plane}, *in[2] = {buffer + 2 * plane, buffer + 3 * plane};
  int to[2] = {up, down};
  MPI_Request r[4];
  for (int s = 0; s < 2; s++)
    MPI_Irecv(in[s], (int)plane, MPI_DOUBLE, to[s], !s, MPI_COMM_WORLD, &r[s]);
  for (int s = 0; s < 2; s++) {
    if (to[s] == MPI_PROC_NULL) {
      r[2 + s] = MPI_REQUEST_NULL;
      continue;
    }
    for (size_t i = 0; i < plane; i++)
      out[s][i] = A[i * line + (s ? rows : 1)];
    MPI_Isend(out[s], (int)plane, MPI_DOUBLE, to[s], s, MPI_COMM_WORLD, &r[2 + s]);
  }
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  for (int s = 0; s < 2; s++)
    for (size_t i = 0; to[s] != MPI_PROC_NULL && i < plane; i++)
      A[i * line + (s ? rows + 1 : 0)] = in[s][i];
}
#else
enum { X = 1, Y = 1000, N = 64 };

static void exchange(double *A, double *buffer) {
  (void)buffer;
  packed_edges(A, Y);
}
#endif

int main(void) {
  packed_begin(N);
#if defined PLANE && defined WHOLE
  line = N;
#else
  line = rows + 2;
#endif
  double *A = calloc((size_t)X * Y * line, sizeof *A), *buffer = malloc(4 * X * Y * sizeof *buffer), sum = 0;
  for (int i = 0; i < rows; i++)
    for (size_t k = 0; k < (size_t)X * Y; k++)
#ifdef PLANE
      A[k * line + i + 1] = (int)(first + i + k / Y + k % Y);
#else
      A[(i + 1) * (size_t)Y + k] = (int)(first + i + k);
#endif
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
    for (int n = 0; n < TIMES; n++)
      exchange(A, buffer);
    bench_end();
  }
  for (int i = 0; i < rows; i++)
    for (size_t k = 0; k < (size_t)X * Y; k++)
#ifdef PLANE
      sum += A[k * line + i + 1];
#else
      sum += A[(i + 1) * (size_t)Y + k];
#endif
  packed_end(sum);
  return 0;
}
