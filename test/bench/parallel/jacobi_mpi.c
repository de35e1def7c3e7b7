/* The same with MPI by hand, each rank's rows packed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifndef N
#define N 2000
#endif
#define STEPS 20

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  int rank, size;
  double spent = 0, from;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int first = (int)((long)N * rank / size), last = (int)((long)N * (rank + 1) / size), rows = last - first;
  double(*A)[N] = malloc((rows + 2) * sizeof *A), (*B)[N] = malloc((rows + 2) * sizeof *B); /* row 0 and rows + 1 are edges */
  for (int i = 0; i < rows + 2; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = 0;
      B[i][j] = first + i - 1 == 0 ? 100 : 0;
    }
  int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  int low = first == 0 ? 2 : 1, high = last == N ? rows - 1 : rows;
  for (int step = 0; step < STEPS; step++) {
    from = now();
    for (int i = 1; i <= rows; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = B[i][j];
    spent += now() - from;
    MPI_Sendrecv(A[1], N, MPI_DOUBLE, up, 0, A[rows + 1], N, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(A[rows], N, MPI_DOUBLE, down, 1, A[0], N, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    from = now();
    for (int i = low; i <= high; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
    spent += now() - from;
  }
  if (!rank)
    printf("%.6f\n", spent);
  MPI_Finalize();
  return 0;
}
