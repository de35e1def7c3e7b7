/* An MPI program that stays in a receive that nobody sends to, on every rank but 'argv[1]', which never gets there.  "abort N":
 * rank N gives up, "wrong N": it makes a mistake that MPI ends the program for, "leave N": it ends, "kill N": it is killed. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int gate = 1;

static void compute(void) {
  while (gate)
    usleep(1000);
}

static void exchange(int rank, int size) {
  int token = rank;
  MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 2 && !strcmp(argv[1], "abort") && atoi(argv[2]) == rank)
    MPI_Abort(MPI_COMM_WORLD, 4);
  if (argc > 2 && !strcmp(argv[1], "wrong") && atoi(argv[2]) == rank)
    MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  if (argc > 2 && !strcmp(argv[1], "leave") && atoi(argv[2]) == rank)
    exit(3);
  if (argc > 2 && !strcmp(argv[1], "kill") && atoi(argv[2]) == rank)
    raise(SIGKILL);
  if (argc == 2 && atoi(argv[1]) == rank)
    compute();
  exchange(rank, size);
  MPI_Finalize();
  return 0;
}
