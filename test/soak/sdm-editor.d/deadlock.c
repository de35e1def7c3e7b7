/* A ring in which each waits for its left neighbour first. */
#include <mpi.h>
#include <stdio.h>

static int pass(int rank, int size, int value) {
  int from_left;
  MPI_Recv(&from_left, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
  return from_left;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("%d\n", pass(rank, size, rank * rank));
  MPI_Finalize();
  return 0;
}
