/* bad HOW: a job that ends badly. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  const char *how = argv[1];
  int rank, size, x = 0;
  static double big[100000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(how, "cycle")) {
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 99, MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "unsafe")) { /* works only where messages are buffered */
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_INT, (rank - 1 + size) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "large")) {
    MPI_Send(big, 100000, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD);
    MPI_Recv(big, 100000, MPI_DOUBLE, (rank - 1 + size) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "collective")) { /* the last one does not come */
    if (rank < size - 1)
      MPI_Gather(&rank, 1, MPI_INT, big, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank > 0)
      MPI_Recv(&x, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "gone") && rank == 0) {
    MPI_Recv(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "abort") && rank == 1) {
    MPI_Abort(MPI_COMM_WORLD, 42);
  } else if (!strcmp(how, "signal") && rank == 1) {
    raise(SIGSEGV);
  } else if (!strcmp(how, "exit") && rank == 1) {
    exit(3);
  } else if (!strcmp(how, "refused")) {
    MPI_Win w;
    MPI_Win_create(big, sizeof(big), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
  } else if (!strcmp(how, "kinds")) { /* each sends what the other could take */
    if (rank == 0)
      MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
      MPI_Reduce(&rank, &x, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  } else if (!strcmp(how, "prints")) { /* and then ends in a deadlock */
    printf("rank %d has come here\n", rank);
    MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (!strcmp(how, "child")) { /* one uses MPI, the other only ends it */
    if (rank == 1) {
      for (int i = 0; i < 2; i++)
        if (fork() == 0) {
          if (i)
            MPI_Barrier(MPI_COMM_WORLD);
          MPI_Finalize();
          exit(0);
        }
      for (int i = 0, s; i < 2; i++) {
        wait(&s);
        x += WEXITSTATUS(s);
      }
      printf("%d child has failed\n", x);
    }
  } else if (!strcmp(how, "late")) {
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(how, "twice")) {
    MPI_Finalize();
  } else if (!strcmp(how, "failures")) { /* all end with an error, one after the other */
    MPI_Finalize();
    usleep(100000 * (unsigned)rank);
    printf("rank %d has failures\n", rank);
    return 7;
  } else if (!strcmp(how, "truncated")) {
    if (rank == 0)
      MPI_Send(big, 10, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    if (rank == 1)
      MPI_Recv(big, 5, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return !strcmp(how, "status") && rank == 1 ? 7 : 0;
}
