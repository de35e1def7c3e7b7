/* Threads that count at known places, for tests of the debugger protocol.  steps THREADS LIMIT [PAUSE]: prints the sum.
 * Every 4096 steps a thread sleeps PAUSE microseconds (1000), and no more once SIGUSR1 has come. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long limit;
static volatile unsigned long counts[64];
static volatile unsigned pause_us = 1000;

static __attribute__((noinline)) void step(unsigned self) { counts[self]++; }

static void on_user(int sig)
{
  (void)sig;
  pause_us = 0;
}

static void *worker(void *arg)
{
  unsigned self = (unsigned)(uintptr_t)arg;

  while (counts[self] < limit) {
    step(self);
    if (counts[self] % 4096 == 0 && pause_us)
      usleep(pause_us);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t ids[64];
  unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  unsigned long sum = 0;

  limit = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
  pause_us = argc > 3 ? (unsigned)atoi(argv[3]) : 1000;
  signal(SIGUSR1, on_user);
  fprintf(stderr, "ready\n");
  for (unsigned i = 1; i < threads; i++)
    pthread_create(&ids[i], NULL, worker, (void *)(uintptr_t)i);
  worker(NULL);
  for (unsigned i = 1; i < threads; i++)
    pthread_join(ids[i], NULL);
  for (unsigned i = 0; i < threads; i++)
    sum += counts[i];
  printf("sum %lu\n", sum);
  return 0;
}
