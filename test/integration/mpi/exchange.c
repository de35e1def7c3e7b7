/* exchange STEPS [ask STEP | clock | early | late]: ranks in a ring, each step with messages that are received from any source in the reverse order of
   their tags, long ones, non-blocking collectives and reductions; the sum does not depend on when it was saved.  In between there are always messages
   that nobody has received yet.
   ask: rank 0 asks for a checkpoint at that step, from inside.  clock: MPI_Wtime and names are looked at.  early: rank 1 comes late to MPI_Init.
   late: rank 1 ends long before the others do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 16, SHORT = 500, LONG = 60000 };
extern int dvmcr_request(const void *options) __attribute__((weak));
extern int dvmcr_wait(int ticket, char *path, size_t size, int timeout_ms) __attribute__((weak));

static int rank, size;
static char out[MESSAGES][SHORT], long_out[LONG], long_in[LONG];

static double short_messages(long step) {
  double sum = 0;
  MPI_Request q[MESSAGES];
  for (int i = 0; i < MESSAGES; i++) {
    snprintf(out[i], SHORT, "%ld", step * MESSAGES + i + rank);
    MPI_Isend(out[i], SHORT, MPI_CHAR, (rank + 1) % size, i, MPI_COMM_WORLD, &q[i]);
  }
  for (int i = MESSAGES - 1; i >= 0; i--) {
    char in[SHORT];
    MPI_Status s;
    MPI_Recv(in, SHORT, MPI_CHAR, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &s);
    sum += atof(in) * (i + 1) / (s.MPI_SOURCE + 1);
  }
  MPI_Waitall(MESSAGES, q, MPI_STATUSES_IGNORE);
  return sum;
}

static double long_messages(long step) {
  double sum = 0;
  MPI_Request q[2];
  long_out[step % LONG] += 3;
  MPI_Irecv(long_in, LONG, MPI_CHAR, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &q[0]);
  MPI_Isend(long_out, LONG, MPI_CHAR, (rank + 1) % size, 99, MPI_COMM_WORLD, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  for (int i = 0; i < LONG; i++)
    sum += long_in[i];
  return sum;
}

static double together(double sum) {
  double all;
  MPI_Request q;
  MPI_Iallreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  return all * 1e-9;
}

static void ask(void) {
  char path[4096] = "no library";
  int rc = dvmcr_request ? dvmcr_wait(dvmcr_request(NULL), path, sizeof(path), 60000) : -1;
  fprintf(stderr, "asked: %d %s\n", rc, path);
}

/* Time goes on where it stood. */
static void look_at_clock(void) {
  static double before;
  double now = MPI_Wtime();
  if (before && (now < before || now > before + 5))
    printf("MPI_Wtime has jumped from %.1f to %.1f\n", before, now);
  before = now;
}

int main(int argc, char **argv) {
  long steps = argc > 1 ? atol(argv[1]) : 1000, asked = argc > 3 && !strcmp(argv[2], "ask") ? atol(argv[3]) : -1;
  const char *mode = argc > 2 ? argv[2] : "", *pace = getenv("PACE"), *gate = getenv("GATE"); /* microseconds a step; a file without which it does not end */
  double sum = 0, all;
  if (!strcmp(mode, "early") && getenv("OMPI_COMM_WORLD_RANK") && atoi(getenv("OMPI_COMM_WORLD_RANK")) == 1) {
    fprintf(stderr, "rank 1 waits\n");
    FILE *f = fopen("late", "r");
    if (f)
      fclose(f);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (long step = 0; step < steps; step++) {
    sum += short_messages(step);
    if (step % 7 == 0)
      sum += long_messages(step);
    if (step % 10 == 0)
      sum += together(sum);
    if (!strcmp(mode, "clock"))
      look_at_clock();
    while (gate && rank == 0 && step == steps - 1 && access(gate, F_OK))
      usleep(1000);
    if (pace)
      usleep((useconds_t)atoi(pace));
    if (step == asked && rank == 0)
      ask();
    if (step % 50 == 0 && rank == 0) {
      printf("step %ld\n", step);
      fflush(stdout);
    }
  }
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("result %.12e\n", all);
  MPI_Finalize();
  if (!strcmp(mode, "late") && rank != 1) {
    fprintf(stderr, "rank %d is late\n", rank);
    FILE *f = fopen("late", "r");
    if (f)
      fclose(f);
    printf("late %d\n", rank);
  }
  return 0;
}
