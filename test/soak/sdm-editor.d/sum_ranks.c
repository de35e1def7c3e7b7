/* Every rank adds its block of 1/1 + 1/2 + ... + 1/N; the sum is right only if the blocks are.  One of them is too long. */
#include <mpi.h>
#include <stdio.h>

#define N 1000

static double sum_block(int first, int last) {
  double sum = 0;
  for (int i = first; i < last; i++)
    sum += 1.0 / (i + 1);
  return sum;
}

int main(int argc, char **argv) {
  int rank, size;
  double total = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int first = rank * (N / size), last = rank + 1 < size ? first + N / size : N + 100;
  double mine = sum_block(first, last);
  MPI_Reduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("the sum is %.6f\n", total);
  MPI_Finalize();
  return 0;
}
