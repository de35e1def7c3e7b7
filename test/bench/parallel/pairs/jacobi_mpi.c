#include "packed.h"
#define N 2000
#define STEPS 20

int main(void) {
  packed_begin(N);
  double(*A)[N] = malloc((rows + 2) * sizeof *A), (*B)[N] = malloc((rows + 2) * sizeof *B), sum = 0;
  for (int i = 0; i < rows + 2; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = 0;
      B[i][j] = first + i - 1 == 0 ? 100 : 0;
    }
  int low = first == 0 ? 2 : 1, high = last == N ? rows - 1 : rows;
  for (int step = 0; step < STEPS; step++) {
    bench_begin();
    for (int i = 1; i <= rows; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = B[i][j];
    packed_edges(A[0], N);
    for (int i = low; i <= high; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
    bench_end();
  }
  for (int i = 1; i <= rows; i++)
    for (int j = 0; j < N; j++)
      sum += B[i][j];
  packed_end(sum);
  return 0;
}
