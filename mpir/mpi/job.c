/* The process as a member of its job: MPI_Init to MPI_Finalize, and what the job knows of itself. */
#include "mpir/mpi/core.h"
#include "mpir/mpi/bindings.h"
#include "mpir/mpi/collective.h"
#include "mpir/mpi/predefined.h"
#include "mpir/replica/door.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* For debuggers: where the library lies that tells them of our queues (queues.c), and what it looks at. */
extern char MPIR_dll_name[PATH_MAX];
extern const struct mpl_world *const MPIR_dvm_world;
char MPIR_dll_name[PATH_MAX];
const struct mpl_world *const MPIR_dvm_world = &mpl;

static void name_debug_library(void) {
  Dl_info us;
  const char *slash = dladdr(&mpl, &us) && us.dli_fname ? strrchr(us.dli_fname, '/') : NULL;
  if (slash)
    snprintf(MPIR_dll_name, sizeof(MPIR_dll_name), "%.*s/libdvmmpiqueues.so", (int)(slash - us.dli_fname), us.dli_fname);
}

_Noreturn void mpl_die(int status, const char *format, ...) {
  va_list words;
  mpl_replica_lead(); /* the other will meet the same */
  va_start(words, format);
  fprintf(stderr, "dvm run: error: rank %u: ", mpl.rank);
  vfprintf(stderr, format, words);
  fputc('\n', stderr);
  va_end(words);
  if (mpl.job) {
    atomic_store(&mpl.job->abort_code, status);
    atomic_store(&mpl.job->aborted, 1);
  }
  fflush(NULL);
  _exit(status);
}

/* A program that was started without 'dvm run' is a job of one rank. */
static int make_alone(void) {
  int fd = memfd_create(MPL_SEGMENT_NAME, MFD_CLOEXEC);
  struct mpl_job job = {.magic = MPL_MAGIC, .version = MPL_VERSION, .nranks = 1, .eager_limit = 4096, .ring_bytes = 256 << 10,
                        .size = mpl_segment_size(1, 256 << 10), .universe = 1, .spins = 100};
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  job.start_ns = now.tv_sec * 1000000000 + now.tv_nsec;
  if (fd < 0 || ftruncate(fd, (off_t)job.size) || pwrite(fd, &job, sizeof(job), 0) != sizeof(job))
    mpl_die(1, "cannot create the job's memory: %s", strerror(errno));
  return fd;
}

static int number(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}

static void open_ends(void) {
  mpl.peers = calloc(mpl.size, sizeof(*mpl.peers));
  for (uint32_t i = 0; i < mpl.size; i++) {
    struct mpl_peer *p = &mpl.peers[i];
    struct mpl_ring *in = mpl_ring_at(mpl.job, i, mpl.rank), *out = mpl_ring_at(mpl.job, mpl.rank, i);
    p->in = (struct mpl_end){.ring = in, .data = mpl_ring_data(in), .mask = mpl.job->ring_bytes - 1};
    p->out = (struct mpl_end){.ring = out, .data = mpl_ring_data(out), .mask = mpl.job->ring_bytes - 1, .limit = mpl.job->ring_bytes};
    p->last = &p->first;
    mpl_replica_open(&p->in, &p->out, i);
  }
}

static void attach(void) {
  int fd = number(MPL_FD_VARIABLE, -1);
  mpl.rank = (uint32_t)number(MPL_RANK_VARIABLE, 0);
  if (fd < 0)
    fd = make_alone();
  struct stat s;
  if (fstat(fd, &s) || (mpl.job = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED) {
    mpl.job = NULL;
    mpl_die(1, "cannot map the job's memory: %s", strerror(errno));
  }
  close(fd);
  if (mpl.job->magic != MPL_MAGIC || mpl.job->version != MPL_VERSION || (uint64_t)s.st_size < mpl.job->size)
    mpl_die(1, "'dvm run' and its library libmpi have different versions");
  mpl.size = mpl.job->nranks;
  mpl.state = mpl_state(mpl.job, mpl.rank);
  atomic_store(&mpl.state->pid, getpid());
  mpl.sends.posted_end = &mpl.sends.posted;
  open_ends();
  atomic_store(&mpl.state->phase, MPL_ATTACHED);
  mpl_replica_start();
}

/* As under mpirun, which gives ranks a terminal: lines come when they are printed, and are not lost with a rank that dies. */
__attribute__((constructor)) static void print_lines(void) {
  if (getenv(MPL_FD_VARIABLE))
    setvbuf(stdout, NULL, _IOLBF, 0);
}

/* A process that a rank has forked is not the rank: to it, MPI is over. */
static void forked(void) {
  if (!MPIR_dvm_replica.forking)
    mpl.finalized = mpl.multiple = mpl.forked = true;
}

static int init(int required, int *provided, const char *call) {
  if (mpl.initialized) {
    fprintf(stderr, "dvm run: error: rank %u: %s was called a second time\n", mpl.rank, call);
    return mpl_error(MPI_COMM_WORLD, MPI_ERR_OTHER, call);
  }
  attach();
  name_debug_library();
  mpl.main = pthread_self();
  pthread_atfork(NULL, NULL, forked);
  mpl.provided = required < MPI_THREAD_SINGLE ? MPI_THREAD_SINGLE : required > MPI_THREAD_MULTIPLE ? MPI_THREAD_MULTIPLE : required;
  if (mpl_replicated() && mpl.provided > MPI_THREAD_FUNNELED)
    mpl.provided = MPI_THREAD_FUNNELED; /* the order in which threads call is not in the log */
  mpl.multiple = mpl.provided == MPI_THREAD_MULTIPLE;
  mpl_comms_init();
  mpl.initialized = true;
  ompi_mpi_state = 2; /* of Open MPI's states: initialized */
  *provided = mpl.provided;
  while (atomic_load(&mpl.job->held) && !atomic_load(&mpl.job->aborted))
    usleep(1000);
  atomic_store(&mpl.state->phase, MPL_RUNNING);
  PMPI_Barrier(MPI_COMM_WORLD);
  return MPI_SUCCESS;
}

MPL_API(int, Init, int *argc, char ***argv) {
  int provided;
  (void)argc, (void)argv;
  return init(MPI_THREAD_SINGLE, &provided, "MPI_Init");
}

MPL_API(int, Init_thread, int *argc, char ***argv, int required, int *provided) {
  (void)argc, (void)argv;
  return init(required, provided, "MPI_Init_thread");
}

MPL_API(int, Finalize, void) {
  if (mpl.forked)
    return MPI_SUCCESS; /* it has nothing to end */
  if (!mpl.initialized || mpl.finalized)
    mpl_die(1, mpl.finalized ? "MPI_Finalize was called a second time" : "MPI_Finalize was called before MPI_Init");
  mpl_attrs_delete_all(MPI_COMM_SELF);
  struct mpl_schedule *all_here = mpl_schedule_new(MPI_COMM_WORLD, MPL_COLLECTIVE_FINALIZE);
  mpl_build_barrier(all_here, MPI_COMM_WORLD);
  mpl_schedule_run(all_here, "MPI_Finalize", MPL_PLACE);
  while (mpl.waiting)
    mpl_progress();
  mpl.finalized = mpl.multiple = true; /* whoever takes the lock now is told so */
  ompi_mpi_state = 5; /* over */
  atomic_store(&mpl.state->phase, MPL_FINALIZED);
  mpl_replica_finalized();
  return MPI_SUCCESS;
}

MPL_API(int, Initialized, int *flag) {
  *flag = mpl.initialized;
  return MPI_SUCCESS;
}

MPL_API(int, Finalized, int *flag) {
  *flag = mpl.finalized;
  return MPI_SUCCESS;
}

MPL_API(int, Query_thread, int *provided) {
  *provided = mpl.provided;
  return MPI_SUCCESS;
}

MPL_API(int, Is_thread_main, int *flag) {
  *flag = pthread_equal(mpl.main, pthread_self());
  return MPI_SUCCESS;
}

MPL_API(int, Abort, MPI_Comm comm, int code) {
  (void)comm;
  fflush(NULL);
  if (!mpl.job)
    _exit(code);
  mpl_replica_lead();
  atomic_store(&mpl.job->abort_code, code);
  atomic_store(&mpl.job->aborted, 1);
  fprintf(stderr, "dvm run: rank %u has called MPI_Abort with %d\n", mpl.rank, code);
  _exit(code);
}

MPL_API(double, Wtime, void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t ns = (uint64_t)(now.tv_sec * 1000000000 + now.tv_nsec - (mpl.job ? mpl.job->start_ns : 0));
  MPL_REPLICA_COUNT(times);
  return (double)(int64_t)mpl_replica_value(REPLICA_WTIME, ns) * 1e-9;
}

MPL_API(double, Wtick, void) { return 1e-9; }

MPL_API(int, Get_processor_name, char *name, int *length) {
  gethostname(name, MPI_MAX_PROCESSOR_NAME - 1);
  name[MPI_MAX_PROCESSOR_NAME - 1] = 0;
  MPL_REPLICA_COUNT(names);
  mpl_replica_text(REPLICA_NAME, name, 64); /* no longer than a host's name */
  *length = (int)strlen(name);
  return MPI_SUCCESS;
}

MPL_API(int, Get_version, int *version, int *subversion) {
  *version = 3;
  *subversion = 1;
  return MPI_SUCCESS;
}

MPL_API(int, Get_library_version, char *version, int *length) {
  *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "DVM message layer, in place of Open MPI %d.%d.%d", OMPI_MAJOR_VERSION,
                     OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
  return MPI_SUCCESS;
}

MPL_API(int, Pcontrol, const int level, ...) {
  (void)level;
  return MPI_SUCCESS;
}

MPL_API(int, Alloc_mem, MPI_Aint size, MPI_Info info, void *base) {
  (void)info;
  void *p = NULL;
  if (size < 0 || posix_memalign(&p, 64, size ? (size_t)size : 1))
    return mpl_error(NULL, MPI_ERR_NO_MEM, "MPI_Alloc_mem");
  *(void **)base = p;
  return MPI_SUCCESS;
}

MPL_API(int, Free_mem, void *base) {
  free(base);
  return MPI_SUCCESS;
}
