/* Timers that call a function in a thread (SIGEV_THREAD).  libc's own helper for them blocks all signals, also the one that stops threads:
 * so they are made here, from timers that signal a thread of ours, which starts the program's functions in threads as libc would.
 * Timers of other kinds are the kernel's, with the same numbers as libc gives them. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "mpir/crs/crs_private.h"
#include "mpir/crs/sys.h"

#define EXPORT __attribute__((visibility("default")))
#define SIGNAL_OF_TIMERS 32 /* the one that libc keeps for the same purpose; its functions leave it out of all sets */

struct call { /* lives as long as its timer, and while it is in the list */
  struct call *next;
  int timer;
  void (*fn)(union sigval);
  union sigval value;
  pthread_attr_t attributes;
  bool has_attributes;
};

static pthread_mutex_t lock CRS_FORKED = PTHREAD_MUTEX_INITIALIZER;
static struct call *calls CRS_FORKED;
static pid_t notifier, notifier_of; /* thread, of which process: a forked child has none */
static atomic_uint started;

struct run {
  void (*fn)(union sigval);
  union sigval value;
};

static void *run(void *arg) {
  struct run r = *(struct run *)arg;
  uint64_t none = 0;

  free(arg);
  sys4(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
  r.fn(r.value);
  return NULL;
}

/* With the lock held. */
static void start_call(const struct call *c) {
  struct run *r = malloc(sizeof(*r));
  pthread_attr_t detached;
  pthread_t thread;

  if (!r)
    return;
  *r = (struct run){c->fn, c->value};
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, c->has_attributes ? &c->attributes : &detached, run, r))
    free(r);
  else if (c->has_attributes)
    pthread_detach(thread);
  pthread_attr_destroy(&detached);
}

static void *notify(void *arg) {
  const uint64_t set = 1ull << (SIGNAL_OF_TIMERS - 1);
  siginfo_t info;

  sys4(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 8); /* it cancels threads, too, so libc lets it in */
  notifier = (pid_t)sys0(SYS_gettid);
  atomic_store(&started, 1);
  sys_futex_wake(&started);
  for (;;) {
    if (sys4(SYS_rt_sigtimedwait, &set, &info, NULL, 8) != SIGNAL_OF_TIMERS || info.si_code != SI_TIMER)
      continue;
    pthread_mutex_lock(&lock);
    for (const struct call *c = calls; c; c = c->next)
      if (c == info.si_value.sival_ptr) /* else it has been deleted since */
        start_call(c);
    pthread_mutex_unlock(&lock);
  }
  return arg;
}

/* With the lock held.  The thread, and those that it starts, begin with all signals blocked but the checkpointer's. */
static int notifier_start(void) {
  const pid_t pid = (pid_t)sys0(SYS_getpid);
  const int stop = crs.stop_signal ? crs.stop_signal : SIGRTMAX - 1, hold = crs.hold_signal ? crs.hold_signal : SIGRTMAX - 3;
  const uint64_t most = ~(1ull << (stop - 1) | 1ull << (hold - 1)); /* sigfillset(3) leaves the timers' signal out */
  uint64_t before;
  pthread_t thread;
  int rc;

  if (notifier_of == pid)
    return 0;
  atomic_store(&started, 0);
  sys4(SYS_rt_sigprocmask, SIG_SETMASK, &most, &before, 8);
  rc = pthread_create(&thread, NULL, notify, NULL);
  sys4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
  if (rc)
    return -rc;
  pthread_detach(thread);
  while (!atomic_load(&started))
    sys_futex_wait(&started, 0, 10000000);
  notifier_of = pid;
  return 0;
}

static long create_calling(clockid_t clock, const struct sigevent *wanted, int *id) {
  struct sigevent event;
  struct call *c = calloc(1, sizeof(*c));
  long rc;

  if (!c)
    return -EAGAIN;
  c->fn = wanted->sigev_notify_function;
  c->value = wanted->sigev_value;
  if (wanted->sigev_notify_attributes) {
    c->attributes = *(const pthread_attr_t *)wanted->sigev_notify_attributes;
    c->has_attributes = true;
  }
  memset(&event, 0, sizeof(event));
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGNAL_OF_TIMERS;
  event.sigev_value.sival_ptr = c;
  pthread_mutex_lock(&lock);
  rc = notifier_start();
  event._sigev_un._tid = notifier;
  if (!rc)
    rc = sys3(SYS_timer_create, clock, &event, id);
  if (!rc) {
    c->timer = *id;
    c->next = calls;
    calls = c;
  }
  pthread_mutex_unlock(&lock);
  if (rc)
    free(c);
  return rc;
}

/* A child has no timers, no thread of ours, and the lock as another thread may have held it. */
void mpir_crs_timer_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  calls = NULL;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer) {
  int id = 0;
  long rc = event && event->sigev_notify == SIGEV_THREAD ? create_calling(clock, event, &id) : sys3(SYS_timer_create, clock, event, &id);

  if (rc) {
    errno = (int)-rc;
    return -1;
  }
  *timer = (timer_t)(intptr_t)id;
  return 0;
}

EXPORT int timer_delete(timer_t timer) {
  const int id = (int)(intptr_t)timer;
  long rc;

  pthread_mutex_lock(&lock);
  rc = sys1(SYS_timer_delete, id);
  for (struct call **at = &calls; !rc && *at; at = &(*at)->next)
    if ((*at)->timer == id) {
      struct call *gone = *at;

      *at = gone->next;
      free(gone);
      break;
    }
  pthread_mutex_unlock(&lock);
  if (!rc)
    return 0;
  errno = (int)-rc;
  return -1;
}
