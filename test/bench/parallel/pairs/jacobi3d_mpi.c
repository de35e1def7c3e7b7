#include "packed.h"
#define N 200
#define STEPS 10

int main(void) {
  packed_begin(N);
  double(*A)[N][N] = malloc((rows + 2) * sizeof *A), (*B)[N][N] = malloc((rows + 2) * sizeof *B), sum = 0;
  for (int i = 0; i < rows + 2; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) {
        A[i][j][k] = 0;
        B[i][j][k] = first + i - 1 == 0 ? 100 : 0;
      }
  int low = first == 0 ? 2 : 1, high = last == N ? rows - 1 : rows;
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
    for (int i = 1; i <= rows; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
          A[i][j][k] = B[i][j][k];
    packed_edges(A[0][0], (size_t)N * N);
    for (int i = low; i <= high; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = (A[i - 1][j][k] + A[i + 1][j][k] + A[i][j - 1][k] + A[i][j + 1][k] + A[i][j][k - 1] + A[i][j][k + 1]) / 6;
    bench_end();
  }
  for (int i = 1; i <= rows; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        sum += B[i][j][k];
  packed_end(sum);
  return 0;
}
