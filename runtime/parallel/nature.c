/* Values that differ by nature: in the sequential part those of rank 0 for all. */
#include "runtime/parallel/job.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/stream.h"
#include "runtime/export.h"
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static void one(void *p, size_t n) {
  if (dvmp_job_together())
    dvmp_job_tell(p, n, dvmp_job.root);
}

#define ONE(TYPE, NAME, PARAMS, ARGS)                                                                                                      \
  DVMRT_EXPORT TYPE __dvmp_##NAME PARAMS;                                                                                                  \
  TYPE __dvmp_##NAME PARAMS {                                                                                                              \
    TYPE v = NAME ARGS;                                                                                                                    \
    one(&v, sizeof(v));                                                                                                                    \
    return v;                                                                                                                              \
  }
ONE(clock_t, clock, (void), ())
ONE(pid_t, getppid, (void), ())

static pid_t told_pid; /* what the program takes for its own */

DVMRT_EXPORT pid_t __dvmp_getpid(void);
pid_t __dvmp_getpid(void) {
  pid_t v = getpid();
  one(&v, sizeof(v));
  told_pid = v;
  return v;
}

/* A signal that the program sends itself is for each rank. */
DVMRT_EXPORT int __dvmp_kill(pid_t pid, int signal);
int __dvmp_kill(pid_t pid, int signal) { return kill(pid > 0 && pid == told_pid ? getpid() : pid, signal); }

/* Ranks that are two processes would talk twice, and none would do what one process does. */
DVMRT_EXPORT pid_t __dvmp_fork(void);
pid_t __dvmp_fork(void) {
  const char *const refused = "'fork' by many ranks is not supported: let rank 0 start a command, with 'system' or 'popen'";
  if (dvmp_job_together())
    dvmp_fail_all(1, dvmp_construct_place(), "%s", refused);
  if (dvmp_job.size > 1)
    dvmp_fail_here(1, dvmp_construct_place(), "%s", refused);
  return fork();
}

DVMRT_EXPORT time_t __dvmp_time(time_t *to);
time_t __dvmp_time(time_t *to) {
  time_t t = time(NULL);
  one(&t, sizeof(t));
  if (to)
    *to = t;
  return t;
}

DVMRT_EXPORT int __dvmp_gettimeofday(struct timeval *t, void *zone);
int __dvmp_gettimeofday(struct timeval *t, void *zone) {
  int result = gettimeofday(t, zone);
  one(t, sizeof(*t));
  return result;
}

DVMRT_EXPORT int __dvmp_clock_gettime(clockid_t id, struct timespec *t);
int __dvmp_clock_gettime(clockid_t id, struct timespec *t) {
  int result = clock_gettime(id, t);
  one(t, sizeof(*t));
  return result;
}

DVMRT_EXPORT clock_t __dvmp_times(struct tms *t);
clock_t __dvmp_times(struct tms *t) {
  struct {
    struct tms t;
    clock_t c;
  } v;
  v.c = times(&v.t);
  one(&v, sizeof(v));
  *t = v.t;
  return v.c;
}

DVMRT_EXPORT int __dvmp_gethostname(char *name, size_t n);
int __dvmp_gethostname(char *name, size_t n) {
  int result = gethostname(name, n);
  one(name, n);
  return result;
}

DVMRT_EXPORT double dvmh_wtime(void);
double dvmh_wtime(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  double v = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
  one(&v, sizeof(v));
  return v;
}

DVMRT_EXPORT double dvtime_(void) __attribute__((weak)); /* programs may have one of their own */
double dvtime_(void) { return dvmh_wtime(); }

DVMRT_EXPORT void dvmh_barrier(void);
void dvmh_barrier(void) {
  if (dvmp_job_together())
    dvmp_job_barrier();
}

DVMRT_EXPORT int dvmh_get_total_num_procs(void);
int dvmh_get_total_num_procs(void) { return dvmp_group_size(dvmp_job.group); }

/* ---- ends ------------------------------------------------------------------------------------------------------------------------ */

DVMRT_EXPORT void __dvmp__exit(int status) __attribute__((noreturn));
void __dvmp__exit(int status) {
  dvmp_job_close();
  _exit(status);
}

/* ---- programs that call MPI themselves -------------------------------------------------------------------------------------------- */

DVMRT_EXPORT int MPI_Init(int *argc, char ***argv);
DVMRT_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
DVMRT_EXPORT int MPI_Finalize(void);
DVMRT_EXPORT int MPI_Finalized(int *flag);

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  if (!dvmp_job.mpi)
    return PMPI_Init_thread(argc, argv, required, provided);
  return PMPI_Query_thread(provided);
}

int MPI_Init(int *argc, char ***argv) { return dvmp_job.mpi ? MPI_SUCCESS : PMPI_Init(argc, argv); }

static bool finalized;

/* Ours is still needed: it comes at the end of the process. */
int MPI_Finalize(void) {
  finalized = true;
  return dvmp_job.mpi ? PMPI_Barrier(MPI_COMM_WORLD) : PMPI_Finalize();
}

int MPI_Finalized(int *flag) {
  int result = PMPI_Finalized(flag);
  *flag |= finalized;
  return result;
}
