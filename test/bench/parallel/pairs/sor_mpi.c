#include "packed.h"
#define N 2000
#define STEPS 10
#define STAGES 8

int main(void) {
  packed_begin(N);
  double(*A)[N] = malloc((rows + 2) * sizeof *A), sum = 0, w = 1.5;
  int stages = size > 1 ? STAGES : 1;
  for (int i = 0; i < rows + 2; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = 1 + (first + i - 1 + j) % 10;
  int low = first == 0 ? 2 : 1, high = last == N ? rows - 1 : rows;
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
    MPI_Sendrecv(A[1], N, MPI_DOUBLE, up, 0, A[rows + 1], N, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int s = 0; s < stages; s++) {
      int from = 1 + (N - 2) * s / stages, to = 1 + (N - 2) * (s + 1) / stages;
      MPI_Recv(&A[0][from], to - from, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = low; i <= high; i++)
        for (int j = from; j < to; j++)
          A[i][j] = w * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4 + (1 - w) * A[i][j];
      MPI_Send(&A[rows][from], to - from, MPI_DOUBLE, down, 1, MPI_COMM_WORLD);
    }
    bench_end();
  }
  for (int i = 1; i <= rows; i++)
    for (int j = 0; j < N; j++)
      sum += A[i][j];
  packed_end(sum);
  return 0;
}
