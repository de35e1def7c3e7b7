/* Rank 1 only sends, and stands at two gates until there is a file of that name. */
#include <mpi.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MESSAGES = 100, GATES = 2 };

static void wait_at(int gate) {
  struct stat s;
  char name[16];
  snprintf(name, sizeof(name), "gate%d", gate);
  while (stat(name, &s))
    usleep(1000);
}

static void send_all(void) {
  for (int i = 0; i < MESSAGES * (GATES + 1); i++) {
    if (i && i % MESSAGES == 0)
      wait_at(i / MESSAGES);
    MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
}

static void receive_all(void) {
  int right = 0;
  for (int i = 0, got; i < MESSAGES * (GATES + 1); i++) {
    MPI_Recv(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    right += got == i;
  }
  printf("%d messages are right\n", right);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank) {
    prctl(PR_SET_NAME, argv[1]);
    send_all();
  } else {
    receive_all();
  }
  MPI_Finalize();
  return 0;
}
