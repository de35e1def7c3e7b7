#include "mpir/commands/job_sets.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
#include <unistd.h>
#include "base/process.h"
#include "mpir/commands/job_input.h"
#include "mpir/commands/job_output.h"
#include "mpir/commands/job_private.h"
#include "mpir/commands/job_replicas.h"

enum { LOST = 68, LOOK_AT_MS = 20, FLUSH_MS = 100, END_MS = 15000, LAST_MS = 10000, SILENT_LIMIT_MS = 30000 };

/* --- in a controller --- */

const char *mpir_half_words(const struct mpir_half *s) {
  static char words[64];
  snprintf(words, sizeof(words), "%u,%u,%u,%u", s->side, s->shared->determinants, s->shared->heartbeat_ms, s->shared->mode);
  return words;
}

void mpir_half_runs(const struct mpir_half *s) { atomic_store(&s->shared->sides[s->side].runs, 1); }
bool mpir_half_is_lost(const struct mpir_half *s) { return atomic_load(&s->shared->sides[s->side].lost); }

/* No child of ours: it may have ended long ago, and its number be another process's. */
static void end_head(const struct sets_side *side) { dvm_process_end(atomic_load(&side->head), atomic_load(&side->head_start)); }

/* Its head writes what is printed and what the others follow: it must have ended before anybody takes over.  The rest ends with us. */
_Noreturn void mpir_half_leave(const struct mpir_half *s, uint32_t lost, uint32_t rank, int how) {
  struct sets_side *side = &s->shared->sides[s->side];
  end_head(side);
  if (!atomic_load(&side->lost)) {
    atomic_store(&side->rank, rank);
    atomic_store(&side->how, how);
    atomic_store(&side->lost, lost);
  }
  _exit(LOST);
}

/* --- in the command --- */

struct side {
  struct mpir_half set;
  pid_t controller; /* 0: has ended */
  int how;
  uint64_t beat;
  int64_t beat_ms;
};

struct run {
  const struct mpir_replicas_options *options;
  struct sets *shared;
  int fd, signals;
  uint32_t nranks;
  struct side sides[SETS];
  unsigned leader;
  struct mpir_output *(*streams)[REPLICA_STREAMS];
  struct mpir_input *input;
  int64_t flushed_ms, looked_ms, begin_ms;
  int64_t waits_ms; /* since then the mains are at their end, and shadows come to theirs, to be compared; or 0 */
  int64_t lost_ns; /* when the shadows were told to lead */
  bool over;
  int status;
};

static struct sets_side *shared_side(const struct run *r, unsigned side) { return &r->shared->sides[side]; }

/* The first half of the hosts and the second; none is in both. */
static int split_hosts(struct run *r, const char *list) {
  size_t n = 1, i = 0;
  for (const char *c = list; *c; c++)
    n += *c == ',';
  if (n < 2 || strlen(list) >= sizeof(r->sides[0].set.hosts)) {
    fputs(
        "dvm run: error: '--placement nodes' needs at least two hosts in '--hosts': the first half is for mains, the second for shadows\n",
        stderr);
    return 2;
  }
  for (const char *from = list; *from; i++) {
    const size_t length = strcspn(from, ",");
    char *to = r->sides[i < n / 2 ? SETS_MAINS : SETS_SHADOWS].set.hosts;
    sprintf(to + strlen(to), "%s%.*s", *to ? "," : "", (int)length, from);
    for (const char *a = list; i >= n / 2 && a < from; a += strcspn(a, ",") + 1) {
      const size_t m = strcspn(a, ":,");
      const bool is_main = a < list + strlen(r->sides[SETS_MAINS].set.hosts);
      if (is_main && m == strcspn(from, ":,") && !strncmp(a, from, m)) {
        fprintf(stderr,
                "dvm run: error: host '%.*s' is among the first half of '--hosts' and the second: both replicas of a rank would be there\n",
                (int)m, a);
        return 2;
      }
    }
    from += length + (from[length] == ',');
  }
  return 0;
}

static int make_memory(struct run *r, const struct mpir_job_options *o) {
  struct rlimit files;
  const size_t size = sets_size(o->nranks);
  if (!getrlimit(RLIMIT_NOFILE, &files)) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  r->fd = memfd_create("dvm-sets", MFD_CLOEXEC);
  if (r->fd < 0 || ftruncate(r->fd, (off_t)size))
    return -errno;
  r->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, r->fd, 0);
  if (r->shared == MAP_FAILED)
    return -errno;
  r->shared->command = getpid();
  r->shared->nranks = r->nranks = o->nranks;
  r->shared->determinants = o->replicas->determinants;
  r->shared->heartbeat_ms = o->replicas->heartbeat_ms;
  r->shared->mode = o->replicas->mode;
  r->streams = calloc(r->nranks, sizeof(*r->streams));
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++) {
      if (!(r->streams[i][s] = mpir_output_create(s + 1, r->options->mode & REPLICA_CHECK)))
        return -errno;
      for (unsigned k = 0; k < SETS; k++)
        r->shared->ranks[i].streams[k][s] = mpir_output_end(r->streams[i][s], k);
      mpir_output_compare(r->streams[i][s]);
    }
  const int rc = mpir_input_create(0, false, &r->input);
  return rc ? rc : mpir_input_clone(r->input, SETS_SHADOWS) ? 0 : -errno;
}

/* A file has a position for each; a pipe's bytes go to both. */
static void take_input(const struct run *r, unsigned side) {
  int fd = mpir_input_end(r->input, side);
  if (fd < 0) {
    const off_t at = lseek(0, 0, SEEK_CUR);
    fd = open("/proc/self/fd/0", O_RDONLY);
    lseek(fd, at, SEEK_SET);
  }
  if (fd > 0)
    dup2(fd, 0);
}

/* The command's ends of pipes, in a controller. */
static void close_pipes(const struct run *r) {
  mpir_input_destroy(r->input);
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      mpir_output_destroy(r->streams[i][s]);
}

static int start_side(struct run *r, const struct mpir_job_options *o, char **argv, unsigned side, const sigset_t *mask) {
  struct side *k = &r->sides[side];
  const pid_t self = getpid();
  k->set.shared = r->shared;
  k->set.fd = r->fd;
  k->set.side = side;
  k->set.said = memfd_create("said", MFD_CLOEXEC);
  k->beat_ms = mpir_job_now_ms();
  k->controller = k->set.said < 0 ? -1 : fork();
  if (k->controller)
    return k->controller < 0 ? -errno : 0;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != self)
    _exit(1);
  sigprocmask(SIG_SETMASK, mask, NULL);
  take_input(r, side);
  close_pipes(r);
  struct mpir_job_options mine = *o;
  mine.replicas = NULL;
  mine.hosts = k->set.hosts;
  mine.name = side == SETS_MAINS ? o->name : NULL;
  mine.set = &k->set;
  const int status = mpir_job_run(&mine, argv);
  fflush(NULL);
  _exit(status);
}

static void end_side(struct run *r, unsigned side, int sig) {
  if (r->sides[side].controller > 0)
    kill(r->sides[side].controller, sig);
}

/* --- what became of a set --- */

static const char *describe(const struct run *r, unsigned side, char *text, size_t size) {
  const struct sets_side *s = shared_side(r, side);
  const int how = atomic_load(&s->how);
  switch (atomic_load(&s->lost)) {
  case SETS_LOST_RANK:
    if (WIFSIGNALED(how))
      snprintf(text, size, "rank %u was killed by signal %d (%s)", atomic_load(&s->rank), WTERMSIG(how), strsignal(WTERMSIG(how)));
    else
      snprintf(text, size, "rank %u ended with status %d before MPI_Finalize", atomic_load(&s->rank), WEXITSTATUS(how));
    break;
  case SETS_SILENT: snprintf(text, size, "host %u of theirs has said nothing for too long", atomic_load(&s->rank) + 1); break;
  default: snprintf(text, size, "a host, a proxy or mpirun was lost"); break;
  }
  return text;
}

static void tell_last_event(const struct run *r, uint32_t rank) {
  const struct sets_rank *k = &r->shared->ranks[rank];
  const uint64_t n = atomic_load(&k->committed);
  fprintf(stderr, "; last event: step %llu", (unsigned long long)atomic_load(&k->step));
  for (uint64_t i = n; i > 0 && n - i < REPLICA_LOG_ENTRIES; i--) {
    const struct replica_entry *e = &sets_log(r->shared, rank)[(i - 1) % REPLICA_LOG_ENTRIES];
    if ((e->what & 0xff) != REPLICA_IN)
      continue;
    fprintf(stderr, ", took a record from rank %u", (unsigned)(e->what >> 8) & 0xffffff);
    break;
  }
  fputc('\n', stderr);
}

static void tell_said(const struct run *r, unsigned side) {
  char text[4096];
  ssize_t n;
  for (off_t at = 0; (n = pread(r->sides[side].set.said, text, sizeof(text), at)) > 0; at += n)
    if (write(2, text, (size_t)n) < 0)
      return;
}

static void move(struct run *r, bool all);

static void end_all(struct run *r, int status) {
  if (r->over)
    return;
  r->over = true;
  r->status = status;
  end_side(r, SETS_MAINS, SIGTERM);
  end_side(r, SETS_SHADOWS, SIGTERM);
}

static void both_lost(struct run *r, unsigned last) {
  char text[160], other[160];
  const struct sets_side *s = shared_side(r, last);
  const uint32_t rank = atomic_load(&s->lost) == SETS_LOST_RANK ? atomic_load(&s->rank) : 0;
  fprintf(stderr, "dvm run: error: both replicas of rank %u are lost: of the %s %s; of the %s, before, %s", rank,
          last == SETS_SHADOWS ? "shadows" : "mains", describe(r, last, text, sizeof(text)), last == SETS_SHADOWS ? "mains" : "shadows",
          describe(r, 1 - last, other, sizeof(other)));
  tell_last_event(r, rank);
  end_all(r, LOST);
}

/* The program itself ends so: its second execution did the same. */
static bool is_same_end(const struct run *r) {
  const struct sets_side *a = shared_side(r, 0), *b = shared_side(r, 1);
  return atomic_load(&a->lost) == SETS_LOST_RANK && atomic_load(&b->lost) == SETS_LOST_RANK && WIFEXITED(atomic_load(&a->how)) &&
         atomic_load(&a->how) == atomic_load(&b->how) && atomic_load(&a->rank) == atomic_load(&b->rank);
}

static void take_over(struct run *r) {
  char text[160];
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++) {
      mpir_output_take_all(r->streams[i][s], SETS_MAINS);
      mpir_output_drop(r->streams[i][s]);
    }
  r->leader = SETS_SHADOWS;
  r->lost_ns = mpir_replicas_now_ns();
  atomic_store(&r->shared->leads, 1);
  fprintf(stderr, "dvm run: note: of the mains %s; the shadows at %s take over\n", describe(r, SETS_MAINS, text, sizeof(text)),
          r->sides[SETS_SHADOWS].set.hosts);
}

/* It ended by itself, or was never there. */
static int own_status(const struct run *r, unsigned side) {
  const int how = r->sides[side].how;
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

/* No way back: '--mode check' compares, and no more. */
static void lost_unreplaced(struct run *r) {
  char text[160];
  const uint32_t rank =
      atomic_load(&shared_side(r, SETS_MAINS)->lost) == SETS_LOST_RANK ? atomic_load(&shared_side(r, SETS_MAINS)->rank) : 0;
  fprintf(stderr, "dvm run: error: rank %u is lost: of the mains %s, and with '--mode=check' the shadows do not take over", rank,
          describe(r, SETS_MAINS, text, sizeof(text)));
  tell_last_event(r, rank);
  end_all(r, LOST);
}

static void lost(struct run *r, unsigned side) {
  char text[160];
  if (r->waits_ms) {
    end_all(r, r->status);
  } else if (!atomic_load(&shared_side(r, side)->runs)) {
    tell_said(r, side);
    fprintf(stderr, "dvm run: error: the %s at %s could not be started\n", side ? "shadows" : "mains", r->sides[side].set.hosts);
    end_all(r, 1);
  } else if (!r->sides[1 - side].controller && atomic_load(&shared_side(r, 1 - side)->lost)) {
    if (is_same_end(r))
      end_all(r, WEXITSTATUS(atomic_load(&shared_side(r, side)->how)));
    else
      both_lost(r, side);
  } else if (side == SETS_MAINS && r->options->mode == REPLICA_CHECK) {
    lost_unreplaced(r);
  } else if (side == SETS_MAINS) {
    take_over(r);
    if (!r->sides[SETS_SHADOWS].controller)
      end_all(r, own_status(r, SETS_SHADOWS));
  } else {
    fprintf(stderr, "dvm run: note: of the shadows %s; the job goes on without them\n", describe(r, side, text, sizeof(text)));
    for (uint32_t i = 0; i < r->nranks; i++)
      for (int s = 0; s < REPLICA_STREAMS; s++)
        mpir_output_drop(r->streams[i][s]);
    atomic_store(&r->shared->alone, 1);
  }
}

static void side_ended(struct run *r, unsigned side) {
  struct side *k = &r->sides[side];
  k->controller = 0;
  mpir_input_drop(r->input, side);
  if (r->over)
    return;
  if (!atomic_load(&shared_side(r, side)->lost) && WIFSIGNALED(k->how))
    atomic_store(&shared_side(r, side)->lost, SETS_LOST_HOST);
  if (atomic_load(&shared_side(r, side)->lost)) {
    lost(r, side);
  } else if (side == r->leader || (own_status(r, side) && !atomic_load(&shared_side(r, side)->runs))) {
    if (!atomic_load(&shared_side(r, side)->runs))
      tell_said(r, side);
    if (r->options->mode & REPLICA_CHECK && !own_status(r, side) && r->sides[1 - side].controller && !atomic_load(&r->shared->leads))
      r->waits_ms = mpir_job_now_ms();
    else
      end_all(r, own_status(r, side));
  } else if (r->waits_ms) {
    move(r, false);
    end_all(r, 0);
  } else {
    atomic_store(&r->shared->alone, 1); /* the shadows have come to the end, and so will the mains */
  }
}

/* A shadow's host says that it would do something else, or what both print is not the same. */
static void look_at_differences(struct run *r) {
  for (uint32_t i = 0; i < r->nranks && !r->over; i++) {
    const struct sets_rank *k = &r->shared->ranks[i];
    if (!atomic_load(&k->differs))
      continue;
    mpir_replicas_tell_difference(i, &k->difference, k->place);
    end_all(r, 67);
  }
  if (r->waits_ms && mpir_job_now_ms() - r->waits_ms > LAST_MS)
    end_all(r, 0);
}

/* A controller whose head does not run cannot tell. */
static void look_at_heads(struct run *r) {
  const int64_t now = mpir_job_now_ms(), limit = r->shared->heartbeat_ms ? r->shared->heartbeat_ms : SILENT_LIMIT_MS;
  const bool was_away = now - r->looked_ms > limit / 2;
  r->looked_ms = now;
  for (unsigned i = 0; i < SETS; i++) {
    struct side *k = &r->sides[i];
    const uint64_t beat = atomic_load(&shared_side(r, i)->beat);
    if (was_away || beat != k->beat || !beat)
      k->beat_ms = now;
    else if (now - k->beat_ms > limit && k->controller)
      kill(k->controller, SIGKILL);
    k->beat = beat;
  }
}

static void reap(struct run *r) {
  int how;
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
    for (unsigned i = 0; i < SETS; i++)
      if (pid == r->sides[i].controller) {
        if (WIFSIGNALED(how)) /* its controller could not */
          end_head(shared_side(r, i));
        r->sides[i].how = how;
        side_ended(r, i);
      }
}

static void on_signals(struct run *r) {
  struct signalfd_siginfo info;
  while (read(r->signals, &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo == SIGCHLD)
      continue;
    if (r->over) {
      end_side(r, SETS_MAINS, SIGTERM);
      end_side(r, SETS_SHADOWS, SIGTERM);
    }
    end_all(r, 128 + (int)info.ssi_signo);
  }
}

static void move(struct run *r, bool all) {
  const bool flushes = mpir_job_now_ms() - r->flushed_ms > FLUSH_MS;
  uint64_t at;
  if (atomic_load(&shared_side(r, 0)->runs) &&
      atomic_load(&shared_side(r, 1)->runs)) /* mpirun of Open MPI 4.1 may not survive earlier input */
    mpir_input_move(r->input);
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++) {
      if (!mpir_output_move(r->streams[i][s], r->leader, all, &at) && !r->over) {
        mpir_replicas_tell_output(i, s, at);
        end_all(r, 67);
      }
      if (flushes || all)
        mpir_output_flush(r->streams[i][s]);
    }
  if (flushes)
    r->flushed_ms = mpir_job_now_ms();
}

/* Whatever is left: an mpirun that does not end.  Children keep their numbers until we wait for them, which is not done here. */
static void kill_children(void) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
  FILE *f = fopen(path, "re");
  for (int pid; f && fscanf(f, "%d", &pid) == 1;)
    kill(pid, SIGKILL);
  if (f)
    fclose(f);
}

/* What was started has ended, mpirun that has lost its controller included. */
static void end(struct run *r) {
  const int64_t begun = mpir_job_now_ms();
  int how;
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) >= 0 || errno == EINTR;) {
    move(r, false);
    for (unsigned i = 0; i < SETS; i++)
      if (pid > 0 && pid == r->sides[i].controller)
        r->sides[i].controller = 0;
    if (mpir_job_now_ms() - begun > END_MS)
      kill_children();
    if (!pid)
      usleep(1000);
  }
  move(r, true);
}

static int finish(struct run *r) {
  int failed = 0;
  end(r);
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++) {
      mpir_output_finish(r->streams[i][s]);
      failed = failed ? failed : mpir_output_failed(r->streams[i][s]);
    }
  if (failed)
    fprintf(stderr, "dvm run: error: cannot write what the ranks have printed: %s; some of it is lost\n", strerror(failed));
  mpir_sets_report(r->shared, r->options, r->status, r->begin_ms, r->lost_ns);
  return failed && !r->status ? 1 : r->status;
}

static void watch(struct run *r) {
  struct pollfd *fds = calloc(4 + (size_t)r->nranks * REPLICA_STREAMS * 2, sizeof(*fds));
  while (!r->over) {
    nfds_t n = 0;
    fds[n++] = (struct pollfd){r->signals, POLLIN, 0};
    for (uint32_t i = 0; i < r->nranks; i++)
      for (int s = 0; s < REPLICA_STREAMS; s++)
        n += mpir_output_poll(r->streams[i][s], r->leader, fds + n);
    if (atomic_load(&shared_side(r, 0)->runs) && atomic_load(&shared_side(r, 1)->runs))
      n += mpir_input_poll(r->input, fds + n);
    poll(fds, n, LOOK_AT_MS);
    on_signals(r);
    reap(r);
    look_at_heads(r);
    look_at_differences(r);
    move(r, false);
  }
  free(fds);
}

int mpir_sets_run(const struct mpir_job_options *o, char **argv) {
  struct run r = {.options = o->replicas, .looked_ms = mpir_job_now_ms(), .begin_ms = mpir_job_now_ms()};
  sigset_t caught, before;
  const int wrong = split_hosts(&r, o->hosts);
  if (wrong)
    return wrong;
  int rc = make_memory(&r, o);
  if (rc) {
    fprintf(stderr, "dvm run: error: cannot create the memory and pipes of %u ranks: %s\n", o->nranks, strerror(-rc));
    return 1;
  }
  sigemptyset(&caught);
  const int all[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
    sigaddset(&caught, all[i]);
  sigprocmask(SIG_BLOCK, &caught, &before);
  r.signals = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (unsigned i = 0; i < SETS && !rc; i++)
    rc = start_side(&r, o, argv, i, &before);
  if (rc) {
    fprintf(stderr, "dvm run: error: cannot start %u ranks: %s\n", o->nranks, strerror(-rc));
    end_all(&r, 1);
  }
  watch(&r);
  return finish(&r);
}
