/* A program with a bit of everything that a checkpoint must carry.  Its last line of output depends on nothing but its
 * arguments, however often it was saved, killed and restarted on the way.  mix THREADS STEPS FILE */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64

static pthread_mutex_t recursive;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static unsigned turn, threads;
static unsigned long steps;
static uint64_t shared_sum, results[THREADS_MAX];
static __thread uint64_t thread_hash;
static __thread double thread_float;
static _Atomic uint64_t *mapped, *anonymous;
static int pipe_fd[2], event_fd;
static FILE *file;
static volatile sig_atomic_t alarms, posix_alarms;

static uint64_t mix64(uint64_t x)
{
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

static void check(int ok, const char *what)
{
  if (ok)
    return;
  fprintf(stderr, "mix: %s: %s\n", what, strerror(errno));
  exit(3);
}

static void on_alarm(int sig)
{
  if (sig == SIGALRM)
    alarms++;
  else
    posix_alarms++;
}

/* Allocates, fills, frees in an order that the thread's hash gives; every block is checked before it is freed. */
static void churn(void **blocks, unsigned step)
{
  unsigned i = thread_hash % 16;
  size_t size = 16 + thread_hash % (step % 50 == 0 ? 300000 : 3000);

  if (blocks[i]) {
    unsigned char *p = blocks[i];
    size_t length;

    memcpy(&length, p, sizeof(length));
    check(p[length - 1] == (unsigned char)length, "a block of memory has changed");
    thread_hash = mix64(thread_hash + length);
    free(p);
  }
  blocks[i] = malloc(size);
  check(blocks[i] != NULL, "malloc");
  memcpy(blocks[i], &size, sizeof(size));
  ((unsigned char *)blocks[i])[size - 1] = (unsigned char)size;
}

/* One turn each, in a fixed order, by condition variable; the holder of the turn writes a line and a message. */
static void take_turn(unsigned self, unsigned long step)
{
  uint64_t message;

  pthread_mutex_lock(&lock);
  while (turn != self)
    pthread_cond_wait(&turned, &lock);
  fprintf(file, "%u %lu %016llx\n", self, step, (unsigned long long)thread_hash);
  message = thread_hash;
  turn = (turn + 1) % threads;
  pthread_cond_broadcast(&turned);
  pthread_mutex_unlock(&lock);
  check(write(pipe_fd[1], &message, sizeof(message)) == sizeof(message), "write to the pipe");
}

static void *worker(void *arg)
{
  unsigned self = (unsigned)(uintptr_t)arg;
  void *blocks[16] = { NULL };
  uint64_t one = 1;

  thread_hash = mix64(self + 1);
  thread_float = 1.0 + self;
  pthread_barrier_wait(&barrier);
  for (unsigned long step = 0; step < steps; step++) {
    for (int i = 0; i < 2000; i++) {
      thread_hash = mix64(thread_hash + step);
      thread_float = sqrt(thread_float * 1.0000001 + (double)(thread_hash & 0xff)) + 1.0 / thread_float;
    }
    churn(blocks, (unsigned)step);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    shared_sum += thread_hash;
    usleep(step % 16 == 0 ? 500 : 0); /* held, recursively, for most of the time */
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    *mapped += thread_hash >> 32;
    *anonymous += thread_hash & 0xffff;
    if (step % 8 == 0)
      take_turn(self, step);
  }
  for (int i = 0; i < 16; i++)
    free(blocks[i]);
  memcpy(&one, &thread_float, sizeof(one));
  results[self] = mix64(thread_hash ^ one);
  one = 1;
  check(write(event_fd, &one, sizeof(one)) == sizeof(one), "write to the eventfd");
  return NULL;
}

static void watch(int epoll, int fd)
{
  struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

  check(!epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

/* Takes the workers' messages until all have ended and every message has come. */
static uint64_t collect(int epoll, int timer)
{
  uint64_t sum = 0, value, ended = 0, messages = 0, expected = threads * ((steps + 7) / 8), ticks = 0;

  while (ended < threads || messages < expected || !ticks) {
    struct epoll_event events[8];
    int n = epoll_wait(epoll, events, 8, -1);

    check(n > 0 || errno == EINTR, "epoll_wait");
    for (int i = 0; i < n; i++) {
      ssize_t got = read(events[i].data.fd, &value, sizeof(value));

      check(got == sizeof(value), "read in the loop");
      if (events[i].data.fd == timer)
        ticks += value;
      else if (events[i].data.fd == event_fd)
        ended += value;
      else
        messages++, sum += mix64(value);
    }
  }
  return sum;
}

/* Timers must still run at the end, in whatever life of the process that is. */
static void await_timers(int timer)
{
  sig_atomic_t a = alarms, b = posix_alarms;
  uint64_t ticks;

  check(read(timer, &ticks, sizeof(ticks)) == sizeof(ticks), "read of the timerfd");
  while (alarms == a || posix_alarms == b)
    usleep(1000);
}

static uint64_t hash_file(void)
{
  uint64_t hash = 0;
  int c;

  rewind(file);
  while ((c = getc(file)) != EOF)
    hash = mix64(hash + (uint64_t)c);
  return hash;
}

static timer_t start_timers(int *fd)
{
  const struct itimerspec every = { { 0, 7000000 }, { 0, 7000000 } };
  const struct itimerval alarm_every = { { 0, 11000 }, { 0, 11000 } };
  struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3 };
  timer_t timer;

  sigaction(SIGALRM, &action, NULL);
  sigaction(SIGRTMIN + 3, &action, NULL);
  setitimer(ITIMER_REAL, &alarm_every, NULL);
  check(!timer_create(CLOCK_MONOTONIC, &event, &timer), "timer_create");
  check(!timer_settime(timer, 0, &every, NULL), "timer_settime");
  *fd = timerfd_create(CLOCK_MONOTONIC, 0);
  check(*fd >= 0 && !timerfd_settime(*fd, 0, &every, NULL), "timerfd");
  return timer;
}

int main(int argc, char **argv)
{
  pthread_t ids[THREADS_MAX];
  pthread_mutexattr_t attributes;
  uint64_t sum, hash = 0;
  int timer_fd, epoll, memory;

  check(argc == 4, "usage: mix THREADS STEPS FILE");
  threads = (unsigned)atoi(argv[1]);
  steps = strtoul(argv[2], NULL, 10);
  check(threads >= 1 && threads <= THREADS_MAX, "1 to 64 threads");
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  pthread_barrier_init(&barrier, NULL, threads);
  file = fopen(argv[3], "w+");
  check(file && !pipe(pipe_fd), "file or pipe");
  event_fd = eventfd(0, 0);
  memory = memfd_create("counter", 0);
  check(memory >= 0 && !ftruncate(memory, 8192), "memfd");
  mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  anonymous = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  start_timers(&timer_fd);
  epoll = epoll_create1(0);
  watch(epoll, timer_fd);
  watch(epoll, event_fd);
  watch(epoll, pipe_fd[0]);
  for (unsigned i = 0; i < threads; i++)
    check(!pthread_create(&ids[i], NULL, worker, (void *)(uintptr_t)i), "pthread_create");
  fprintf(stderr, "ready\n");
  sum = collect(epoll, timer_fd);
  for (unsigned i = 0; i < threads; i++) {
    pthread_join(ids[i], NULL);
    hash = mix64(hash + results[i]);
  }
  await_timers(timer_fd);
  check(pread(memory, &results[0], 8, 0) == 8 && results[0] == *mapped, "the memory file is not what is mapped");
  printf("%016llx %016llx %016llx %016llx %016llx %016llx\n", (unsigned long long)hash, (unsigned long long)sum,
         (unsigned long long)shared_sum, (unsigned long long)*mapped, (unsigned long long)*anonymous,
         (unsigned long long)hash_file());
  return 42;
}
