/* Threads that count at known places, for tests of the debugger protocol.  steps THREADS LIMIT: prints the sum. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long limit;
static volatile unsigned long counts[64];

static __attribute__((noinline)) void step(unsigned self) { counts[self]++; }

static void *worker(void *arg)
{
  unsigned self = (unsigned)(uintptr_t)arg;

  while (counts[self] < limit) {
    step(self);
    if (counts[self] % 4096 == 0)
      usleep(1000);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t ids[64];
  unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  unsigned long sum = 0;

  limit = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
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
