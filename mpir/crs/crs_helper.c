/* The helper thread: waits for requests and runs what they ask for; and what becomes of it in a forked child. */
#include "mpir/crs/crs_helper.h"
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "mpir/crs/crs_clock.h"
#include "mpir/crs/crs_demand.h"
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_hooks.h"
#include "mpir/crs/crs_track.h"
#include "mpir/crs/sys.h"

#define HELPER_STACK (1u << 20)
#define LISTEN_AGAIN_MS 100
#define DEMAND_MS 1000
#define END_MS 20 /* between two looks whether the program's last thread has ended */

static atomic_uint asked_by_signal;
static atomic_uint main_ending CRS_FORKED;
static pthread_key_t end_of_main;
static bool is_watched;      /* there was a key left */
static unsigned runs_before; /* this helper began */

/* How long a helper on demand waits for whom it was made for. */
static int64_t patience_ms(void) {
  return mpir_crs_tickets_fd() >= 0 || mpir_crs_lazy_fd() >= 0           ? 1000
         : mpir_crs_runs() != runs_before || mpir_crs_demand_is_ending() ? 0
                                                                         : DEMAND_MS;
}

/* Until there is something to do: a connection, a signal (which is also what wakes us), or the time of a checkpoint. */
static bool helper_wait(int64_t next) {
  const bool ending = atomic_load(&main_ending);
  const bool on_demand = mpir_crs_demand_is_self();
  struct pollfd waiting[3] = {{.fd = crs.listen_fd, .events = POLLIN},
                              {.fd = mpir_crs_lazy_fd(), .events = POLLIN},
                              {.fd = mpir_crs_tickets_fd(), .events = POLLIN}};
  int64_t left = on_demand ? patience_ms() : mpir_crs_defaults.period_ms ? (next - sys_monotonic_ns()) / 1000000 : LISTEN_AGAIN_MS;
  struct timespec limit;
  sigset_t mask;

  sigfillset(&mask);
  sigdelset(&mask, crs.stop_signal); /* let in only here */
  if (crs.listen_fd < 0 && left > LISTEN_AGAIN_MS)
    left = LISTEN_AGAIN_MS;
  if (ending && left > END_MS)
    left = END_MS;
  limit = (struct timespec){left > 0 ? left / 1000 : 0, left > 0 ? left % 1000 * 1000000 : 0};
  sys5(SYS_ppoll, waiting, 3, on_demand || ending || mpir_crs_defaults.period_ms || crs.listen_fd < 0 ? &limit : NULL, &mask, 8);
  if (waiting[1].revents)
    mpir_crs_lazy_heard();
  if (waiting[2].revents)
    mpir_crs_tickets_answer();
  return waiting[0].revents != 0;
}

/* The main thread has left the program to the others. */
static void on_end_of_main(void *unused) {
  (void)unused;
  atomic_store(&main_ending, 1);
  mpir_crs_helper_wake();
}

static void watch_main(void) {
  atomic_store(&main_ending, 0);
  if (is_watched)
    pthread_setspecific(end_of_main, &end_of_main);
}

/* libc ends a process with its last thread, and takes this one for one of the program's. */
static void end_with_last(void) {
  const uint64_t none = 0;

  if (!atomic_load(&main_ending) || mpir_crs_demand_is_self() || !mpir_crs_stop_is_alone())
    return;
  sys4(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
  exit(0);
}

/* What a helper on demand must not leave undone. */
static bool is_asked(void) {
  struct pollfd waiting = {.fd = crs.listen_fd, .events = POLLIN};

  return mpir_crs_tickets_asked() || atomic_load(&asked_by_signal) || sys3(SYS_poll, &waiting, 1, 0) > 0;
}

static bool may_leave(void) {
  if (!mpir_crs_demand_is_self() || mpir_crs_tickets_fd() >= 0 || mpir_crs_lazy_fd() >= 0)
    return false;
  MPIR_checkpoint_helper_tid = 0;
  if (mpir_crs_demand_leave(is_asked))
    return true;
  MPIR_checkpoint_helper_tid = crs.helper_tid;
  return false;
}

void mpir_crs_helper_serve(void) {
  int64_t next = sys_monotonic_ns() + mpir_crs_defaults.period_ms * 1000000ll;

  runs_before = mpir_crs_runs();
  mpir_crs_self.helper = true;
  crs.helper_tid = (pid_t)sys0(SYS_gettid);
  MPIR_checkpoint_helper_tid = crs.helper_tid;
  prctl(PR_SET_NAME, "dvm-cr");
  for (;;) {
    atomic_thread_fence(memory_order_seq_cst); /* with mpir_crs_helper_wake: whoever came before our number was known */
    mpir_crs_tickets_serve();
    if (atomic_exchange(&asked_by_signal, 0))
      mpir_crs_tickets_serve_default();
    if (mpir_crs_defaults.period_ms && sys_monotonic_ns() >= next) {
      mpir_crs_tickets_serve_default();
      next = sys_monotonic_ns() + mpir_crs_defaults.period_ms * 1000000ll;
    }
    if (crs.listen_fd < 0)
      mpir_crs_connection_listen_again(); /* a child just forked may still hold the name */
    end_with_last();
    if (helper_wait(next))
      mpir_crs_connection_serve();
    else if (may_leave())
      return;
  }
}

static void *helper_main(void *arg) {
  (void)arg;
  mpir_crs_helper_serve();
  return NULL;
}

/* A child that is forked as soon as threads run would close what has these numbers by then. */
void mpir_crs_helper_restarted(void) {
  mpir_crs_connection_restarted();
  mpir_crs_tickets_forget_led();
  mpir_crs_descriptors_forget();
}

void mpir_crs_helper_wake(void) {
  atomic_thread_fence(memory_order_seq_cst);
  mpir_crs_stop_take_back();
  if (crs.helper_tid)
    sys3(SYS_tgkill, crs.pid, crs.helper_tid, crs.stop_signal);
  else
    mpir_crs_demand_start();
}

void mpir_crs_helper_on_ask(int sig, siginfo_t *info, void *frame) {
  (void)sig;
  (void)info;
  mpir_crs_note_interruption(frame);
  atomic_store(&asked_by_signal, 1);
  mpir_crs_helper_wake();
}

static int start_thread(void) {
  pthread_attr_t attributes;
  sigset_t all, before;
  pthread_t thread;
  int rc;

  sigfillset(&all);
  sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, HELPER_STACK);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  rc = pthread_create(&thread, &attributes, helper_main, NULL);
  pthread_attr_destroy(&attributes);
  sys4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
  return -rc;
}

int mpir_crs_helper_start(bool on_demand) {
  if (!on_demand)
    return start_thread();
  mpir_crs_connection_listen();
  if (crs.listen_fd >= 0)
    return 0;
  mpir_crs_demand_end(); /* the name is still held: a thread waits until it is free */
  return start_thread();
}

void mpir_crs_helper_require(void) {
  if (mpir_crs_demand_end() && start_thread())
    dprintf(2, "dvm: the helper thread of process %d cannot be started: it cannot be checkpointed\n", crs.pid);
}

/* A forked child has our memory but not our thread. */
static void after_fork(void) {
  mpir_crs_descriptors_forget();
  mpir_crs_connection_after_fork();
  mpir_crs_tickets_after_fork();
  mpir_crs_run_after_fork();
  atomic_store(&crs.stopping, 0); /* others may have been stopped when this thread forked: they are not here */
  atomic_store(&crs.claimed, 0);
  atomic_store(&crs.left, 0);
  crs.pid = getpid();
  mpir_crs_lazy_after_fork();
  mpir_crs_save_after_fork();
  crs.helper_tid = 0;
  crs.main_ended = false;
  crs.sequence = 0;
  mpir_crs_self.helper = false;
  mpir_crs_self.tid = 0;
  mpir_crs_track_forget(true);
  mpir_crs_timer_after_fork();
  mpir_crs_clock_after_fork();
  mpir_crs_semaphores_after_fork();
  mpir_crs_confine_after_fork();
  mpir_crs_hooks_after_fork();
  watch_main();
  mpir_crs_helper_start(mpir_crs_demand_after_fork());
}

void mpir_crs_helper_watch(void) {
  is_watched = !pthread_key_create(&end_of_main, on_end_of_main);
  watch_main();
  pthread_atfork(mpir_crs_descriptors_lock, mpir_crs_descriptors_unlock, after_fork);
}
