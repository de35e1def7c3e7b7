#include "packed.h"
#define N 2000
#define STEPS 8

static double *out, *in;
static int *sent, *sent_at, *got, *got_at;

/* Blocks of rows become blocks of columns, packed by rank. */
static void to_columns(double (*rows_of)[N], double *columns_of) {
  for (int q = 0; q < size; q++) {
    int from = part_begin(N, q), n = part_begin(N, q + 1) - from;
    sent[q] = n * rows, sent_at[q] = from * rows;
    got[q] = n * rows, got_at[q] = from * rows;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < n; j++)
        out[sent_at[q] + i * n + j] = rows_of[i][from + j];
  }
  MPI_Alltoallv(out, sent, sent_at, MPI_DOUBLE, columns_of, got, got_at, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* And back: what comes from a rank are its rows of our columns. */
static void to_rows(double *columns_of, double (*rows_of)[N]) {
  MPI_Alltoallv(columns_of, got, got_at, MPI_DOUBLE, in, sent, sent_at, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int q = 0; q < size; q++) {
    int from = part_begin(N, q), n = part_begin(N, q + 1) - from;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < n; j++)
        rows_of[i][from + j] = in[sent_at[q] + i * n + j];
  }
}

int main(void) {
  packed_begin(N);
  double(*U)[N] = malloc(rows * sizeof *U), *V = malloc((size_t)rows * N * sizeof *V), sum = 0;
  out = malloc((size_t)rows * N * sizeof *out), in = malloc((size_t)rows * N * sizeof *in);
  sent = malloc(size * sizeof(int)), sent_at = malloc(size * sizeof(int)), got = malloc(size * sizeof(int)),
  got_at = malloc(size * sizeof(int));
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < N; j++)
      U[i][j] = 1 + (first + i + j) % 10;
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
    for (int i = 0; i < rows; i++)
      for (int j = 1; j < N; j++)
        U[i][j] += 0.25 * U[i][j - 1];
    if (size > 1)
      to_columns(U, V);
    double(*all)[rows] = (void *)(size > 1 ? V : U[0]); /* [N][rows]: rows of the ranks follow each other */
    for (int i = 1; i < N; i++)
      for (int j = 0; j < rows; j++)
        all[i][j] += 0.25 * all[i - 1][j];
    if (size > 1)
      to_rows(V, U);
    bench_end();
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < N; j++)
      sum += U[i][j];
  packed_end(sum);
  return 0;
}
