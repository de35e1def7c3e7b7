/* Making a shadow: a clone of the leading replica, whose memory holds all there is to know.  The command is its parent, as it is that of every main. */
#include "mpir/replica/door.h"
#include "mpir/replica/fds.h"
#include "mpir/replica/replica_private.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void replica_become_shadow(void);
void replica_reopen_files(void);

/* The command takes what has been written so far, so that the clone's output begins where this one's stands. */
static bool may_fork(void) {
  struct replica_rank *rank = mpl_replica.rank;
  atomic_store(&rank->fork_state, REPLICA_WANTS_FORK);
  replica_notify();
  while (atomic_load(&rank->fork_state) == REPLICA_WANTS_FORK)
    syscall(SYS_futex, &rank->fork_state, FUTEX_WAIT, REPLICA_WANTS_FORK, NULL, NULL, 0);
  return atomic_load(&rank->fork_state) == REPLICA_MAY_FORK;
}

static void stream_path(char path[64], uint32_t replica, int stream) {
  snprintf(path, 64, "/proc/%d/fd/%d", mpl_replica.job->controller, mpl_replica.rank->stream_fds[replica][stream]);
}

static int open_stream(int stream) {
  char path[64];
  stream_path(path, mpl_replica.me, stream);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    _exit(1);
  return fd;
}

void replica_take_streams(void) {
  for (int i = 0; i < REPLICA_STREAMS; i++) {
    int fd = open_stream(i);
    dup2(fd, i + 1);
    close(fd);
  }
}

/* 'fd', which is closed, takes the places of the pipe that the main has from the command's descriptor 'of_main', wherever the program has put it by now. */
static void put_in_places(int fd, const char *of_main) {
  static int fds[REPLICA_FDS_MAX];
  struct stat pipe, s;
  size_t n = stat(of_main, &pipe) ? 0 : replica_fds(fds, REPLICA_FDS_MAX);
  for (size_t k = 0; k < n; k++)
    if (fds[k] != fd && !fstat(fds[k], &s) && S_ISFIFO(s.st_mode) && s.st_ino == pipe.st_ino && s.st_dev == pipe.st_dev)
      replica_put_in_place(fd, fds[k]);
  close(fd);
}

/* A clone has its main's streams: they become its own. */
static void change_streams(void) {
  for (int i = 0; i < REPLICA_STREAMS; i++) {
    char path[64];
    int fd = open_stream(i);
    stream_path(path, 1 - mpl_replica.me, i);
    put_in_places(fd, path);
  }
}

/* What the main has not read comes to its clone by another pipe. */
static void change_input(void) {
  const int32_t *ends = mpl_replica.rank->input_fds;
  char path[64];
  if (ends[mpl_replica.me] < 0)
    return;
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", mpl_replica.job->controller, ends[mpl_replica.me]);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    _exit(1);
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", mpl_replica.job->controller, ends[1 - mpl_replica.me]);
  put_in_places(fd, path);
}

/* The process between us and the main has ended: the command is our parent now. */
static void wait_for_parent(pid_t between) {
  for (pid_t parent; (parent = getppid()) != mpl_replica.job->controller; usleep(100))
    if (parent != between)
      _exit(1);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != mpl_replica.job->controller)
    _exit(1);
}

/* The main goes on when this one has let go of all that the two share: 'ready' tells. */
static void begin_as_shadow(pid_t between, int ready) {
  struct replica_rank *rank = mpl_replica.rank;
  replica_become_shadow();
  atomic_store(&rank->pid[mpl_replica.me], getpid());
  MPIR_dvm_replica.pid = getpid();
  change_streams();
  change_input();
  replica_reopen_files();
  if (MPIR_dvm_replica.cloned)
    MPIR_dvm_replica.cloned();
  if (write(ready, "", 1) != 1)
    _exit(1);
  close(ready);
  wait_for_parent(between);
  atomic_fetch_add(&rank->begun, 1);
  replica_notify();
  mpl_replica_count_point(REPLICA_AT_FORK);
}

/* All that the shadow will read is held from now on. */
static void hold_back_writers(void) {
  struct replica_rank *rank = mpl_replica.rank;
  uint32_t other = 1 - mpl_replica.me;
  for (uint32_t i = 0; i < mpl.size; i++) {
    atomic_store(&mpl.peers[i].in.ring->taken[other], mpl.peers[i].in.position);
    atomic_store(&mpl.peers[i].out.ring->checked, mpl.peers[i].out.position);
    mpl.peers[i].out.limit = 0;
  }
  replica_forward_begin();
  atomic_store(&rank->step, mpl_replica.step);
  atomic_store(&rank->replayed, mpl_replica.logged);
  atomic_store(&rank->logged, mpl_replica.logged);
  atomic_store(&rank->pid[other], 0);
  if (mpl_replica.job->protocol != REPLICA_RECEIVER_FORWARDING)
    atomic_fetch_or(&rank->readers, 1u << other);
  atomic_fetch_or(&rank->alive, 1u << other);
}

/* True in the child.  SIGCHLD of the one between is not for the program. */
static bool clone_self(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  MPIR_dvm_replica.forking = true;
  if (MPIR_dvm_replica.forks)
    MPIR_dvm_replica.forks();
  pid_t between = fork();
  if (!between) {
    int ready[2];
    if (pipe2(ready, O_CLOEXEC))
      _exit(1);
    pid_t self = getpid(), child = fork();
    if (child) {
      if (child > 0)
        atomic_store(&mpl_replica.rank->pid[1 - mpl_replica.me], child);
      close(ready[1]);
      _exit(child < 0 || read(ready[0], &(char){0}, 1) != 1);
    }
    MPIR_dvm_replica.forking = false;
    close(ready[0]);
    begin_as_shadow(self, ready[1]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return true;
  }
  MPIR_dvm_replica.forking = false;
  int how = 0;
  while (between > 0 && waitpid(between, &how, 0) < 0 && errno == EINTR)
    ;
  if (between < 0 || how) {
    atomic_fetch_and(&mpl_replica.rank->alive, 1u << mpl_replica.me);
    atomic_store(&mpl_replica.rank->readers, 1u << mpl_replica.me);
  }
  struct timespec none = {0, 0};
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  if (!sigismember(&before, SIGCHLD))
    sigtimedwait(&child, NULL, &none);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return false;
}

void replica_fork(void) {
  struct replica_rank *rank = mpl_replica.rank;
  int64_t since = replica_now_ns();
  uint32_t threads = mpl_count_threads();
  mpl_replica_count_point(REPLICA_AT_FORK);
  if (threads > 1) {
    atomic_store(&rank->threads, threads);
    atomic_store(&rank->wanted, 0);
    return;
  }
  if (!may_fork())
    return;
  hold_back_writers();
  mpl_replica_count_point(REPLICA_AT_FORK);
  if (clone_self())
    return;
  atomic_store(&rank->wanted, 0);
  atomic_store(&rank->fork_state, REPLICA_FORKED);
  replica_add(&mpl_replica.count->forks, 1);
  replica_add(&mpl_replica.count->fork_ns, (uint64_t)(replica_now_ns() - since));
  mpl_replica_count_point(REPLICA_AT_FORK);
}
