/* Memory to be saved.  hog MEBIBYTES [huge|small [THREADS]]: fills it with bytes that do not compress, tells what a fork of it costs, says
 * "ready" and waits.  SIGUSR1: changes one page in a hundred and says "changed". */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *sleeper(void *arg)
{
  for (;;)
    pause();
  return arg;
}

static volatile sig_atomic_t asked;

static void on_user(int sig)
{
  (void)sig;
  asked++;
}

static double ms_of(clockid_t clock)
{
  struct timespec t;

  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Not through libc: no handlers of libraries run. */
static void tell_fork(void)
{
  double wall = ms_of(CLOCK_MONOTONIC), cpu = ms_of(CLOCK_PROCESS_CPUTIME_ID);
  pid_t child = (pid_t)syscall(SYS_fork);

  if (child == 0)
    syscall(SYS_exit_group, 0);
  wall = ms_of(CLOCK_MONOTONIC) - wall;
  cpu = ms_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  waitpid(child, NULL, 0);
  fprintf(stderr, "fork %.1f ms, %.1f ms of processor time\n", wall, cpu);
}

int main(int argc, char **argv)
{
  size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 16) << 20;
  int huge = argc > 2 && strcmp(argv[2], "huge") == 0, threads = argc > 3 ? atoi(argv[3]) : 0;
  uint64_t *p = mmap(NULL, size + (2u << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), x = 88172645463325252ull;

  if (p == MAP_FAILED)
    return 1;
  madvise(p, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  for (size_t i = 0; i < size / 8; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    p[i] = x;
  }
  for (int i = 0; i < threads; i++) {
    pthread_t id;

    pthread_create(&id, NULL, sleeper, NULL);
  }
  for (int i = 0; i < 3; i++)
    tell_fork();
  signal(SIGUSR1, on_user);
  fprintf(stderr, "ready\n");
  for (;;) {
    pause();
    for (size_t at = 0; asked && at < size / 8; at += 100 * 4096 / 8)
      p[at + asked] += 1;
    fprintf(stderr, "changed %d\n", (int)asked);
  }
}
