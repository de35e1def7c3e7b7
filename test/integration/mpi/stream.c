/* stream COUNT: rank 0 sends so many messages to rank 1, and prints a line after each hundred. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 4000 };

int main(int argc, char **argv) {
  static unsigned char data[BYTES];
  int rank;
  unsigned long sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i <= atoi(argv[1]); i++) {
    data[i % BYTES] = (unsigned char)i;
    if (!rank)
      MPI_Send(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(data, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < BYTES; k++)
      sum = sum * 31 + data[k];
    if (!rank && i % 100 == 0) {
      printf("%d are sent\n", i);
      fflush(stdout);
    }
  }
  printf("rank %d: sum %lx\n", rank, sum);
  MPI_Finalize();
  return 0;
}
