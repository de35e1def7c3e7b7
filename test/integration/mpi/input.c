/* input: rank 0 reads numbers from standard input, line by line, and gives each to all; every tenth line is answered at once, as a dialogue has it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank, size, more = 1;
  long number = 0, lines = 0;
  double sum = 0, all;
  char line[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  while (more) {
    if (!rank && (more = fgets(line, sizeof(line), stdin) != NULL))
      number = atol(line);
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (more)
      sum += (double)number * (rank + 1);
    if (more && ++lines % 10 == 0 && !rank)
      printf("%ld\n", number);
  }
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!rank)
    printf("%ld lines, %.0f\n", lines, all);
  MPI_Finalize();
  return 0;
}
