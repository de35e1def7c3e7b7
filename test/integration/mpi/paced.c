/* Rounds of messages, each of which every rank tells of: paced ROUNDS GATE MILLISECONDS [CRASH].  It goes on behind half of the rounds when it can remove the file GATE.
   In the round CRASH rank 1 aborts, each time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, size, rounds = atoi(argv[1]), pause = atoi(argv[3]) * 1000, crash = argc > 4 ? atoi(argv[4]) : -1;
  double x = 0, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 0; k < rounds; k++) {
    double y;
    int go = 1;
    MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 0, &y, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    x = y * 1.0000001 + rank + k;
    printf("rank %d round %d: %.17g\n", rank, k, x);
    fflush(stdout);
    if (k % 7 == rank)
      fprintf(stderr, "told: rank %d round %d\n", rank, k);
    usleep((useconds_t)pause);
    while (k == rounds / 2) { /* what a main removes is removed for its shadow, too */
      if (!rank && unlink(argv[2]))
        go = 0;
      MPI_Allreduce(MPI_IN_PLACE, &go, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD); /* each waits: there a fresh shadow is made */
      if (go)
        break;
      usleep(1000);
      go = 1;
    }
    if (k == crash && rank == 1)
      abort();
  }
  MPI_Reduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!rank)
    printf("sum %.17g\n", sum);
  MPI_Finalize();
  return 0;
}
