/* writes HOW: files of each rank, written in pieces, put in their place by a new name, and appended to; or what cannot be replicated. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, size;

static void exchange(int n) {
  int got;
  MPI_Sendrecv(&n, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void files(void) {
  char name[64], done[64], line[64];
  snprintf(name, sizeof(name), "part.%d", rank);
  snprintf(done, sizeof(done), "folder/done.%d", rank);
  if (rank == 0)
    mkdir("folder", 0777);
  MPI_Barrier(MPI_COMM_WORLD);
  FILE *f = fopen(name, "w");
  for (int i = 0; i < 30; i++) {
    fprintf(f, "rank %d line %d %0*d\n", rank, i, 200, i);
    if (i % 7 == 0)
      fflush(f);
    exchange(i);
  }
  fclose(f);
  if (rename(name, done))
    printf("rank %d cannot rename\n", rank);
  f = fopen(done, "a");
  fputs("appended\n", f);
  exchange(1);
  fputs("at the end\n", f);
  fclose(f);
  int fd = open("last", O_WRONLY | O_CREAT, 0666);
  f = fopen(done, "r");
  while (fgets(line, sizeof(line), f))
    ;
  fclose(f);
  MPI_Finalize();
  pwrite(fd, line, strlen(line), (off_t)(rank * (int)strlen(line)));
  close(fd);
  printf("rank %d read %s", rank, line);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(argv[1], "files"))
    files();
  else if (!strcmp(argv[1], "update"))
    fopen("both", "w+");
  else if (!strcmp(argv[1], "socket"))
    socket(AF_INET, SOCK_STREAM, 0);
  else if (!strcmp(argv[1], "system"))
    return system("true");
  else if (fork() == 0)
    _exit(0);
  if (strcmp(argv[1], "files"))
    MPI_Finalize();
  return 0;
}
