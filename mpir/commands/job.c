#include "mpir/commands/job.h"
#include "mpir/commands/deadlock.h"
#include "mpir/mpi/ring.h"
#include "mpir/mpi/segment.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RING_BYTES = 256 << 10, LOOK_MS = 100, GRACE_MS = 1000 };

struct job {
  const struct mpir_job_options *o;
  struct mpl_job *shared;
  int fd, signals;
  pid_t *pids;     /* 0: has ended */
  uint32_t alive;
  int status;      /* of the first rank that did not end well, or 0 */
  bool ending;     /* the rest is being ended */
  int64_t ending_ms;
  struct mpir_deadlock *deadlock;
};

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static uint32_t processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

static int make_segment(struct job *j) {
  uint32_t n = j->o->nranks;
  size_t size = mpl_segment_size(n, RING_BYTES);
  j->fd = memfd_create("dvm-mpi", 0); /* handed down */
  if (j->fd < 0 || ftruncate(j->fd, (off_t)size))
    return -errno;
  j->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, j->fd, 0);
  if (j->shared == MAP_FAILED)
    return -errno;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  *j->shared = (struct mpl_job){.magic = MPL_MAGIC, .version = MPL_VERSION, .nranks = n, .eager_limit = j->o->eager_limit, .strict = j->o->strict, .ring_bytes = RING_BYTES,
                                .size = size, .start_ns = t.tv_sec * 1000000000 + t.tv_nsec, .universe = n, .spins = n <= processors() ? 2000 : 20};
  return 0;
}

static void set_number(const char *name, uint32_t n) {
  char text[16];
  snprintf(text, sizeof(text), "%u", n);
  setenv(name, text, 1);
}

/* As under mpirun. */
static void set_environment(const struct job *j, uint32_t rank) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_NODE_RANK", "PMIX_RANK", MPL_RANK_VARIABLE};
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_UNIVERSE_SIZE"};
  for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++)
    set_number(ranks[i], rank);
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
    set_number(sizes[i], j->o->nranks);
  set_number(MPL_FD_VARIABLE, (uint32_t)j->fd);
  const char *before = getenv("LD_LIBRARY_PATH");
  char *path;
  if (asprintf(&path, "%s%s%s", j->o->library, before && *before ? ":" : "", before ? before : "") > 0)
    setenv("LD_LIBRARY_PATH", path, 1);
}

_Noreturn static void become(const struct job *j, uint32_t rank, char **argv, pid_t parent, const sigset_t *mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  sigprocmask(SIG_SETMASK, mask, NULL);
  set_environment(j, rank);
  if (rank) { /* standard input is rank 0's */
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
  }
  execvp(argv[0], argv);
  fprintf(stderr, "dvm run: error: cannot run '%s': %s\n", argv[0], strerror(errno));
  _exit(127);
}

static int start(struct job *j, char **argv) {
  sigset_t caught, before;
  sigemptyset(&caught);
  int const all[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
    sigaddset(&caught, all[i]);
  sigprocmask(SIG_BLOCK, &caught, &before);
  j->signals = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
  j->pids = calloc(j->o->nranks, sizeof(*j->pids));
  pid_t self = getpid();
  for (uint32_t i = 0; i < j->o->nranks; i++) {
    pid_t pid = fork();
    if (pid < 0)
      return -errno;
    if (!pid)
      become(j, i, argv, self, &before);
    j->pids[i] = pid;
    j->alive++;
  }
  return 0;
}

static void signal_all(const struct job *j, int sig) {
  for (uint32_t i = 0; i < j->o->nranks; i++)
    if (j->pids[i])
      kill(j->pids[i], sig);
}

/* The job is over: the others have a second to end. */
static void end_all(struct job *j, int status) {
  if (!j->status)
    j->status = status;
  if (j->ending)
    return;
  j->ending = true;
  j->ending_ms = now_ms();
  signal_all(j, SIGTERM);
  signal_all(j, SIGCONT);
}

static void rank_ended(struct job *j, uint32_t rank, int how) {
  struct mpl_rank_state *s = mpl_state(j->shared, rank);
  uint32_t phase = atomic_load(&s->phase);
  j->pids[rank] = 0;
  j->alive--;
  if (j->ending)
    return;
  if (WIFSIGNALED(how)) {
    fprintf(stderr, "dvm run: rank %u was ended by signal %d (%s)\n", rank, WTERMSIG(how), strsignal(WTERMSIG(how)));
    end_all(j, 128 + WTERMSIG(how));
  } else if (atomic_load(&j->shared->aborted)) {
    end_all(j, WEXITSTATUS(how) ? WEXITSTATUS(how) : (atomic_load(&j->shared->abort_code) & 0xff));
  } else if (phase != MPL_ABSENT && phase != MPL_FINALIZED) {
    fprintf(stderr, "dvm run: rank %u has ended with status %d, but did not call MPI_Finalize; the others are ended\n", rank, WEXITSTATUS(how));
    end_all(j, WEXITSTATUS(how) ? WEXITSTATUS(how) : 1);
  } else if (WEXITSTATUS(how)) {
    end_all(j, WEXITSTATUS(how));
  }
}

static void reap(struct job *j) {
  int how;
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
    for (uint32_t i = 0; i < j->o->nranks; i++)
      if (j->pids[i] == pid)
        rank_ended(j, i, how);
}

static void on_signals(struct job *j) {
  struct signalfd_siginfo info;
  while (read(j->signals, &info, sizeof(info)) == sizeof(info))
    if (info.ssi_signo != SIGCHLD) {
      if (j->ending)
        signal_all(j, SIGKILL);
      end_all(j, 128 + (int)info.ssi_signo);
    }
}

static void watch(struct job *j) {
  struct pollfd p = {j->signals, POLLIN, 0};
  while (j->alive) {
    poll(&p, 1, LOOK_MS);
    on_signals(j);
    reap(j);
    if (j->ending && now_ms() - j->ending_ms > GRACE_MS)
      signal_all(j, SIGKILL);
    if (!j->ending && mpir_deadlock_look(j->deadlock, j->pids))
      end_all(j, 69);
  }
}

/* A job that a signal has ended ends the command in the same way for shells: 128 + its number. */
int mpir_job_run(const struct mpir_job_options *o, char **argv) {
  struct job j = {.o = o, .fd = -1};
  int rc = make_segment(&j);
  if (rc) {
    fprintf(stderr, "dvm run: error: cannot make the memory of a job of %u ranks: %s\n", o->nranks, strerror(-rc));
    return 1;
  }
  j.deadlock = mpir_deadlock_create(j.shared);
  rc = start(&j, argv);
  if (rc) {
    fprintf(stderr, "dvm run: error: cannot start %u ranks: %s\n", o->nranks, strerror(-rc));
    end_all(&j, 1);
  }
  watch(&j);
  mpir_deadlock_destroy(j.deadlock);
  return j.status;
}
