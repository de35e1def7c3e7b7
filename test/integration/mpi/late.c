/* Rank 0 sends rank 1 messages when it can remove the file A, and waits; rank 1 receives them when it can remove the file B: late A B. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MESSAGES = 20 };

int main(int argc, char **argv) {
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank < 2) {
    printf("rank %d is there\n", rank);
    fflush(stdout);
    while (unlink(argv[1 + rank]))
      usleep(10000);
  }
  for (int i = 0; i < MESSAGES && rank == 0; i++) {
    MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    sum += i;
  }
  for (int i = 0, n; i < MESSAGES && rank == 1; i++) {
    MPI_Recv(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += n;
  }
  for (int i = 0; i < 100; i++) {
    usleep(10000);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    sum++;
  }
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
