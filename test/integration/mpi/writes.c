/* writes HOW: files of each rank, written in pieces, put in their place by a new name, and appended to; or what cannot be replicated. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, size;

static void exchange(int n) {
  int got;
  MPI_Sendrecv(&n, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Written and read back in turn, and looked at. */
static long count_back(const char *name, int n) {
  char line[64];
  struct stat s;
  long lines = 0;
  FILE *f = fopen(name, n ? "a" : "w");
  fprintf(f, "line %d\n", n);
  fclose(f);
  f = fopen(name, "r");
  while (fgets(line, sizeof(line), f))
    lines++;
  fclose(f);
  return stat(name, &s) || access(name, R_OK) ? -1 : lines * 1000000 + s.st_size;
}

/* Descriptors that are made of others, before and after MPI_Init, and streams that are opened again. */
static int early = -1;

static void open_early(void) {
  char name[64];
  const char *text = getenv("OMPI_COMM_WORLD_RANK");
  snprintf(name, sizeof(name), "early.%s", text ? text : "0");
  early = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

static void descriptors(void) {
  char name[64], back[64];
  snprintf(name, sizeof(name), "moved.%d", rank);
  snprintf(back, sizeof(back), "back.%d", rank);
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(fd, 77);
  close(fd);
  int out = dup(1);
  fflush(stdout);
  snprintf(name, sizeof(name), "stream.%d", rank);
  freopen(name, "w", stdout);
  for (int i = 0; i < 30; i++) {
    dprintf(77, "moved %d\n", i);
    dprintf(early, "early %d\n", i);
    printf("stream %d\n", i);
    exchange(i);
    printf("back %ld\n", count_back(back, i));
    exchange(i);
  }
  fflush(stdout);
  dup2(out, 1);
  close(out);
  close(77);
  printf("rank %d is back\n", rank);
  MPI_Finalize();
  dprintf(early, "at the end\n");
}

/* A line of a file of records, read and written again; the file begins with what is in 'name.in', if that is there. */
static long update(int fd, FILE *log, int n) {
  char line[16];
  long at = n * 7 % 12 * 10, sum = 0;
  if (pread(fd, line, 10, at) != 10)
    return -1;
  line[10] = 0;
  sum = atol(line);
  sprintf(line, "%09ld\n", sum + n);
  pwrite(fd, line, 10, at);
  fprintf(log, "%s", line);
  rewind(log);
  while (fgets(line, sizeof(line), log))
    sum += atol(line);
  fseek(log, 0, SEEK_END);
  return sum;
}

static void read_and_write(void) {
  char name[64], line[64];
  snprintf(name, sizeof(name), "records.%d", rank);
  FILE *f = fopen(name, "w+");
  for (int i = 0; i < 12; i++)
    fprintf(f, "%09d\n", i * rank);
  rewind(f);
  if (!fgets(line, sizeof(line), f))
    printf("rank %d reads nothing of what it has written\n", rank);
  fclose(f);
  int fd = open(name, O_RDWR);
  snprintf(name, sizeof(name), "log.%d", rank);
  FILE *log = fopen(name, "a+");
  for (int i = 0; i < 30; i++) {
    printf("rank %d sum %ld\n", rank, update(fd, log, i));
    exchange(i);
    if (i == 15) {
      fclose(log);
      log = fopen(name, "r+");
      fseek(log, 0, SEEK_END);
    }
  }
  lseek(fd, 0, SEEK_SET);
  for (ssize_t n; (n = read(fd, line, sizeof(line))) > 0;)
    fwrite(line, 1, (size_t)n, stdout);
  close(fd);
  fclose(log);
}

static void share_file(void) {
  fopen("shared", "a+");
  exchange(0);
}

/* One has it open for writing when the other wants to read, too. */
static void mix(void) {
  if (rank == 0)
    open("mixed", O_WRONLY | O_CREAT, 0666);
  exchange(0);
  if (rank == 1)
    open("mixed", O_RDWR);
  exchange(1);
}

/* The same under another name: a second one of the file, or a new one. */
static void another_name(const char *how) {
  if (rank == 0) {
    close(open("first", O_WRONLY | O_CREAT, 0666));
    if (strcmp(how, "linked") ? rename("first", "second") : link("first", "second"))
      printf("no second name\n");
  }
  exchange(0);
  if (rank == 1)
    open("second", O_RDWR);
  exchange(1);
}

/* A file that takes the place of a removed one is another file. */
static void reuse(void) {
  for (int i = 0; i < size; i++) {
    if (rank == i) {
      int fd = open("reused", O_RDWR | O_CREAT, 0666);
      dprintf(fd, "rank %d\n", rank);
      close(fd);
      unlink("reused");
    }
    exchange(i);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* What is flushed can be read by others, before the file is closed. */
static void flushed(void) {
  char line[64] = "";
  FILE *f = rank ? NULL : fopen("log", "w");
  for (int i = 0; i < 5; i++) {
    if (f)
      fprintf(f, "line %d\n", i);
    if (f)
      fflush(f);
    MPI_Barrier(MPI_COMM_WORLD);
    FILE *g = rank ? fopen("log", "r") : NULL;
    for (int k = 0; g && k <= i; k++)
      fgets(line, sizeof(line), g);
    if (g)
      fclose(g);
    if (rank)
      printf("rank %d sees %s", rank, line);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void map_file(void) {
  int fd = open("mapped", O_RDWR | O_CREAT, 0666);
  ftruncate(fd, 4096);
  memset(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), 1, 4096);
}

static void append_together(void) {
  int fd = open("together", O_WRONLY | O_CREAT | O_APPEND, 0666);
  for (int i = 0; i < 30; i++) {
    dprintf(fd, "rank %d line %d\n", rank, i);
    exchange(i);
  }
  close(fd);
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
  if (!strcmp(argv[1], "descriptors"))
    open_early();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(argv[1], "files"))
    files();
  else if (!strcmp(argv[1], "descriptors"))
    descriptors();
  else if (!strcmp(argv[1], "together"))
    append_together();
  else if (!strcmp(argv[1], "both"))
    read_and_write();
  else if (!strcmp(argv[1], "share"))
    share_file();
  else if (!strcmp(argv[1], "mix"))
    mix();
  else if (!strcmp(argv[1], "linked") || !strcmp(argv[1], "renamed"))
    another_name(argv[1]);
  else if (!strcmp(argv[1], "flushed"))
    flushed();
  else if (!strcmp(argv[1], "reused"))
    reuse();
  else if (!strcmp(argv[1], "map"))
    map_file();
  else if (!strcmp(argv[1], "socket"))
    socket(AF_INET, SOCK_STREAM, 0);
  else if (!strcmp(argv[1], "vfork"))
    _exit(vfork() < 0);
  else if (!strcmp(argv[1], "msgsnd"))
    return msgsnd(0, argv, 1, 0);
  else if (!strcmp(argv[1], "system"))
    return system("true");
  else if (fork() == 0)
    _exit(0);
  int over;
  MPI_Finalized(&over);
  if (!over)
    MPI_Finalize();
  return 0;
}
