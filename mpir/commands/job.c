#include "mpir/commands/job_private.h"
#include "mpir/commands/deadlock.h"
#include "mpir/commands/list.h"
#include "mpir/mpi/ring.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RING_BYTES = 256 << 10, LOOK_MS = 100, GRACE_MS = 1000 };

int64_t mpir_job_now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint32_t processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

static int make_segment(struct job *j, const struct mpir_job_options *o) {
  uint32_t n = o->nranks;
  uint64_t ring_bytes = o->replicas ? mpir_replicas_ring_bytes(o->replicas, RING_BYTES) : RING_BYTES;
  size_t rings = mpl_segment_size(n, ring_bytes), size = rings + (j->replicas ? mpir_replicas_size(j->replicas, rings, ring_bytes) : 0);
  j->fd = memfd_create(MPL_SEGMENT_NAME, 0); /* handed down */
  if (j->fd < 0 || ftruncate(j->fd, (off_t)size))
    return -errno;
  j->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, j->fd, 0);
  if (j->shared == MAP_FAILED)
    return -errno;
  *j->shared = (struct mpl_job){.magic = MPL_MAGIC,
                                .version = MPL_VERSION,
                                .nranks = n,
                                .eager_limit = o->eager_limit,
                                .strict = o->strict,
                                .ring_bytes = ring_bytes,
                                .size = size,
                                .start_ns = now_ns(),
                                .universe = n,
                                .spins = n <= processors() ? 2000 : 20};
  j->shared->held = mpir_table_wanted();
  if (j->replicas)
    mpir_replicas_fill(j->replicas, j->shared, rings);
  return 0;
}

static void set_number(const char *name, uint32_t n) {
  char text[16];
  snprintf(text, sizeof(text), "%u", n);
  setenv(name, text, 1);
}

/* As under mpirun. */
static void set_environment(const struct job *j, uint32_t rank, const char *library) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_NODE_RANK", "PMIX_RANK",
                                      MPL_RANK_VARIABLE};
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_UNIVERSE_SIZE"};
  for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++)
    set_number(ranks[i], rank);
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
    set_number(sizes[i], j->nranks);
  set_number(MPL_FD_VARIABLE, (uint32_t)j->fd);
  if (j->checkpointable)
    setenv("DVMCR_JOB", "1", 1);
  const char *before = getenv("LD_LIBRARY_PATH");
  char *path;
  if (asprintf(&path, "%s%s%s", library, before && *before ? ":" : "", before ? before : "") > 0)
    setenv("LD_LIBRARY_PATH", path, 1);
}

_Noreturn static void become(const struct job *j, uint32_t rank, const char *library, char **argv, pid_t parent, const sigset_t *mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  sigprocmask(SIG_SETMASK, mask, NULL);
  set_environment(j, rank, library);
  if (j->replicas)
    mpir_replicas_become(j->replicas, rank);
  if (rank) { /* standard input is rank 0's */
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    if (null > 0)
      close(null);
  }
  execvp(argv[0], argv);
  fprintf(stderr, "dvm run: error: cannot run '%s': %s\n", argv[0], strerror(errno));
  _exit(127);
}

void mpir_job_catch(struct job *j, sigset_t *before) {
  sigset_t caught;
  sigemptyset(&caught);
  int const all[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, mpir_job_clock_signal(j->clock)};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
    if (all[i])
      sigaddset(&caught, all[i]);
  sigprocmask(SIG_BLOCK, &caught, before);
  j->signals = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int start(struct job *j, const char *library, char **argv) {
  sigset_t before;
  mpir_job_catch(j, &before);
  pid_t self = getpid();
  for (uint32_t i = 0; i < j->nranks; i++) {
    pid_t pid = fork();
    if (pid < 0)
      return -errno;
    if (!pid)
      become(j, i, library, argv, self, &before);
    j->pids[i] = pid;
    j->alive++;
    if (j->replicas)
      mpir_replicas_started(j->replicas, i, pid);
  }
  return 0;
}

static void signal_all(const struct job *j, int sig) {
  for (uint32_t i = 0; i < j->nranks; i++)
    if (j->pids[i])
      kill(j->pids[i], sig);
}

/* The job is over: the others have a second to end. */
void mpir_job_end_all(struct job *j, int status) {
  if (!j->status)
    j->status = status;
  if (j->ending)
    return;
  j->ending = true;
  j->ending_ms = mpir_job_now_ms();
  if (j->replicas)
    mpir_replicas_kill_shadows(j->replicas);
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
  if (j->saved) { /* it was ended with its snapshot */
    mpir_job_end_all(j, 128 + SIGKILL);
  } else if (WIFSIGNALED(how)) {
    fprintf(stderr, "dvm run: rank %u was ended by signal %d (%s)\n", rank, WTERMSIG(how), strsignal(WTERMSIG(how)));
    mpir_job_end_all(j, 128 + WTERMSIG(how));
  } else if (atomic_load(&j->shared->aborted)) {
    mpir_table_abort("MPI_Abort");
    mpir_job_end_all(j, WEXITSTATUS(how) ? WEXITSTATUS(how) : (atomic_load(&j->shared->abort_code) & 0xff));
  } else if (phase != MPL_ABSENT && phase != MPL_FINALIZED) {
    fprintf(stderr, "dvm run: rank %u has ended with status %d, but did not call MPI_Finalize; the others are ended\n", rank,
            WEXITSTATUS(how));
    mpir_job_end_all(j, WEXITSTATUS(how) ? WEXITSTATUS(how) : 1);
  } else if (WEXITSTATUS(how)) {
    mpir_job_end_all(j, WEXITSTATUS(how));
  }
}

/* Ranks in a namespace: its first process, our child, tells how they have ended, as long as it lives. */
static void look_into_namespace(struct job *j, bool over) {
  for (uint32_t i = 0; j->how && i < j->nranks; i++) {
    int how = j->pids[i] ? atomic_load(&j->how[j->how_index[i]]) : 0;
    if (j->pids[i] && (how || over))
      rank_ended(j, i, how ? how - 1 : SIGKILL);
  }
}

static void on_news(struct job *j, enum mpir_replica_news news, uint32_t rank, pid_t pid, int how) {
  if (news == MPIR_REPLICA_TOOK_OVER)
    j->pids[rank] = pid;
  if (news == MPIR_REPLICA_RANK_ENDED)
    rank_ended(j, rank, how);
  if (news == MPIR_REPLICA_RANK_LOST) {
    j->pids[rank] = 0;
    j->alive--;
    mpir_job_end_all(j, 68);
    signal_all(j, SIGKILL);
  }
}

static void reap_replicas(struct job *j) {
  int how;
  uint32_t rank = 0;
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
    if (!mpir_job_clock_ended(j->clock, pid)) {
      enum mpir_replica_news news = mpir_replicas_ended(j->replicas, j->ending, &pid, &how, &rank);
      on_news(j, news, rank, pid, how);
    }
  pid_t pid = 0;
  enum mpir_replica_news news = mpir_replicas_orphan(j->replicas, &pid, &how, &rank);
  on_news(j, news, rank, pid, how);
  int status = mpir_replicas_serve(j->replicas);
  if (status)
    mpir_job_end_all(j, status);
}

static void reap(struct job *j) {
  int how;
  if (j->replicas) {
    reap_replicas(j);
    return;
  }
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;) {
    if (mpir_job_clock_ended(j->clock, pid))
      continue;
    if (j->init == pid)
      look_into_namespace(j, true);
    for (uint32_t i = 0; i < j->nranks && !j->how; i++)
      if (j->pids[i] == pid)
        rank_ended(j, i, how);
  }
  look_into_namespace(j, false);
}

static void on_signals(struct job *j) {
  struct signalfd_siginfo info;
  while (read(j->signals, &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo == SIGCHLD)
      continue;
    if ((int)info.ssi_signo == mpir_job_clock_signal(j->clock)) {
      mpir_job_clock_look(j->clock, true);
      continue;
    }
    if (j->ending)
      signal_all(j, SIGKILL);
    mpir_job_end_all(j, 128 + (int)info.ssi_signo);
  }
}

/* A rank that stands under a debugger or by a signal does not wait. */
static bool one_is_stopped(const struct job *j) {
  for (uint32_t i = 0; i < j->nranks; i++) {
    char path[64], state = 0;
    if (!j->pids[i])
      continue;
    snprintf(path, sizeof(path), "/proc/%d/stat", j->pids[i]);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
      state = 0;
    if (f)
      fclose(f);
    if (state == 'T' || state == 't')
      return true;
  }
  return false;
}

static bool is_dead(struct job *j) {
  if (j->ending || mpir_job_socket_busy(j->socket)) {
    mpir_deadlock_reset(j->deadlock);
    return false;
  }
  if (!mpir_deadlock_look(j->deadlock, j->pids))
    return false;
  if (one_is_stopped(j)) {
    mpir_deadlock_reset(j->deadlock);
    return false;
  }
  mpir_deadlock_report(j->deadlock, j->pids);
  return true;
}

/* The command that meant to kill the ranks is gone, and they live. */
static void forget_end(struct job *j) {
  if (!j->saved || mpir_job_socket_busy(j->socket))
    j->saved_ms = mpir_job_now_ms();
  else if (mpir_job_now_ms() - j->saved_ms > GRACE_MS)
    j->saved = false;
}

int mpir_job_watch(struct job *j) {
  struct pollfd *fds = calloc(1 + JOB_SOCKET_POLLED + (j->replicas ? mpir_replicas_polled(j->replicas) : 0), sizeof(*fds));
  while (j->alive) {
    fds[0] = (struct pollfd){j->signals, POLLIN, 0};
    nfds_t n = 1 + (nfds_t)mpir_job_socket_poll(j->socket, fds + 1);
    n += j->replicas ? mpir_replicas_poll(j->replicas, fds + n) : 0;
    poll(fds, n, LOOK_MS);
    on_signals(j);
    reap(j);
    mpir_job_socket_serve(j->socket);
    forget_end(j);
    mpir_job_clock_look(j->clock, false);
    if (j->ending && mpir_job_now_ms() - j->ending_ms > GRACE_MS)
      signal_all(j, SIGKILL);
    if (is_dead(j))
      mpir_job_end_all(j, 69);
  }
  free(fds);
  while (j->init && waitpid(j->init, NULL, 0) < 0 && errno == EINTR)
    ;
  return j->replicas ? mpir_replicas_finish(j->replicas, j->status) : j->status;
}

/* --- what commands ask --- */

static void describe(void *arg, struct job_answer *a) {
  const struct job *j = arg;
  struct stat st = {0};
  fstat(j->fd, &st);
  if (!a->code && !j->checkpointable)
    a->code = -EOPNOTSUPP;
  a->nranks = j->nranks;
  a->eager_limit = j->shared->eager_limit;
  a->strict = j->shared->strict;
  a->device = st.st_dev;
  a->inode = st.st_ino;
  snprintf(a->name, sizeof(a->name), "%s", j->name);
  snprintf(a->command, sizeof(a->command), "%s", j->command);
  snprintf(a->folder, sizeof(a->folder), "%s", j->folder);
  for (uint32_t i = 0; i < j->nranks; i++) {
    a->pids[i] = j->pids[i];
    a->ready[i] = atomic_load(&mpl_state(j->shared, i)->phase) != MPL_ABSENT;
  }
}

static void note_clock(void *arg) {
  struct job *j = arg;
  j->shared->stopped_ns = now_ns();
}

static void note_end(void *arg) {
  struct job *j = arg;
  j->saved = true;
}

int mpir_job_open(struct job *j, struct dvm_error *err) {
  j->socket = mpir_job_socket_open(j->name, &(struct mpir_job_served){j, describe, note_clock, note_end}, err);
  return j->socket ? 0 : err->code;
}

static char *join(char **argv) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  for (; *argv; argv++) {
    mpir_list_quote(f, *argv);
    if (argv[1])
      putc(' ', f);
  }
  fclose(f);
  return text;
}

/* The file that a word of a command line runs; the word itself if none is found. */
static char *find_program(const char *word) {
  char file[PATH_MAX], *real = NULL;
  const char *path = getenv("PATH");
  if (strchr(word, '/'))
    real = realpath(word, NULL);
  for (; !real && !strchr(word, '/') && path && *path; path += strcspn(path, ":"), path += *path == ':') {
    snprintf(file, sizeof(file), "%.*s/%s", (int)strcspn(path, ":"), path, word);
    if (!access(file, X_OK))
      real = realpath(file, NULL);
  }
  return real ? real : strdup(word);
}

static void free_job(struct job *j) {
  mpir_deadlock_destroy(j->deadlock);
  mpir_job_socket_close(j->socket);
  mpir_replicas_destroy(j->replicas);
  free(j->command);
  free(j->folder);
  free(j->pids);
}

int mpir_job_run(const struct mpir_job_options *o, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct job j = {.fd = -1,
                  .nranks = o->nranks,
                  .checkpointable = o->checkpointable,
                  .command = join(argv),
                  .folder = getcwd(NULL, 0),
                  .pids = calloc(o->nranks, sizeof(*j.pids)),
                  .clock = mpir_job_clock_create()};
  snprintf(j.name, sizeof(j.name), "%s", o->name ? o->name : "");
  if (o->replicas && !(j.replicas = mpir_replicas_create(o->replicas, o->nranks))) {
    fprintf(stderr, "dvm run: error: cannot make the pipes of %u ranks: %s\n", o->nranks, strerror(errno));
    return 1;
  }
  int rc = make_segment(&j, o);
  if (rc) {
    fprintf(stderr, "dvm run: error: cannot make the memory of a job of %u ranks: %s\n", o->nranks, strerror(-rc));
    return 1;
  }
  j.deadlock = mpir_deadlock_create(j.shared);
  if (mpir_job_open(&j, &err)) {
    fprintf(stderr, "dvm run: error: %s\n", err.text);
    return 1;
  }
  char *program = find_program(argv[0]);
  rc = start(&j, o->library, argv);
  if (rc) {
    fprintf(stderr, "dvm run: error: cannot start %u ranks: %s\n", o->nranks, strerror(-rc));
    mpir_job_end_all(&j, 1);
  }
  mpir_table_fill(&j, program);
  mpir_table_tell();
  atomic_store(&j.shared->held, 0);
  rc = mpir_job_watch(&j);
  free(program);
  free_job(&j);
  return rc;
}
