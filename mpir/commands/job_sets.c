#include "mpir/commands/job_sets_private.h"
#include "base/clock.h"
#include "base/usage.h"
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
#include "mpir/commands/job_input.h"
#include "mpir/commands/job_private.h"

enum { LOOK_AT_MS = 20, FLUSH_MS = 100, END_MS = 15000, LAST_MS = 10000, SILENT_LIMIT_MS = 30000, AGAIN = -1 };

/* A file has a position for each; a pipe's bytes go to both. */
static void take_input(const struct run *r, unsigned side) {
  int fd = mpir_sets_side(r, side)->begins == SETS_BEGIN_EMPTY ? open("/dev/null", O_RDONLY) : mpir_input_end(r->input, side);
  if (fd < 0) {
    const off_t at = lseek(0, 0, SEEK_CUR);
    fd = open("/proc/self/fd/0", O_RDONLY);
    lseek(fd, at, SEEK_SET);
  }
  if (fd > 0)
    dup2(fd, 0);
}

/* The command's ends of pipes and sockets, in a controller. */
static void close_pipes(const struct run *r) {
  mpir_job_socket_close(r->socket);
  mpir_input_destroy(r->input);
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      mpir_output_destroy(r->ranks[i].streams[s]);
}

int mpir_sets_start(struct run *r, unsigned side) {
  struct side *k = &r->sides[side];
  const pid_t self = getpid();
  k->set.shared = r->shared;
  k->set.fd = r->fd;
  k->set.side = side;
  k->set.said = memfd_create("said", MFD_CLOEXEC);
  k->beat_ms = dvm_clock_ms();
  k->controller = k->set.said < 0 ? -1 : fork();
  if (k->controller)
    return k->controller < 0 ? -errno : 0;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != self)
    _exit(1);
  sigprocmask(SIG_SETMASK, r->mask, NULL);
  take_input(r, side);
  close_pipes(r);
  struct mpir_job_options mine = *r->job;
  mine.replicas = NULL;
  mine.hosts = k->set.hosts;
  mine.name = NULL; /* the command has it */
  mine.set = &k->set;
  const int status = mpir_job_run(&mine, r->argv);
  fflush(NULL);
  _exit(status);
}

static void end_side(struct run *r, unsigned side, int sig) {
  if (r->sides[side].controller > 0)
    kill(r->sides[side].controller, sig);
}

void mpir_sets_end(struct run *r, int status) {
  if (r->over)
    return;
  r->over = true;
  r->status = status;
  for (unsigned side = 0; side < SETS; side++) {
    end_side(r, side, SIGTERM);
    if (status == LOST || r->killed)
      end_side(r, side, SIGINT); /* the second signal: ranks have no time to end by themselves */
  }
}

/* A shadow's host says that it would do something else, or what both print is not the same. */
static void look_at_differences(struct run *r) {
  for (uint32_t i = 0; i < r->nranks && !r->over; i++) {
    const struct sets_rank *k = &r->shared->ranks[i];
    if (!atomic_load(&k->differs))
      continue;
    mpir_replicas_tell_difference(i, &k->difference, k->place);
    mpir_sets_end(r, 67);
  }
  if (r->waits_ms && dvm_clock_ms() - r->waits_ms > LAST_MS)
    mpir_sets_end(r, 0);
}

/* A controller whose head does not run cannot tell. */
static void look_at_heads(struct run *r) {
  const int64_t now = dvm_clock_ms(), limit = r->shared->heartbeat_ms ? r->shared->heartbeat_ms : SILENT_LIMIT_MS;
  const bool was_away = now - r->looked_ms > limit / 2;
  r->looked_ms = now;
  for (unsigned i = 0; i < SETS; i++) {
    struct side *k = &r->sides[i];
    const uint64_t beat = atomic_load(&mpir_sets_side(r, i)->beat);
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
    for (unsigned i = 0; i < SETS && !mpir_job_clock_ended(r->clock, pid); i++)
      if (pid == r->sides[i].controller) {
        if (WIFSIGNALED(how)) /* its controller could not */
          mpir_half_end_head(mpir_sets_side(r, i));
        r->sides[i].how = how;
        mpir_sets_ended(r, i);
      }
}

static void on_signals(struct run *r) {
  struct signalfd_siginfo info;
  while (read(r->signals, &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo == SIGCHLD)
      continue;
    if ((int)info.ssi_signo == mpir_job_clock_signal(r->clock)) {
      mpir_job_clock_look(r->clock, true);
      continue;
    }
    r->stopped = true;
    if (r->over) {
      end_side(r, SETS_MAINS, SIGTERM);
      end_side(r, SETS_SHADOWS, SIGTERM);
    }
    mpir_sets_end(r, 128 + (int)info.ssi_signo);
  }
}

void mpir_sets_move(struct run *r, bool all) {
  const bool flushes = dvm_clock_ms() - r->flushed_ms > FLUSH_MS;
  uint64_t at;
  if (atomic_load(&mpir_sets_side(r, 0)->runs) &&
      atomic_load(&mpir_sets_side(r, 1)->runs)) /* mpirun of Open MPI 4.1 may not survive earlier input */
    mpir_input_move(r->input);
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++) {
      if (!mpir_output_move(r->ranks[i].streams[s], r->ranks[i].leader, all, &at) && !r->over) {
        mpir_replicas_tell_output(i, s, at);
        mpir_sets_end(r, 67);
      }
      if (flushes || all)
        mpir_output_flush(r->ranks[i].streams[s]);
    }
  if (flushes)
    r->flushed_ms = dvm_clock_ms();
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
  const int64_t begun = dvm_clock_ms();
  int how;
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) >= 0 || errno == EINTR;) {
    mpir_sets_move(r, false);
    mpir_job_clock_ended(r->clock, pid);
    for (unsigned i = 0; i < SETS; i++)
      if (pid > 0 && pid == r->sides[i].controller)
        r->sides[i].controller = 0;
    if (dvm_clock_ms() - begun > END_MS)
      kill_children();
    if (!pid)
      usleep(1000);
  }
  mpir_sets_move(r, true);
}

static void report(const struct run *r) {
  int64_t *lost_ns = calloc(r->nranks, sizeof(*lost_ns));
  for (uint32_t i = 0; lost_ns && i < r->nranks; i++)
    lost_ns[i] = r->ranks[i].lost_ns;
  if (lost_ns)
    mpir_sets_report(r->shared, r->options, r->status, r->begin_ms, lost_ns);
  free(lost_ns);
}

static int finish(struct run *r) {
  int failed = 0;
  mpir_sets_close(r);
  end(r);
  mpir_sets_refresh_end(r);
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++) {
      mpir_output_finish(r->ranks[i].streams[s]);
      failed = failed ? failed : mpir_output_failed(r->ranks[i].streams[s]);
    }
  if (failed)
    fprintf(stderr, "dvm run: error: cannot write what the ranks have printed: %s; some of it is lost\n", strerror(failed));
  if (mpir_sets_goes_back(r))
    return AGAIN;
  report(r);
  return failed && !r->status ? 1 : r->status;
}

static void watch(struct run *r) {
  struct pollfd *fds = calloc(4 + JOB_SOCKET_POLLED + (size_t)r->nranks * REPLICA_STREAMS * 2, sizeof(*fds));
  while (!r->over) {
    nfds_t n = 0;
    fds[n++] = (struct pollfd){r->signals, POLLIN, 0};
    for (uint32_t i = 0; i < r->nranks; i++)
      for (int s = 0; s < REPLICA_STREAMS; s++)
        n += mpir_output_poll(r->ranks[i].streams[s], r->ranks[i].leader, fds + n);
    if (atomic_load(&mpir_sets_side(r, 0)->runs) && atomic_load(&mpir_sets_side(r, 1)->runs))
      n += mpir_input_poll(r->input, fds + n);
    n += (nfds_t)mpir_job_socket_poll(r->socket, fds + n);
    poll(fds, n, LOOK_AT_MS);
    on_signals(r);
    reap(r);
    mpir_sets_look_at_ranks(r);
    look_at_heads(r);
    look_at_differences(r);
    mpir_sets_refresh(r);
    mpir_sets_serve(r);
    mpir_sets_move(r, false);
  }
  free(fds);
}

/* From the beginning, or a snapshot, to the end: a status, or AGAIN. */
static int live(struct run *r) {
  r->over = false;
  r->status = 0;
  r->waits_ms = 0;
  r->looked_ms = dvm_clock_ms();
  int rc = mpir_sets_make(r, r->job);
  if (rc) {
    fprintf(stderr, "dvm run: error: cannot create the memory and pipes of %u ranks: %s\n", r->job->nranks, strerror(-rc));
    return 1;
  }
  if (r->job->checkpointable && r->has_input)
    return dvm_usage_error("run", "'--checkpointable' with '--placement nodes' needs an empty standard input: '< /dev/null'");
  if (mpir_sets_open(r))
    return 1;
  for (unsigned i = 0; i < SETS && !rc; i++)
    rc = mpir_sets_start(r, i);
  if (rc) {
    fprintf(stderr, "dvm run: error: cannot start %u ranks: %s\n", r->job->nranks, strerror(-rc));
    mpir_sets_end(r, 1);
  }
  watch(r);
  return finish(r);
}

int mpir_sets_run(const struct mpir_job_options *o, char **argv) {
  struct run r = {.options = o->replicas, .job = o, .argv = argv, .begin_ms = dvm_clock_ms(), .clock = mpir_job_clock_create()};
  sigset_t before;
  int status = mpir_sets_split(&r, o->hosts);
  if (status)
    return status;
  r.command = mpir_job_words(argv);
  r.folder = getcwd(NULL, 0);
  r.signals = mpir_job_signals(r.clock, &before);
  r.mask = &before;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  while ((status = live(&r)) == AGAIN) {
    if (mpir_sets_go_back(&r))
      return LOST;
    mpir_sets_unmake(&r);
  }
  return status;
}
