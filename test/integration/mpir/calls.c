/* Threads inside system calls that a handler breaks off, whatever SA_RESTART says: after a checkpoint, and after a restart,
 * each must give what it would have given undisturbed.  A signal of the program's own must still break them off.
 * calls IMAGE */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include "self.h"

static const struct timespec short_time = { 0, 400000000 };
static int pipe_fd[2], watched[2], epoll, quiet[2];
static sem_t semaphore, never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int open_gate;
static atomic_int inside, broken;

static struct timespec later(clockid_t clock)
{
  struct timespec t;

  clock_gettime(clock, &t);
  t.tv_nsec += 400000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

/* Those that end by their time. */
static int do_nanosleep(void) { return nanosleep(&short_time, NULL); }
static int do_clock_nanosleep(void) { return clock_nanosleep(CLOCK_REALTIME, 0, &short_time, NULL); }
static int do_clock_absolute(void)
{
  struct timespec t = later(CLOCK_MONOTONIC);

  return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
static int do_usleep(void) { return usleep(400000); }
static int do_thrd_sleep(void) { return thrd_sleep(&short_time, NULL); }
static int do_sleep(void) { return (int)sleep(1); }
static int do_poll(void) { return poll(&(struct pollfd){ quiet[0], POLLIN, 0 }, 1, 400); }
static int do_ppoll(void) { return ppoll(NULL, 0, &short_time, NULL); }
static int do_select(void)
{
  fd_set in;

  FD_ZERO(&in);
  FD_SET(quiet[0], &in);
  return select(quiet[0] + 1, &in, NULL, NULL, &(struct timeval){ 0, 400000 });
}
static int do_pselect(void) { return pselect(0, NULL, NULL, NULL, &short_time, NULL); }
static int do_epoll_wait(void) { return epoll_wait(epoll, &(struct epoll_event){ 0 }, 1, 400); }
static int do_epoll_pwait2(void) { return epoll_pwait2(epoll, &(struct epoll_event){ 0 }, 1, &short_time, NULL); }
static int do_sem_timedwait(void)
{
  struct timespec t = later(CLOCK_REALTIME);

  return sem_timedwait(&never, &t) == -1 && errno == ETIMEDOUT ? 0 : -1;
}
static int do_sigtimedwait(void)
{
  sigset_t set;

  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 4);
  return sigtimedwait(&set, NULL, &short_time) == -1 && errno == EAGAIN ? 0 : -1;
}

/* Those that end by an event, which comes after the restart. */
static int do_read(void)
{
  char c;

  return read(pipe_fd[0], &c, 1) == 1 ? 0 : -1;
}
static int do_poll_forever(void)
{
  struct pollfd p = { watched[0], POLLIN, 0 };

  return poll(&p, 1, -1) == 1 ? 0 : -1;
}
static int do_select_forever(void)
{
  fd_set in;

  FD_ZERO(&in);
  FD_SET(watched[0], &in);
  return select(watched[0] + 1, &in, NULL, NULL, NULL) == 1 ? 0 : -1;
}
static int do_sem_wait(void) { return sem_wait(&semaphore); }
static int do_sigwaitinfo(void)
{
  sigset_t set;

  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 4);
  return sigwaitinfo(&set, NULL) == SIGRTMIN + 4 ? 0 : -1;
}
static int do_condition(void)
{
  pthread_mutex_lock(&mutex);
  while (!open_gate)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}
static int do_futex(void)
{
  int rc = 0;

  while (!rc && !*(volatile int *)&open_gate)
    rc = syscall(SYS_futex, &open_gate, 0 /* FUTEX_WAIT */, 0, NULL, NULL, 0) && errno != EAGAIN ? -1 : 0;
  return rc;
}

/* Those that only a handler ends: the program's own. */
static int do_pause(void) { return pause() == -1 && errno == EINTR ? 0 : -1; }
static int do_sigsuspend(void)
{
  sigset_t none;

  sigemptyset(&none);
  return sigsuspend(&none) == -1 && errno == EINTR ? 0 : -1;
}

enum kind { BY_TIME, BY_EVENT, BY_HANDLER };
static struct call {
  const char *name;
  int (*run)(void);
  enum kind kind;
  pthread_t id;
} calls[] = {
  { "nanosleep", do_nanosleep, BY_TIME, 0 }, { "clock_nanosleep", do_clock_nanosleep, BY_TIME, 0 },
  { "clock_nanosleep absolute", do_clock_absolute, BY_TIME, 0 }, { "usleep", do_usleep, BY_TIME, 0 },
  { "sleep", do_sleep, BY_TIME, 0 }, { "thrd_sleep", do_thrd_sleep, BY_TIME, 0 }, { "poll", do_poll, BY_TIME, 0 }, { "ppoll", do_ppoll, BY_TIME, 0 },
  { "select", do_select, BY_TIME, 0 }, { "pselect", do_pselect, BY_TIME, 0 }, { "epoll_wait", do_epoll_wait, BY_TIME, 0 },
  { "epoll_pwait2", do_epoll_pwait2, BY_TIME, 0 }, { "sem_timedwait", do_sem_timedwait, BY_TIME, 0 },
  { "sigtimedwait", do_sigtimedwait, BY_TIME, 0 }, { "read", do_read, BY_EVENT, 0 },
  { "poll forever", do_poll_forever, BY_EVENT, 0 }, { "select forever", do_select_forever, BY_EVENT, 0 },
  { "sem_wait", do_sem_wait, BY_EVENT, 0 }, { "sigwaitinfo", do_sigwaitinfo, BY_EVENT, 0 },
  { "pthread_cond_wait", do_condition, BY_EVENT, 0 }, { "futex", do_futex, BY_EVENT, 0 },
  { "pause", do_pause, BY_HANDLER, 0 }, { "sigsuspend", do_sigsuspend, BY_HANDLER, 0 },
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static void *run(void *arg)
{
  struct call *call = arg;
  int rc;

  atomic_fetch_add(&inside, 1);
  rc = call->run();
  if (rc) {
    fprintf(stderr, "calls: %s gives %d, errno %s\n", call->name, rc, strerror(errno));
    atomic_fetch_add(&broken, 1);
  }
  return NULL;
}

/* Saves and goes on, several times, so that calls are broken off more than once. */
static void checkpoints(const char *path, int count)
{
  struct dvmcr_options options = { .size = sizeof(options), .path = path, .flags = DVMCR_NO_SYNC };

  for (int i = 0; i < count; i++) {
    int ticket = dvmcr_request(&options);

    CHECK(ticket > 0 && dvmcr_wait(ticket, NULL, 0, -1) == 0);
    sched_yield();
  }
}

static void on_user(int sig) { (void)sig; }

/* The program's own signal, also right after a checkpoint, must be seen. */
static void *interrupted(void *arg)
{
  struct timespec rest = { 0, 0 };

  (void)arg;
  atomic_fetch_add(&inside, 1);
  CHECK(nanosleep(&(struct timespec){ 1000, 0 }, &rest) == -1 && errno == EINTR && rest.tv_sec > 900);
  return NULL;
}

static void own_signals(const char *path)
{
  pthread_t id;

  atomic_store(&inside, 0);
  CHECK(!pthread_create(&id, NULL, interrupted, NULL));
  while (!atomic_load(&inside))
    sched_yield();
  checkpoints(path, 2);
  for (int joined = 0; !joined;) { /* it may not be inside the call yet */
    struct timespec soon;

    pthread_kill(id, SIGUSR1);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    joined = !pthread_timedjoin_np(id, NULL, &soon);
  }
}

int main(int argc, char **argv)
{
  struct sigaction action = { .sa_handler = on_user };
  char other[4096];
  sigset_t set;

  if (argc < 2)
    return 2;
  snprintf(other, sizeof(other), "%s.other", argv[1]);
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 4);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  sigaction(SIGUSR1, &action, NULL);
  sem_init(&semaphore, 0, 0);
  sem_init(&never, 0, 0);
  CHECK(!pipe(pipe_fd) && !pipe(watched) && !pipe(quiet) && (epoll = epoll_create1(0)) >= 0);
  for (size_t i = 0; i < CALLS; i++)
    CHECK(!pthread_create(&calls[i].id, NULL, run, &calls[i]));
  while (atomic_load(&inside) < (int)CALLS)
    sched_yield();
  checkpoints(other, 3);
  self_save(argv[1]);
  checkpoints(other, 3);
  for (size_t i = 0; i < CALLS; i++)
    if (calls[i].kind == BY_TIME)
      pthread_join(calls[i].id, NULL);
  CHECK(write(pipe_fd[1], "x", 1) == 1 && write(watched[1], "x", 1) == 1);
  for (size_t i = 0; i < CALLS; i++)
    if (calls[i].kind == BY_HANDLER)
      while (pthread_tryjoin_np(calls[i].id, NULL) == EBUSY) {
        pthread_kill(calls[i].id, SIGUSR1);
        sched_yield();
      }
  sem_post(&semaphore);
  sigqueue(getpid(), SIGRTMIN + 4, (union sigval){ 0 });
  pthread_mutex_lock(&mutex);
  open_gate = 1;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  syscall(SYS_futex, &open_gate, 1 /* FUTEX_WAKE */, 100, NULL, NULL, 0);
  for (size_t i = 0; i < CALLS; i++)
    if (calls[i].kind == BY_EVENT)
      pthread_join(calls[i].id, NULL);
  own_signals(other);
  CHECK(!atomic_load(&broken));
  puts("as before");
  return 0;
}
