/* differ HOW: a program whose replicas are not alike, each having a process number of its own. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int own_number(void) { return (int)syscall(SYS_getpid); } /* which libc is not asked for */

int main(int argc, char **argv) {
  int rank, x[10] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && !strcmp(argv[1], "data"))
    x[5] = own_number();
  if (rank == 1) {
    MPI_Send(x, 10, MPI_INT, 0, 3, MPI_COMM_WORLD);
    MPI_Send(x, 10, MPI_INT, 0, !strcmp(argv[1], "tag") ? own_number() : 4, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    MPI_Recv(x, 10, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(x, 10, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (!strcmp(argv[1], "output"))
    printf("process %d\n", own_number());
  MPI_Finalize();
  return 0;
}
