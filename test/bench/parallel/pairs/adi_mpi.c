#include "packed.h"
#define N 2000
#define STEPS 8
#define STAGES 8

int main(void) {
  packed_begin(N);
  double(*U)[N] = calloc(rows + 2, sizeof *U), (*C)[N] = malloc((rows + 2) * sizeof *C), sum = 0;
  int stages = size > 1 ? STAGES : 1;
  for (int i = 1; i <= rows; i++)
    for (int j = 0; j < N; j++) {
      U[i][j] = 1 + (first + i - 1 + j) % 10;
      C[i][j] = 1.0 / (4 + (first + i - 1 + j) % 3);
    }
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
    for (int s = 0; s < stages; s++) {
      int from = N * s / stages, to = N * (s + 1) / stages;
      MPI_Recv(&U[0][from], to - from, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = rank ? 1 : 2; i <= rows; i++)
        for (int j = from; j < to; j++)
          U[i][j] += C[i][j] * U[i - 1][j];
      MPI_Send(&U[rows][from], to - from, MPI_DOUBLE, down, 0, MPI_COMM_WORLD);
    }
    for (int s = 0; s < stages; s++) {
      int from = N * s / stages, to = N * (s + 1) / stages;
      MPI_Recv(&U[rows + 1][from], to - from, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = last == N ? rows - 1 : rows; i >= 1; i--)
        for (int j = from; j < to; j++)
          U[i][j] = (U[i][j] + C[i][j] * U[i + 1][j]) / 2;
      MPI_Send(&U[1][from], to - from, MPI_DOUBLE, up, 1, MPI_COMM_WORLD);
    }
    for (int i = 1; i <= rows; i++)
      for (int j = 1; j < N; j++)
        U[i][j] += C[i][j] * U[i][j - 1];
    for (int i = 1; i <= rows; i++)
      for (int j = N - 2; j >= 0; j--)
        U[i][j] = (U[i][j] + C[i][j] * U[i][j + 1]) / 2;
    bench_end();
  }
  for (int i = 1; i <= rows; i++)
    for (int j = 0; j < N; j++)
      sum += U[i][j];
  packed_end(sum);
  return 0;
}
