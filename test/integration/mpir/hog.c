/* Memory to be saved.  hog MEBIBYTES [huge] [THREADS]: fills it with bytes that do not compress, says "ready" and waits; each second
 * line on standard output is the longest time in ms that the main thread has lost between two looks at the clock. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void *sleeper(void *arg)
{
  for (;;)
    pause();
  return arg;
}

static double now_ms(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
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
  fprintf(stderr, "ready\n");
  for (double last = now_ms(), report = last, worst = 0;;) {
    double now = now_ms();

    worst = now - last > worst ? now - last : worst;
    last = now;
    if (now - report > 1000) {
      printf("%.2f\n", worst);
      fflush(stdout);
      worst = 0;
      report = now;
    }
    if (argc > 4)
      usleep(1000);
  }
}
