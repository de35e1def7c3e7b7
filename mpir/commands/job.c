#include "mpir/commands/job_private.h"
#include "base/clock.h"
#include "base/process.h"
#include "mpir/commands/deadlock.h"
#include "mpir/commands/job_sets.h"
#include "mpir/commands/job_start.h"
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
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RING_BYTES = 256 << 10, LOOK_MS = 100, SET_LOOK_MS = 10, GRACE_MS = 1000 };

static uint32_t processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

static int make_segment(struct job *j, const struct mpir_job_options *o) {
  uint32_t n = o->nranks;
  uint64_t ring_bytes = o->replicas ? mpir_replicas_ring_bytes(o->replicas, RING_BYTES) : RING_BYTES;
  size_t rings = j->hosts ? mpl_boxes_size(n, mpir_hosts_count(j->hosts)) : mpl_segment_size(n, ring_bytes),
         size = rings + (j->replicas ? mpir_replicas_size(j->replicas, rings, ring_bytes) : 0);
  if (o->hosts == NULL)
    mpir_job_lift_file_limit();
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
                                .start_ns = dvm_clock_ns(),
                                .universe = n,
                                .spins = n * (j->replicas ? 2 : 1) <= processors() ? 2000 : 20};
  j->shared->held = mpir_table_wanted();
  if (j->replicas)
    mpir_replicas_fill(j->replicas, j->shared, rings);
  if (j->hosts)
    mpir_hosts_describe(j->hosts, j->shared);
  return 0;
}

uint32_t mpir_job_size(const struct job *j) { return j->nranks; }

int mpir_job_rank_place(const struct job *j, uint32_t rank, const char **host) {
  *host = j->hosts ? mpir_hosts_name(j->hosts, mpl_state(j->shared, rank)->node) : "localhost";
  return rank < j->nranks ? j->pids[rank] : 0;
}

int mpir_job_signals(const struct mpir_job_clock *clock, sigset_t *before) {
  sigset_t caught;
  sigemptyset(&caught);
  int const all[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, mpir_job_clock_signal(clock)};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
    if (all[i])
      sigaddset(&caught, all[i]);
  sigprocmask(SIG_BLOCK, &caught, before);
  return signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
}

void mpir_job_catch(struct job *j, sigset_t *before) { j->signals = mpir_job_signals(j->clock, before); }

static void become_replica(void *arg, uint32_t rank) { mpir_replicas_become(arg, rank); }

_Noreturn static void become(const struct job *j, uint32_t rank, const char *library, char **argv, pid_t parent, const sigset_t *mask) {
  const struct mpir_place place = {
      rank, j->nranks, rank, j->nranks, j->fd, library, j->checkpointable, j->replicas ? become_replica : NULL, j->replicas};
  mpir_job_become(&place, argv, parent, mask);
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

/* They count as lost; numbers they have none. */
static int await_none(struct job *j) {
  for (uint32_t i = 0; i < j->nranks; i++)
    j->pids[i] = -1;
  return mpir_hosts_await_proxies(j->hosts, j->set);
}

static int await_ranks(struct job *j) {
  struct dvm_error err = DVM_ERROR_INIT;
  if (j->set && mpir_half_is_empty(j->set))
    return await_none(j);
  if (j->set && j->set->snapshot && mpir_hosts_restored(j->hosts, j->shared, &err)) {
    fprintf(stderr, "dvm run: note: the snapshot cannot be restarted: %s\n", err.text);
    mpir_half_leave(j->set, SETS_LOST_HOST);
  }
  return mpir_hosts_await(j->hosts, j);
}

static int start_on_hosts(struct job *j, const struct mpir_job_options *o, char **argv) {
  const bool begins = !o->set || (!o->set->snapshot && !mpir_half_is_empty(o->set));
  sigset_t before;
  mpir_job_catch(j, &before);
  int rc = mpir_hosts_start(j->hosts, j,
                            &(struct mpir_hosts_what){.launcher = o->launcher,
                                                      .library = o->library,
                                                      .argv = begins ? argv : NULL,
                                                      .snapshot = o->set ? o->set->snapshot : NULL,
                                                      .set = o->set},
                            &before);
  j->alive = j->nranks;
  mpir_deadlock_set_where(j->deadlock, mpir_hosts_where, j);
  if (!rc && !await_ranks(j) && j->set) /* it may have ended, which is told later */
    mpir_half_runs(j->set);
  return rc;
}

static void signal_all(const struct job *j, int sig) {
  if (j->hosts) {
    if (sig != SIGCONT) /* goes with each */
      mpir_hosts_signal(j->shared, sig);
    return;
  }
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
  j->ending_ms = dvm_clock_ms();
  if (j->replicas)
    mpir_replicas_kill_shadows(j->replicas);
  signal_all(j, SIGTERM);
  signal_all(j, SIGCONT);
}

static void rank_ended(struct job *j, uint32_t rank, int how) {
  struct mpl_rank_state *s = mpl_state(j->shared, rank);
  uint32_t phase = atomic_load(&s->phase);
  const bool is_lost = WIFSIGNALED(how) || (phase != MPL_ABSENT && phase != MPL_FINALIZED && !atomic_load(&j->shared->aborted));
  if (j->set && !j->ending && is_lost) {
    mpir_half_lost_rank(j->set, rank, how);
    return;
  }
  if (j->set && !j->ending)
    mpir_half_ended_rank(j->set, rank, how);
  j->pids[rank] = 0;
  j->alive--;
  if (j->ending)
    return;
  if (j->saved) { /* it was ended with its snapshot */
    mpir_job_end_all(j, 128 + SIGKILL);
  } else if (WIFSIGNALED(how)) {
    fprintf(stderr, "dvm run: rank %u was killed by signal %d (%s)\n", rank, WTERMSIG(how), strsignal(WTERMSIG(how)));
    mpir_job_end_all(j, 128 + WTERMSIG(how));
  } else if (atomic_load(&j->shared->aborted)) {
    mpir_table_abort("MPI_Abort");
    mpir_job_end_all(j, WEXITSTATUS(how) ? WEXITSTATUS(how) : (atomic_load(&j->shared->abort_code) & 0xff));
  } else if (phase != MPL_ABSENT && phase != MPL_FINALIZED) {
    fprintf(stderr, "dvm run: rank %u ended with status %d without calling MPI_Finalize; ending the others\n", rank, WEXITSTATUS(how));
    mpir_job_end_all(j, WEXITSTATUS(how) ? WEXITSTATUS(how) : 1);
  } else if (phase == MPL_FINALIZED) { /* the others have come so far too, and may still have to say something */
    j->status = j->status ? j->status : WEXITSTATUS(how);
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
      enum mpir_replica_news news = mpir_replicas_ended(j->replicas, j->ending || j->saved, &pid, &how, &rank);
      on_news(j, news, rank, pid, how);
    }
  pid_t pid = 0;
  enum mpir_replica_news news = mpir_replicas_orphan(j->replicas, &pid, &how, &rank);
  on_news(j, news, rank, pid, how);
  int status = mpir_replicas_serve(j->replicas);
  if (status)
    mpir_job_end_all(j, status);
}

/* A rank that was lost in this set of replicas ends in the other one. */
static void look_elsewhere(struct job *j, uint32_t rank) {
  const int how = mpir_half_ended(j->set, rank);
  if (!how && !j->ending)
    return;
  j->pids[rank] = 0;
  j->alive--;
  if (how && !j->ending && !j->status)
    j->status = WEXITSTATUS(how - 1);
}

/* Ranks on other hosts: their proxies tell. */
static void look_at_hosts(struct job *j) {
  for (uint32_t i = 0; i < j->nranks; i++) {
    const bool is_elsewhere = j->set && j->pids[i] && mpir_half_is_elsewhere(j->set, i); /* first: one made anew has not ended */
    const int how = j->pids[i] ? atomic_load(&mpl_state(j->shared, i)->ended) : 0;
    if (is_elsewhere)
      look_elsewhere(j, i);
    else if (how)
      rank_ended(j, i, how - 1);
  }
  if (j->set && !j->ending && mpir_half_is_lost(j->set))
    mpir_half_leave(j->set, SETS_SILENT);
  const int status = mpir_hosts_lost(j->hosts, j->ending || j->set);
  if (!status)
    return;
  if (j->set && !j->ending)
    mpir_half_leave(j->set, SETS_LOST_HOST);
  mpir_job_end_all(j, status);
  memset(j->pids, 0, j->nranks * sizeof(*j->pids));
  j->alive = 0;
}

static void reap(struct job *j) {
  int how;
  if (j->replicas) {
    reap_replicas(j);
    return;
  }
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;) {
    if (mpir_job_clock_ended(j->clock, pid) || mpir_hosts_reaped(j->hosts, pid, how))
      continue;
    if (j->init == pid)
      look_into_namespace(j, true);
    for (uint32_t i = 0; i < j->nranks && !j->how; i++)
      if (j->pids[i] == pid && !j->hosts)
        rank_ended(j, i, how);
  }
  look_into_namespace(j, false);
  if (j->hosts)
    look_at_hosts(j);
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
    if (!j->pids[i])
      continue;
    if (j->hosts) {
      if (atomic_load(&mpl_state(j->shared, i)->stopped))
        return true;
      continue;
    }
    char state = dvm_process_state(j->pids[i]);
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
  if (j->set && (!mpir_half_tells_deadlock(j->set) || dvm_clock_ms() - j->looked_ms < LOOK_MS))
    return false;
  j->looked_ms = dvm_clock_ms();
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
    j->saved_ms = dvm_clock_ms();
  else if (dvm_clock_ms() - j->saved_ms > GRACE_MS)
    j->saved = false;
}

int mpir_job_watch(struct job *j) {
  struct pollfd *fds = calloc(1 + JOB_SOCKET_POLLED + (j->replicas ? mpir_replicas_polled(j->replicas) : 0), sizeof(*fds));
  while (j->alive || (j->set && !j->ending && mpir_half_must_stay(j->set))) {
    fds[0] = (struct pollfd){j->signals, POLLIN, 0};
    nfds_t n = 1 + (nfds_t)mpir_job_socket_poll(j->socket, fds + 1);
    n += j->replicas ? mpir_replicas_poll(j->replicas, fds + n) : 0;
    poll(fds, n, j->set ? SET_LOOK_MS : LOOK_MS);
    on_signals(j);
    reap(j);
    mpir_job_socket_serve(j->socket);
    if (j->replicas)
      mpir_replicas_hold(j->replicas, mpir_job_socket_busy(j->socket));
    if (j->hosts && j->leads && !mpir_job_socket_busy(j->socket))
      mpir_hosts_give_up(j->shared);
    j->leads = mpir_job_socket_busy(j->socket);
    forget_end(j);
    mpir_job_clock_look(j->clock, false);
    if (j->ending && dvm_clock_ms() - j->ending_ms > GRACE_MS)
      signal_all(j, SIGKILL);
    if (is_dead(j))
      mpir_job_end_all(j, 69);
  }
  free(fds);
  while (j->init && waitpid(j->init, NULL, 0) < 0 && errno == EINTR)
    ;
  if (j->set)
    mpir_half_done(j->set);
  if (j->hosts)
    mpir_hosts_finish(j->hosts, j->shared);
  if (!j->replicas)
    return j->status;
  mpir_job_socket_serve(j->socket); /* the last word of a checkpoint may have come */
  mpir_job_socket_close(j->socket); /* a command of ours that leads one is to end, too */
  j->socket = NULL;
  return mpir_job_again(j, mpir_replicas_finish(j->replicas, j->status));
}

/* --- what commands ask --- */

static void describe(void *arg, struct job_answer *a) {
  const struct job *j = arg;
  struct stat st = {0};
  fstat(j->fd, &st);
  if (!a->code && (!j->checkpointable || j->set)) /* of a set: the command above has it saved */
    a->code = -EOPNOTSUPP;
  a->nranks = j->nranks;
  a->eager_limit = j->shared->eager_limit;
  a->strict = j->shared->strict;
  a->device = st.st_dev;
  a->inode = st.st_ino;
  a->nnodes = j->hosts ? mpir_hosts_count(j->hosts) : 0;
  a->descriptor = j->fd;
  snprintf(a->name, sizeof(a->name), "%s", j->name);
  snprintf(a->command, sizeof(a->command), "%s", j->command);
  snprintf(a->folder, sizeof(a->folder), "%s", j->folder);
  for (uint32_t i = 0; i < j->nranks; i++) {
    a->pids[i] = j->pids[i];
    a->ready[i] = atomic_load(&mpl_state(j->shared, i)->phase) != MPL_ABSENT;
  }
}

static int note_begin(void *arg) {
  struct job *j = arg;
  if (!j->replicas)
    return 0;
  mpir_replicas_hold(j->replicas, true);
  return mpir_replicas_wait(j->replicas);
}

static void note_clock(void *arg) {
  struct job *j = arg;
  if (j->replicas)
    mpir_replicas_stand(j->replicas);
  j->shared->stopped_ns = dvm_clock_ns();
}

static void note_end(void *arg) {
  struct job *j = arg;
  j->saved = true;
}

static void note_snapshot(void *arg, const char *path) {
  struct job *j = arg;
  if (j->replicas)
    mpir_replicas_saved(j->replicas);
  free(j->snapshot);
  j->snapshot = strdup(path);
  j->tries = 0;
}

int mpir_job_open(struct job *j, struct dvm_error *err) {
  j->socket = mpir_job_socket_open(j->name, &(struct mpir_job_served){j, describe, note_begin, note_clock, note_end, note_snapshot}, err);
  return j->socket ? 0 : err->code;
}

char *mpir_job_words(char **argv) {
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
  mpir_hosts_destroy(j->hosts);
  mpir_job_socket_close(j->socket);
  mpir_replicas_destroy(j->replicas);
  free(j->command);
  free(j->folder);
  free(j->snapshot);
  free(j->pids);
}

int mpir_job_run(const struct mpir_job_options *o, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct job j = {.fd = -1,
                  .nranks = o->nranks,
                  .checkpointable = o->checkpointable,
                  .set = o->set,
                  .command = mpir_job_words(argv),
                  .folder = getcwd(NULL, 0),
                  .pids = calloc(o->nranks, sizeof(*j.pids)),
                  .clock = mpir_job_clock_create()};
  snprintf(j.name, sizeof(j.name), "%s", o->name ? o->name : "");
  if (o->replicas && !(j.replicas = mpir_replicas_create(o->replicas, o->nranks, o->library))) {
    fprintf(stderr, "dvm run: error: cannot create the pipes of %u ranks: %s\n", o->nranks, strerror(errno));
    return 1;
  }
  const int no_input = j.replicas ? mpir_replicas_take_input(j.replicas, o->checkpointable) : 0;
  if (no_input) {
    fprintf(stderr, "dvm run: error: cannot create the pipe for standard input: %s\n", strerror(-no_input));
    return 1;
  }
  if (o->hosts && !(j.hosts = mpir_hosts_create(o->hosts, o->nranks, &err))) {
    fprintf(stderr, "dvm run: error: %s\n", err.text);
    return 2;
  }
  int rc = make_segment(&j, o);
  if (rc) {
    fprintf(stderr, "dvm run: error: cannot create the memory of a job of %u ranks: %s%s\n", o->nranks, strerror(-rc),
            rc == -EFBIG ? "\nhelp: it counts as a file; the hard limit of their size ('ulimit -H -f') is too low" : "");
    return 1;
  }
  if (j.set)
    mpir_half_opened(j.set, j.fd);
  j.deadlock = mpir_deadlock_create(j.shared);
  if (mpir_job_open(&j, &err)) {
    fprintf(stderr, "dvm run: error: %s\n", err.text);
    return 1;
  }
  char *program = find_program(argv[0]);
  rc = j.hosts ? start_on_hosts(&j, o, argv) : start(&j, o->library, argv);
  if (rc) {
    fprintf(stderr, "dvm run: error: cannot start %u ranks: %s\n", o->nranks, strerror(-rc));
    mpir_job_end_all(&j, 1);
  }
  mpir_table_fill(&j, program);
  mpir_table_tell();
  if (o->debug)
    mpir_table_print();
  atomic_store(&j.shared->held, 0);
  rc = mpir_job_watch(&j);
  free(program);
  free_job(&j);
  return rc;
}
