/* All that a program can see of the order in which things happen, and a result that depends on it: the ranks agree at the end on what each has seen.
   replicas ROUNDS [WIDTH [PAUSE_US]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 50000 };
static int rank, size;
static unsigned long seen = 1469598103934665603ul;

static void see(const void *what, size_t n) {
  for (const unsigned char *p = what; n--; p++)
    seen = (seen ^ *p) * 1099511628211ul;
}

static void see_int(int n) { see(&n, sizeof(n)); }

static void wildcards(int round) {
  int n = round * size + rank, got;
  MPI_Request q;
  for (int i = 0; i < size; i++) {
    MPI_Isend(&n, 1, MPI_INT, i, 1, MPI_COMM_WORLD, &q);
    MPI_Request_free(&q);
  }
  for (int i = 0; i < size; i++) {
    MPI_Status s;
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &s);
    see_int(got);
    see_int(s.MPI_SOURCE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void long_ones(void) {
  char *to = malloc(LONG), *from = malloc(LONG);
  MPI_Request q[2];
  int done = 0, flag = 0, loops = 0;
  memset(to, rank + 1, LONG);
  MPI_Irecv(from, LONG, MPI_CHAR, (rank + size - 1) % size, 2, MPI_COMM_WORLD, &q[0]);
  MPI_Isend(to, LONG, MPI_CHAR, (rank + 1) % size, 2, MPI_COMM_WORLD, &q[1]);
  for (int n, which[2]; done < 2; done += n, loops++) {
    MPI_Testsome(2, q, &n, which, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
      see_int(which[i]);
  }
  see_int(loops);
  see(from, LONG);
  MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  see_int(flag);
  free(to);
  free(from);
}

static void any(int round) {
  int n[2] = {0, 0}, mine = round, which;
  MPI_Request q[3];
  MPI_Irecv(&n[0], 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(&n[1], 1, MPI_INT, (rank + size - 1) % size, 4, MPI_COMM_WORLD, &q[1]);
  MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD, &q[2]);
  MPI_Send(&mine, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD);
  for (int i = 0; i < 3; i++) {
    MPI_Waitany(3, q, &which, MPI_STATUS_IGNORE);
    see_int(which);
  }
}

static void many(int round) {
  enum { N = 40 };
  static char out[N][3000], in[N][3000];
  MPI_Request q[2 * N];
  for (int i = 0; i < N; i++) {
    memset(out[i], round + i, sizeof(out[i]));
    MPI_Isend(out[i], sizeof(out[i]), MPI_CHAR, (rank + 1) % size, 5, MPI_COMM_WORLD, &q[i]);
  }
  for (int i = 0; i < N; i++)
    MPI_Irecv(in[i], sizeof(in[i]), MPI_CHAR, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &q[N + i]);
  for (int flag = 0, loops = 0; !flag; loops++) {
    MPI_Testall(2 * N, q, &flag, MPI_STATUSES_IGNORE);
    if (flag)
      see_int(loops);
  }
  see(in, sizeof(in));
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 3, width = argc > 2 ? atoi(argv[2]) : 1, pause_us = argc > 3 ? atoi(argv[3]) : 0;
  const char *gate = argc > 4 ? argv[4] : "/"; /* as long as that is there it pauses */
  char name[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  setvbuf(stdout, NULL, _IOLBF, 0); /* who reads it sees how far this is */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("rank %d of %d begins\n", rank, size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Get_processor_name(name, &length);
  for (int round = 0; round < rounds; round++) {
    double now = MPI_Wtime();
    unsigned long sum = 0;
    see(&now, sizeof(now));
    for (int i = 0; i < width; i++)
      wildcards(round);
    long_ones();
    any(round);
    many(round);
    MPI_Allreduce(&seen, &sum, 1, MPI_UNSIGNED_LONG, MPI_BXOR, half);
    see(&sum, sizeof(sum));
    printf("rank %d round %d done\n", rank, round);
    if (!access(gate, F_OK))
      usleep((useconds_t)pause_us);
  }
  unsigned long all[64];
  MPI_Gather(&seen, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  unsigned long check = seen;
  MPI_Bcast(all, size, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  if (all[rank] != check)
    printf("rank %d WRONG: it has seen something else than it told\n", rank);
  MPI_Comm_free(&half);
  MPI_Finalize();
  printf("rank %d ends\n", rank);
  return 0;
}
