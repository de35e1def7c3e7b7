#include "packed.h"
#define N 800
#define STEPS 3

int main(void) {
  packed_begin(N);
  double(*A)[N] = malloc(rows * sizeof *A), (*mine)[N] = malloc(rows * sizeof *mine), (*C)[N] = malloc(rows * sizeof *C);
  double(*B)[N] = malloc(N * sizeof *B), sum = 0;
  int *counts = malloc(size * sizeof *counts), *places = malloc(size * sizeof *places);
  for (int q = 0; q < size; q++) {
    places[q] = part_begin(N, q) * N;
    counts[q] = part_begin(N, q + 1) * N - places[q];
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = ((first + i) * 7 + j) % 17;
      mine[i][j] = (first + i + j * 3) % 13;
    }
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
    MPI_Allgatherv(mine, rows * N, MPI_DOUBLE, B, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < N; j++)
        C[i][j] = 0;
      for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
          C[i][j] += A[i][k] * B[k][j];
    }
    bench_end();
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < N; j++)
      sum += C[i][j];
  packed_end(sum);
  return 0;
}
