#include "mpir/commands/job_replicas.h"
#include "base/clock.h"
#include "base/process.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpir/commands/job_replicas_private.h"
#include "mpir/commands/where.h"

enum { ORPHAN_MS = 500, FAILED_FORKS_MAX = 3, LAST_MS = 10000 };

/* --- life --- */

uint64_t mpir_replicas_ring_bytes(const struct mpir_replicas_options *o, uint64_t usual) {
  enum { SPOOL_BYTES = 64 << 20 };
  return o->lag_bytes ? o->lag_bytes : o->when_full == REPLICA_SPOOL ? (uint64_t)SPOOL_BYTES : usual;
}

struct mpir_replicas *mpir_replicas_create(const struct mpir_replicas_options *o, uint32_t nranks, const char *library) {
  struct mpir_replicas *r = calloc(1, sizeof(*r));
  struct rlimit files;
  if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < files.rlim_max) {
    r->files = files;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  r->options = *o;
  r->library = library;
  r->nranks = nranks;
  r->ranks = calloc(nranks, sizeof(*r->ranks));
  r->notify = eventfd(0, EFD_NONBLOCK);
  r->begin_ms = dvm_clock_ms();
  for (uint32_t i = 0; i < nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      if (!(r->ranks[i].streams[s] = mpir_output_create(s + 1, o->mode & REPLICA_CHECK))) {
        mpir_replicas_destroy(r);
        return NULL;
      }
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* of shadows whose makers have ended */
  return r;
}

void mpir_replicas_destroy(struct mpir_replicas *r) {
  for (uint32_t i = 0; r && i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      mpir_output_destroy(r->ranks[i].streams[s]);
  if (!r)
    return;
  mpir_input_destroy(r->input);
  close(r->notify);
  free(r->ranks);
  free(r);
}

int mpir_replicas_take_input(struct mpir_replicas *r, bool checkpointable) {
  r->saves_input = checkpointable;
  return mpir_input_create(0, checkpointable, &r->input);
}

static uint64_t forward_stride(const struct mpir_replicas *r) {
  return r->options.protocol == REPLICA_RECEIVER_FORWARDING ? 4096 + REPLICA_FORWARD_BYTES : 0;
}

uint64_t mpir_replicas_size(const struct mpir_replicas *r, uint64_t at, uint64_t ring_bytes) {
  uint64_t size = replica_size(r->nranks) + r->nranks * (sizeof(struct replica_entry) * REPLICA_LOG_ENTRIES + forward_stride(r));
  if (r->options.protocol == REPLICA_SENDER_FORWARDING)
    size += (uint64_t)r->nranks * r->nranks * mpl_ring_stride(ring_bytes);
  return mpl_round(at, 4096) - at + size + (r->input && r->saves_input ? MPIR_INPUT_BYTES : 0);
}

void mpir_replicas_name_streams(const struct mpir_replicas *r, struct replica_rank *k, uint32_t rank) {
  for (unsigned replica = 0; replica < 2; replica++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      k->stream_fds[replica][s] = mpir_output_end(r->ranks[rank].streams[s], replica);
}

void mpir_replicas_fill(struct mpir_replicas *r, struct mpl_job *job, uint64_t at) {
  job->replicas_at = mpl_round(at, 4096);
  struct replica_job *shared = replica_job(job);
  uint64_t log_stride = sizeof(struct replica_entry) * REPLICA_LOG_ENTRIES;
  *shared = (struct replica_job){.protocol = r->options.protocol,
                                 .mode = r->options.mode,
                                 .when_full = r->options.when_full,
                                 .refresh = r->options.refresh,
                                 .determinants = r->options.determinants,
                                 .controller = getpid(),
                                 .heartbeat_ms = r->options.heartbeat_ms,
                                 .summary = r->options.summary,
                                 .log_at = job->replicas_at + replica_size(r->nranks),
                                 .log_stride = log_stride,
                                 .forward_stride = forward_stride(r)};
  snprintf(shared->shadow_cpu, sizeof(shared->shadow_cpu), "%s", r->options.shadow_cpu ? r->options.shadow_cpu : "");
  snprintf(shared->report, sizeof(shared->report), "%s", r->options.report ? r->options.report : "");
  shared->forward_at = shared->log_at + r->nranks * log_stride;
  shared->copies_at = shared->forward_at + r->nranks * shared->forward_stride;
  for (uint32_t i = 0; i < r->nranks; i++) {
    shared->ranks[i].alive = shared->ranks[i].readers = 1;
    mpir_replicas_name_streams(r, &shared->ranks[i], i);
  }
  if (r->input && r->saves_input) /* the last of all */
    shared->input_at = at + mpir_replicas_size(r, at, job->ring_bytes) - MPIR_INPUT_BYTES;
  r->job = job;
  r->shared = shared;
}

void mpir_replicas_become(const struct mpir_replicas *r, uint32_t rank) {
  char number[16];
  snprintf(number, sizeof(number), "%d", r->notify);
  setenv(REPLICA_NOTIFY_VARIABLE, number, 1);
  const char *before = getenv("LD_PRELOAD");
  char *preload;
  if (asprintf(&preload, "%s/libdvmreplica.so%s%s", r->library, before && *before ? ":" : "", before ? before : "") > 0)
    setenv("LD_PRELOAD", preload, 1);
  for (int s = 0; s < REPLICA_STREAMS; s++)
    dup2(mpir_output_end(r->ranks[rank].streams[s], 0), s + 1);
  struct stat in;
  int fd = mpir_input_end(r->input, 0);
  if (fd < 0 && (fstat(0, &in) || !S_ISREG(in.st_mode)))
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (fd > 0)
    dup2(fd, 0);
  if (r->files.rlim_max)
    setrlimit(RLIMIT_NOFILE, &r->files);
}

void mpir_replicas_started(struct mpir_replicas *r, uint32_t rank, pid_t pid) {
  atomic_store(&r->shared->ranks[rank].pid[0], pid);
  r->ranks[rank].here = true;
}

/* --- deaths --- */

static void wake(struct replica_rank *k) {
  atomic_fetch_add(&k->bell, 1);
  syscall(SYS_futex, &k->bell, FUTEX_WAKE, 8, NULL, NULL, 0);
}

/* '--shadow-cpu idle': one that is to die or to catch up would take its time where others compute. */
static void hurry(const struct mpir_replicas *r, pid_t pid) {
  if (!strcmp(r->shared->shadow_cpu, "idle"))
    sched_setscheduler(pid, SCHED_OTHER, &(struct sched_param){0});
}

/* All who may wait for room that this replica kept. */
static void wake_all(struct mpir_replicas *r) {
  for (uint32_t i = 0; i < r->nranks; i++) {
    struct mpl_rank_state *s = mpl_state(r->job, i);
    atomic_fetch_add(&s->bell, 1);
    syscall(SYS_futex, &s->bell, FUTEX_WAKE, 64, NULL, NULL, 0);
    wake(&r->shared->ranks[i]);
  }
}

static void forget_replica(struct mpir_replicas *r, uint32_t rank, uint32_t replica) {
  struct replica_rank *k = &r->shared->ranks[rank];
  atomic_fetch_and(&k->alive, ~(1u << replica));
  atomic_store(&k->readers, 1u << (1 - replica));
  atomic_store(&k->pid[replica], 0);
  atomic_store(&k->leap, 0);
  for (int s = 0; s < REPLICA_STREAMS; s++)
    mpir_output_drop(r->ranks[rank].streams[s]);
  if (!rank)
    mpir_input_drop(r->input, replica);
  wake_all(r);
}

static void want_shadow(struct mpir_replicas *r, uint32_t rank) {
  if (r->options.refresh && r->ranks[rank].failed_forks < FAILED_FORKS_MAX && !atomic_load(&r->shared->ranks[rank].threads))
    atomic_store(&r->shared->ranks[rank].wanted, 1);
}

static void shadow_ended(struct mpir_replicas *r, uint32_t rank, uint32_t replica, int how) {
  struct replica_rank *k = &r->shared->ranks[rank];
  struct mpir_replicated_rank *mine = &r->ranks[rank];
  mine->shadow_how = how;
  mine->shadow_over = WIFEXITED(how); /* by itself: what it has printed still counts */
  mine->failed_forks = atomic_load(&k->begun) == mine->begun ? mine->failed_forks + 1 : 0;
  mine->begun = atomic_load(&k->begun);
  if (mine->shadow_over)
    return;
  mine->shadows_lost += mine->here; /* one whose main has come to the end is ended */
  forget_replica(r, rank, replica);
  want_shadow(r, rank);
}

static enum mpir_replica_news take_over(struct mpir_replicas *r, uint32_t rank, uint32_t replica, int how, pid_t *pid) {
  struct replica_rank *k = &r->shared->ranks[rank];
  struct mpir_replicated_rank *mine = &r->ranks[rank];
  char text[128];
  *pid = atomic_load(&k->pid[1 - replica]);
  hurry(r, *pid);
  for (int s = 0; s < REPLICA_STREAMS; s++)
    mpir_output_take_all(mine->streams[s], replica);
  mine->takeovers++;
  mine->main_how = how;
  mine->last_lost = true;
  mine->taking_ns = dvm_clock_ns();
  atomic_store(&k->took_over_ns, 0);
  atomic_store(&mpl_state(r->job, rank)->wait.blocked, 0);
  atomic_store(&k->leader, 1 - replica);
  atomic_store(&k->fork_state, REPLICA_NO_FORK);
  forget_replica(r, rank, replica);
  fprintf(stderr, "dvm run: note: rank %u's main %s; its shadow takes over\n", rank, mpir_replicas_describe(how, text, sizeof(text)));
  want_shadow(r, rank);
  return MPIR_REPLICA_TOOK_OVER;
}

static bool ended_by_itself(const struct mpir_replicas *r, uint32_t rank, uint32_t replica, int how) {
  const struct replica_rank *k = &r->shared->ranks[rank];
  const struct mpir_replicated_rank *mine = &r->ranks[rank];
  if (!WIFEXITED(how))
    return false;
  return atomic_load(&k->finalized[replica]) || atomic_load(&r->job->aborted) ||
         atomic_load(&mpl_state(r->job, rank)->phase) == MPL_ABSENT || (mine->takeovers && mine->last_lost && mine->main_how == how) ||
         (mine->shadow_over && mine->shadow_how == how);
}

static enum mpir_replica_news leader_ended(struct mpir_replicas *r, uint32_t rank, uint32_t replica, pid_t *pid, int *how) {
  struct replica_rank *k = &r->shared->ranks[rank];
  struct mpir_replicated_rank *mine = &r->ranks[rank];
  if (ended_by_itself(r, rank, replica, *how)) {
    mine->here = false;
    atomic_store(&k->over, 1);
    if (atomic_load(&k->finalized[replica])) /* a successor's, after its main's death in MPI_Finalize */
      atomic_store(&mpl_state(r->job, rank)->phase, MPL_FINALIZED);
    pid_t shadow = mpir_replicas_shadow(r, rank);
    if (shadow && !(r->options.mode & REPLICA_CHECK)) {
      hurry(r, shadow);
      kill(shadow, SIGKILL);
    }
    return MPIR_REPLICA_RANK_ENDED;
  }
  if (mine->shadow_over && atomic_load(&k->finalized[1 - replica]) && r->options.mode != REPLICA_CHECK) {
    *how = mine->shadow_how; /* it had come to the end */
    atomic_store(&mpl_state(r->job, rank)->phase, MPL_FINALIZED);
    mine->takeovers++;
    atomic_store(&k->leader, 1 - replica);
    mine->here = false;
    return MPIR_REPLICA_RANK_ENDED;
  }
  bool there = atomic_load(&k->alive) & 1u << (1 - replica) && !mine->shadow_over && r->options.mode != REPLICA_CHECK;
  if (there && atomic_load(&k->pid[1 - replica]))
    return take_over(r, rank, replica, *how, pid);
  if (there && !mine->orphan_ms) { /* it was just making one */
    mine->orphan_ms = dvm_clock_ms();
    mine->orphan_how = *how;
    return MPIR_REPLICA_SHADOW_ENDED;
  }
  mpir_replicas_tell_lost(r, rank, *how);
  mine->here = false;
  return MPIR_REPLICA_RANK_LOST;
}

enum mpir_replica_news mpir_replicas_ended(struct mpir_replicas *r, bool ending, pid_t *pid, int *how, uint32_t *rank) {
  for (uint32_t i = 0; i < r->nranks; i++) {
    struct replica_rank *k = &r->shared->ranks[i];
    uint32_t leader = atomic_load(&k->leader);
    *rank = i;
    if (r->ranks[i].leapt == *pid) {
      r->ranks[i].leapt = 0;
      want_shadow(r, i);
      return MPIR_REPLICA_SHADOW_ENDED;
    }
    if (atomic_load(&k->pid[leader]) == *pid && r->ranks[i].here && ending) {
      r->ranks[i].here = false;
      return MPIR_REPLICA_RANK_ENDED;
    }
    if (atomic_load(&k->pid[leader]) == *pid && r->ranks[i].here)
      return leader_ended(r, i, leader, pid, how);
    if (atomic_load(&k->pid[1 - leader]) == *pid) {
      shadow_ended(r, i, 1 - leader, *how);
      return MPIR_REPLICA_SHADOW_ENDED;
    }
  }
  return MPIR_REPLICA_UNKNOWN;
}

pid_t mpir_replicas_shadow(const struct mpir_replicas *r, uint32_t rank) {
  const struct replica_rank *k = &r->shared->ranks[rank];
  return r->ranks[rank].shadow_over ? 0 : atomic_load(&k->pid[1 - atomic_load(&k->leader)]);
}

void mpir_replicas_kill_shadows(struct mpir_replicas *r) {
  for (uint32_t i = 0; i < r->nranks; i++) {
    pid_t shadow = mpir_replicas_shadow(r, i);
    if (!shadow)
      continue;
    hurry(r, shadow);
    kill(shadow, SIGKILL);
  }
}

/* --- what goes on --- */

nfds_t mpir_replicas_polled(const struct mpir_replicas *r) { return 4 + (nfds_t)r->nranks * REPLICA_STREAMS * 2; }

nfds_t mpir_replicas_poll(struct mpir_replicas *r, struct pollfd *fds) {
  nfds_t n = 0;
  fds[n++] = (struct pollfd){r->notify, POLLIN, 0};
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      n += mpir_output_poll(r->ranks[i].streams[s], atomic_load(&r->shared->ranks[i].leader), fds + n);
  n += mpir_input_poll(r->input, fds + n);
  return n;
}

/* The clone opens it there. */
void mpir_replicas_name_input(const struct mpir_replicas *r, struct replica_rank *k, uint32_t rank) {
  for (unsigned replica = 0; replica < 2; replica++)
    k->input_fds[replica] = rank ? -1 : mpir_input_end(r->input, replica);
}

/* A rank stands and waits to be cloned. */
static void let_fork(struct mpir_replicas *r, uint32_t rank) {
  struct replica_rank *k = &r->shared->ranks[rank];
  if (r->holds || atomic_load(&k->fork_state) != REPLICA_WANTS_FORK)
    return;
  for (int s = 0; s < REPLICA_STREAMS; s++)
    mpir_output_clone(r->ranks[rank].streams[s], 1 - atomic_load(&k->leader));
  if (!rank && !mpir_input_clone(r->input, 1 - atomic_load(&k->leader)))
    return; /* no descriptors at the moment */
  mpir_replicas_name_input(r, k, rank);
  r->ranks[rank].shadow_over = false;
  r->ranks[rank].last_lost = false;
  atomic_store(&k->fork_state, REPLICA_MAY_FORK);
  syscall(SYS_futex, &k->fork_state, FUTEX_WAKE, 8, NULL, NULL, 0);
}

/* We have waited for it: its number may be another process's. */
static bool is_over(const struct mpir_replicas *r, uint32_t rank, uint32_t replica) {
  return r->ranks[rank].shadow_over && replica != atomic_load(&r->shared->ranks[rank].leader);
}

/* One that is stopped looks to the others like one that computes: only time tells. */
static void end_stopped(struct mpir_replicas *r, uint32_t rank) {
  for (int i = 0; i < 2; i++) {
    pid_t pid = atomic_load(&r->shared->ranks[rank].pid[i]);
    int64_t *since = &r->ranks[rank].stopped_ms[i], now = dvm_clock_ms();
    if (!pid || is_over(r, rank, (uint32_t)i) || dvm_process_state(pid) != 'T')
      *since = 0;
    else if (!*since)
      *since = now;
    else if (now - *since >= r->options.heartbeat_ms)
      kill(pid, SIGKILL);
  }
}

/* A shadow that is too far behind is ended; its main makes another one. */
static void leap(struct mpir_replicas *r, uint32_t rank) {
  struct replica_rank *k = &r->shared->ranks[rank];
  if (!atomic_exchange(&k->leap, 0))
    return;
  uint32_t leader = atomic_load(&k->leader);
  pid_t main = atomic_load(&k->pid[leader]), shadow = mpir_replicas_shadow(r, rank);
  if (atomic_load(&k->fork_state) != REPLICA_FORKED || !main || !shadow || dvm_process_state(main) == 'Z')
    return;
  r->ranks[rank].leapt = shadow;
  r->ranks[rank].leaps++;
  hurry(r, shadow);
  kill(shadow, SIGKILL);
  forget_replica(r, rank, 1 - leader); /* nobody waits for it any more */
}

static int tell_difference(const struct mpir_replicas *r, uint32_t rank) {
  const struct replica_rank *k = &r->shared->ranks[rank];
  char place[REPLICA_PLACE_BYTES] = "";
  if (k->difference.place)
    mpir_where(atomic_load(&k->pid[1 - atomic_load(&k->leader)]), k->difference.place, place, sizeof(place));
  mpir_replicas_tell_difference(rank, &k->difference, place);
  return 67;
}

static int move_output(struct mpir_replicas *r, uint32_t rank, bool all) {
  for (int s = 0; s < REPLICA_STREAMS; s++) {
    uint64_t at;
    if (mpir_output_move(r->ranks[rank].streams[s], atomic_load(&r->shared->ranks[rank].leader), all, &at) || r->told)
      continue;
    mpir_replicas_tell_output(rank, s, at);
    r->told = true;
    return 67;
  }
  return 0;
}

static int serve_rank(struct mpir_replicas *r, uint32_t rank) {
  struct replica_rank *k = &r->shared->ranks[rank];
  struct mpir_replicated_rank *mine = &r->ranks[rank];
  int status = move_output(r, rank, false);
  let_fork(r, rank);
  leap(r, rank);
  if (r->options.heartbeat_ms && mine->here && !r->stopped)
    end_stopped(r, rank);
  uint64_t caught_up = atomic_load(&k->took_over_ns);
  if (mine->taking_ns && caught_up) {
    int64_t took = (int64_t)caught_up - mine->taking_ns;
    mine->takeover_ns_max = took > mine->takeover_ns_max ? took : mine->takeover_ns_max;
    mine->taking_ns = 0;
  }
  if (atomic_load(&k->differs) && !r->told) {
    r->told = true;
    return tell_difference(r, rank);
  }
  return status;
}

int mpir_replicas_serve(struct mpir_replicas *r) {
  uint64_t n;
  int status = 0;
  int64_t now = dvm_clock_ms();
  while (read(r->notify, &n, sizeof(n)) > 0)
    ;
  mpir_input_move(r->input);
  for (uint32_t i = 0; i < r->nranks; i++) {
    int found = serve_rank(r, i);
    status = status ? status : found;
  }
  if (now - r->flushed_ms > 100) {
    for (uint32_t i = 0; i < r->nranks; i++)
      for (int s = 0; s < REPLICA_STREAMS; s++)
        mpir_output_flush(r->ranks[i].streams[s]);
    r->flushed_ms = now;
  }
  return status;
}

enum mpir_replica_news mpir_replicas_orphan(struct mpir_replicas *r, pid_t *pid, int *how, uint32_t *rank) {
  for (uint32_t i = 0; i < r->nranks; i++) {
    struct replica_rank *k = &r->shared->ranks[i];
    struct mpir_replicated_rank *mine = &r->ranks[i];
    if (!mine->orphan_ms || (!atomic_load(&k->pid[1 - atomic_load(&k->leader)]) && dvm_clock_ms() - mine->orphan_ms < ORPHAN_MS))
      continue;
    *rank = i;
    *how = mine->orphan_how;
    enum mpir_replica_news news = leader_ended(r, i, atomic_load(&k->leader), pid, how);
    mine->orphan_ms = 0;
    return news;
  }
  return MPIR_REPLICA_UNKNOWN;
}

/* Where they are compared, shadows come to the end, too. */
static int wait_for_shadows(struct mpir_replicas *r) {
  int status = 0, how;
  for (int64_t since = dvm_clock_ms(); !status && dvm_clock_ms() - since < LAST_MS; usleep(1000)) {
    bool any = false;
    status = mpir_replicas_serve(r);
    uint32_t rank;
    for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
      mpir_replicas_ended(r, false, &pid, &how, &rank);
    for (uint32_t i = 0; i < r->nranks; i++)
      any |= atomic_load(&r->shared->ranks[i].pid[1 - atomic_load(&r->shared->ranks[i].leader)]) && !r->ranks[i].shadow_over;
    if (!any)
      break;
  }
  return status;
}

int mpir_replicas_finish(struct mpir_replicas *r, int status) {
  int lost = 0;
  if (!status)
    mpir_replicas_tell_unprotected(r);
  if (!status && r->options.mode & REPLICA_CHECK)
    status = wait_for_shadows(r);
  mpir_replicas_kill_shadows(r);
  for (uint32_t i = 0; i < r->nranks; i++) {
    for (int s = 0; s < REPLICA_STREAMS; s++)
      mpir_output_flush(r->ranks[i].streams[s]);
    int found = move_output(r, i, true);
    if (!status && r->options.mode & REPLICA_CHECK)
      status = found;
    for (int s = 0; s < REPLICA_STREAMS; s++) {
      mpir_output_finish(r->ranks[i].streams[s]);
      if (!lost)
        lost = mpir_output_failed(r->ranks[i].streams[s]);
    }
  }
  if (lost) { /* the program was told that all is well */
    fprintf(stderr, "dvm run: error: cannot write what the ranks have printed: %s; some of it is lost\n", strerror(lost));
    status = status ? status : 1;
  }
  for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) >= 0 || errno == EINTR;)
    if (!pid) { /* a shadow may have been made just now */
      mpir_replicas_kill_shadows(r);
      usleep(1000);
    }
  mpir_replicas_report(r, status);
  return status;
}
