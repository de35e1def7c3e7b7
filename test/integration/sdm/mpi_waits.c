/* Four ranks that wait for each other: a receive, requests, a synchronous send, a barrier that not all come to.  "outside": rank 1
 * computes instead.  "polls": all but rank 2, which computes, ask in a loop for one message that has come and one of rank 2. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int gate = 1;

static void compute(void) {
  while (gate)
    usleep(1000);
}

static void complete(int *x, int *y, MPI_Comm half) {
  MPI_Request q[2];
  MPI_Irecv(x, 1, MPI_INT, 2, 6, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
}

static void poll(int rank) {
  int x, y, done = 0;
  MPI_Request q[2];
  MPI_Irecv(&x, 1, MPI_INT, (rank + 3) % 4, 77, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(&y, 1, MPI_INT, 2, 8, MPI_COMM_WORLD, &q[1]);
  while (!done)
    MPI_Testall(2, q, &done, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  int rank, x = 0, y = 0;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_set_name(half, "half");
  MPI_Send(&x, 1, MPI_INT, (rank + 1) % 4, 77, MPI_COMM_WORLD);
  puts("ready");
  fflush(stdout);
  if (argc > 1 && !strcmp(argv[1], "polls"))
    rank == 2 ? compute() : poll(rank);
  else if (rank == 0)
    MPI_Recv(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (rank == 1 && argc > 1 && !strcmp(argv[1], "outside"))
    compute();
  else if (rank == 1)
    complete(&x, &y, half);
  else if (rank == 2)
    MPI_Ssend(&x, 1, MPI_INT, 0, 9, half);
  else
    MPI_Barrier(half);
  MPI_Finalize();
  return 0;
}
