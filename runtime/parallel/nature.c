/* Values that differ by nature: in the sequential part those of rank 0 for all. */
#include "runtime/parallel/job.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/stream.h"
#include "runtime/export.h"
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Other threads of the program have their own. */
static bool is_one(void) { return dvmp_job_together() && !dvmp_job_beside(); }

static void one(void *p, size_t n) {
  if (is_one())
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
ONE(pid_t, gettid, (void), ())
ONE(long, gethostid, (void), ())
ONE(uint32_t, arc4random, (void), ())
ONE(uint32_t, arc4random_uniform, (uint32_t n), (n))

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
  const pid_t child = fork();
  if (!child)
    dvmp_job.over = true; /* it has no part in the job; the clone that a layer of messages makes of a rank has one */
  return child;
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

/* What fills a struct, or memory of a size. */
#define FILLED(TYPE, NAME, PARAMS, ARGS, P, SIZE)                                                                                          \
  DVMRT_EXPORT TYPE __dvmp_##NAME PARAMS;                                                                                                  \
  TYPE __dvmp_##NAME PARAMS {                                                                                                              \
    TYPE result = NAME ARGS;                                                                                                               \
    one(&result, sizeof(result));                                                                                                          \
    one(P, SIZE);                                                                                                                          \
    return result;                                                                                                                         \
  }
FILLED(int, getrusage, (int who, struct rusage *u), (who, u), u, sizeof(*u))
FILLED(int, timespec_get, (struct timespec * t, int base), (t, base), t, sizeof(*t))
FILLED(int, sysinfo, (struct sysinfo * s), (s), s, sizeof(*s))
FILLED(int, uname, (struct utsname * u), (u), u, sizeof(*u))
FILLED(int, getloadavg, (double *load, int n), (load, n), load, (size_t)n * sizeof(*load))
FILLED(int, getentropy, (void *p, size_t n), (p, n), p, n)
FILLED(ssize_t, getrandom, (void *p, size_t n, unsigned flags), (p, n, flags), p, n)

DVMRT_EXPORT void __dvmp_arc4random_buf(void *p, size_t n);
void __dvmp_arc4random_buf(void *p, size_t n) {
  arc4random_buf(p, n);
  one(p, n);
}

/* A name that no file has; the library's own function has the linker warn of it. */
DVMRT_EXPORT char *__dvmp_tmpnam(char *name);
char *__dvmp_tmpnam(char *name) {
  static char kept[L_tmpnam];
  char *to = name ? name : kept;
  do
    snprintf(to, L_tmpnam, P_tmpdir "/file%06x", arc4random() & 0xffffff);
  while (access(to, F_OK) == 0);
  one(to, L_tmpnam);
  return to;
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
