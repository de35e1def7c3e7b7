/* Linked with every program here.  A step is taken from bench_begin to bench_end: the processor time of the thread outside of MPI, and
 * without what it spends waiting; all of it; and the time on the wall.  Each step begins on all ranks together.  At the end each rank adds
 * a line to the file that BENCH_STEPS names: "rank peak-KiB compute:all:wall ..".
 *
 * The run-time library calls PMPI_*, other programs MPI_*: both come through here.  A wait that tests again and again begins with the first
 * test that fails and ends with the one that does not, with everything in between. */
#define _GNU_SOURCE
#include "bench.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS_MAX = 1000 };
static struct {
  double compute_s, all_s, wall_s;
} step[STEPS_MAX];
static int nsteps, depth;
static double inside, inside_from, begun, begun_inside, begun_wall;
static int waiting;

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }

static void enter(void) {
  if (!depth++ && !waiting)
    inside_from = now();
}

static void leave(int waits) {
  if (--depth)
    return;
  waiting = waits;
  if (!waiting)
    inside += now() - inside_from;
}

static const char *number(const char *launcher) { return getenv(launcher) ? getenv(launcher) : "0"; }

static long peak_kib(void) {
  static const char key[] = "VmHWM:";
  char line[256];
  long kib = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof(line), f))
    if (!strncmp(line, key, strlen(key)))
      kib = strtol(line + strlen(key), NULL, 10);
  if (f)
    fclose(f);
  return kib;
}

__attribute__((destructor)) static void write_steps(void) {
  const char *path = getenv("BENCH_STEPS");
  char line[65536];
  if (!path || !nsteps)
    return;
  int n = snprintf(line, sizeof(line), "%s %ld", number("OMPI_COMM_WORLD_RANK"), peak_kib());
  for (int i = 0; i < nsteps; i++)
    n += snprintf(line + n, sizeof(line) - (size_t)n, " %.7f:%.7f:%.7f", step[i].compute_s, step[i].all_s, step[i].wall_s);
  FILE *f = fopen(path, "a");
  if (f) {
    fprintf(f, "%s\n", line);
    fclose(f);
  }
}

#ifdef PLAIN
static void together(void) {}
#else
#include <mpi.h>

static void together(void) {
  if (atoi(number("OMPI_COMM_WORLD_SIZE")) > 1)
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Both names of a function of MPI. */
#define BOTH(name, parameters, arguments, waits)                                                                                           \
  int P##name parameters {                                                                                                                 \
    static int(*next) parameters;                                                                                                          \
    if (!next)                                                                                                                             \
      *(void **)&next = dlsym(RTLD_NEXT, "P" #name);                                                                                       \
    enter();                                                                                                                               \
    int result = next arguments;                                                                                                           \
    leave(waits);                                                                                                                          \
    return result;                                                                                                                         \
  }                                                                                                                                        \
  int name parameters { return P##name arguments; }

BOTH(MPI_Testall, (int n, MPI_Request r[], int *done, MPI_Status s[]), (n, r, done, s), !*done)
BOTH(MPI_Isend, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r), (b, n, t, to, tag, c, r), 0)
BOTH(MPI_Irecv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r), (b, n, t, from, tag, c, r), 0)
BOTH(MPI_Iallreduce, (const void *b, void *to, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *r), (b, to, n, t, o, c, r), 0)
BOTH(MPI_Send, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c), (b, n, t, to, tag, c), 0)
BOTH(MPI_Recv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *s), (b, n, t, from, tag, c, s), 0)
BOTH(MPI_Sendrecv,
     (const void *b, int n, MPI_Datatype t, int to, int tag, void *in, int in_n, MPI_Datatype in_t, int from, int in_tag, MPI_Comm c,
      MPI_Status *s),
     (b, n, t, to, tag, in, in_n, in_t, from, in_tag, c, s), 0)
BOTH(MPI_Allreduce, (const void *b, void *to, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, to, n, t, o, c), 0)
BOTH(MPI_Barrier, (MPI_Comm c), (c), 0)
BOTH(MPI_Allgatherv, (const void *b, int n, MPI_Datatype t, void *to, const int counts[], const int at[], MPI_Datatype u, MPI_Comm c),
     (b, n, t, to, counts, at, u, c), 0)
BOTH(MPI_Alltoallv,
     (const void *b, const int counts[], const int at[], MPI_Datatype t, void *to, const int to_counts[], const int to_at[], MPI_Datatype u,
      MPI_Comm c),
     (b, counts, at, t, to, to_counts, to_at, u, c), 0)
#endif

void bench_begin(void) {
  together();
  begun_inside = inside;
  begun_wall = seconds(CLOCK_MONOTONIC);
  begun = now();
}

void bench_end(void) {
  double all_s = now() - begun;
  if (nsteps < STEPS_MAX) {
    step[nsteps].wall_s = seconds(CLOCK_MONOTONIC) - begun_wall;
    step[nsteps].all_s = all_s;
    step[nsteps++].compute_s = all_s - (inside - begun_inside);
  }
}
