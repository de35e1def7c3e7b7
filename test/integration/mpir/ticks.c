/* Timers of all kinds that are armed again each time they have expired, so that one whose expiry a checkpoint loses never comes
 * again.  Runs until it is killed; a restarted process waits until each has expired some more times, and says "all tick". */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "dvmcr.h"

#define EVERY 64        /* timerfd, repeating */
#define ONCE 64         /* timerfd, armed once each time */
#define TO_PROCESS 48   /* POSIX timers, armed once each time; their signal goes to the process, */
#define TO_THREAD 48    /* to a thread */
#define ALARM 1         /* interval timer */
#define ALL (EVERY + ONCE + TO_PROCESS + TO_THREAD + ALARM)
#define MORE 3          /* times that each must come after the restart */
#define LIMIT_S 20
#define PERIOD_NS 2000000l

static struct ticker {
  int fd;
  timer_t id;
  atomic_ulong armed, came;
} tickers[ALL];
static _Thread_local unsigned noise = 1;
static volatile sig_atomic_t lives = 1;

static void check(int ok, const char *what)
{
  if (ok)
    return;
  fprintf(stderr, "ticks: %s: %s\n", what, strerror(errno));
  exit(3);
}

static struct itimerspec soon(void)
{
  noise = noise * 1103515245 + 12345;
  return (struct itimerspec){ .it_value.tv_nsec = PERIOD_NS / 2 + noise / 65536 * 40 };
}

static void arm(unsigned i)
{
  struct itimerspec setting = soon();

  atomic_fetch_add(&tickers[i].armed, 1);
  if (i < EVERY + ONCE) {
    setting.it_interval.tv_nsec = i < EVERY ? setting.it_value.tv_nsec : 0;
    check(!timerfd_settime(tickers[i].fd, 0, &setting, NULL), "timerfd_settime");
  } else if (i < ALL - ALARM) {
    check(!timer_settime(tickers[i].id, 0, &setting, NULL), "timer_settime");
  } else {
    struct itimerval value = { { 0, 0 }, { 0, setting.it_value.tv_nsec / 1000 } };

    check(!setitimer(ITIMER_REAL, &value, NULL), "setitimer");
  }
}

static void came(unsigned i)
{
  check(atomic_fetch_add(&tickers[i].came, 1) < atomic_load(&tickers[i].armed) || i < EVERY, "a timer came twice");
  if (i >= EVERY)
    arm(i);
}

/* Takes the expiries of the descriptors. */
static void *read_descriptors(void *arg)
{
  int epoll = epoll_create1(0);

  (void)arg;
  for (unsigned i = 0; i < EVERY + ONCE; i++) {
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };

    tickers[i].fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    check(tickers[i].fd >= 0 && !epoll_ctl(epoll, EPOLL_CTL_ADD, tickers[i].fd, &event), "timerfd");
    arm(i);
  }
  for (;;) {
    struct epoll_event events[32];
    int n = epoll_wait(epoll, events, 32, -1);

    check(n > 0, "epoll_wait");
    for (int k = 0; k < n; k++) {
      uint64_t times;

      if (read(tickers[events[k].data.u32].fd, &times, sizeof(times)) == sizeof(times))
        came(events[k].data.u32);
    }
  }
  return NULL;
}

/* Takes the signals of the timers first to last, which are made here. */
static void take_signals(unsigned first, unsigned last, int notify, int sig)
{
  struct sigevent event = { .sigev_notify = notify, .sigev_signo = sig };
  sigset_t set;
  siginfo_t info;

  noise = first;
  event._sigev_un._tid = gettid();
  sigemptyset(&set);
  sigaddset(&set, sig);
  for (unsigned i = first; i < last; i++) {
    event.sigev_value.sival_int = (int)i;
    check(!timer_create(CLOCK_MONOTONIC, &event, &tickers[i].id), "timer_create");
    arm(i);
  }
  for (;;) {
    check(sigwaitinfo(&set, &info) == sig && info.si_code == SI_TIMER, "sigwaitinfo");
    came((unsigned)info.si_value.sival_int);
  }
}

static void *of_process(void *arg)
{
  take_signals(EVERY + ONCE, EVERY + ONCE + TO_PROCESS, SIGEV_SIGNAL, SIGRTMIN + 1);
  return arg;
}

static void *of_thread(void *arg)
{
  take_signals(EVERY + ONCE + TO_PROCESS, ALL - ALARM, SIGEV_THREAD_ID, SIGRTMIN + 2);
  return arg;
}

static void *of_alarm(void *arg)
{
  sigset_t set;
  int sig;

  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  for (arm(ALL - 1);; came(ALL - 1))
    check(!sigwait(&set, &sig), "sigwait");
  return arg;
}

static void after_restart(int event)
{
  (void)event;
  lives = 2;
}

/* The number of a timer that has not come often enough, or ALL. */
static unsigned missing(const unsigned long *before)
{
  for (unsigned i = 0; i < ALL; i++)
    if (atomic_load(&tickers[i].came) < before[i] + MORE)
      return i;
  return ALL;
}

int main(void)
{
  void *(*const takers[])(void *) = { read_descriptors, of_process, of_thread, of_alarm };
  const struct timespec nap = { 0, 1000000 };
  unsigned long before[ALL] = { 0 };
  sigset_t set;
  pthread_t id;

  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 1);
  sigaddset(&set, SIGRTMIN + 2);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  dvmcr_hook_set(DVMCR_HOOK_RESTART, after_restart);
  for (int i = 0; i < 4; i++)
    check(!pthread_create(&id, NULL, takers[i], NULL), "pthread_create");
  while (missing(before) < ALL)
    nanosleep(&nap, NULL);
  fprintf(stderr, "ready\n");
  while (lives == 1)
    nanosleep(&nap, NULL);
  for (unsigned i = 0; i < ALL; i++)
    before[i] = atomic_load(&tickers[i].came);
  for (int i = 0; i < LIMIT_S * 1000 && missing(before) < ALL; i++)
    nanosleep(&nap, NULL);
  if (missing(before) < ALL) {
    unsigned i = missing(before);

    fprintf(stderr, "ticks: timer %u of %d has come %lu times, armed %lu times\n", i, ALL, atomic_load(&tickers[i].came),
            atomic_load(&tickers[i].armed));
    return 3;
  }
  puts("all tick");
  return 0;
}
