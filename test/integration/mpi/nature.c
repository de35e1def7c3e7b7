/* nature [LONG]: a program that asks its surroundings for everything, sends what it got, and sees that the time does not go back and its number stays,
   whoever dies.  It prints the same each time.  LONG: asks 100000 times a step. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int rank, size, wrong;
static volatile int got;

static void on_signal(int signal) { got = signal; }

static void grows(const char *what, double *before, double now) {
  if (now < *before)
    printf("rank %d: %s has gone back from %.9f to %.9f\n", rank, what, *before, now), wrong = 1;
  *before = now;
}

static double seconds(clockid_t which) {
  struct timespec t;
  clock_gettime(which, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double used(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec;
}

static double of_day(void) {
  struct timeval t;
  gettimeofday(&t, NULL);
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static double old_time(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double ticks(void) {
  struct tms t;
  return (double)times(&t) + 1e-9 * (double)t.tms_utime;
}

static void mix(double *sum, const void *bytes, size_t n) {
  for (size_t i = 0; i < n; i++)
    *sum = *sum * 0.75 + ((const unsigned char *)bytes)[i];
}

/* Descriptors and streams, from before MPI_Init and of this step. */
static double devices(int early, FILE *early_stream) {
  double sum = 0;
  unsigned char a[5] = {0}, b[300] = {0}, c[4] = {0};
  struct iovec pieces[] = {{a, sizeof(a)}, {c, sizeof(c)}};
  int fd = open("/dev/urandom", O_RDONLY);
  FILE *f = fopen("/dev/random", "r");
  if (read(early, a, sizeof(a)) != (ssize_t)sizeof(a) || pread(fd, b, sizeof(b), 0) != (ssize_t)sizeof(b))
    wrong = 1;
  mix(&sum, a, sizeof(a));
  mix(&sum, b, sizeof(b));
  if (readv(dup(fd), pieces, 2) != 9 || !f || fread(b, 1, 17, f) != 17 || fread(b + 20, 1, 9, early_stream) != 9)
    wrong = 1;
  mix(&sum, a, sizeof(a));
  mix(&sum, b, sizeof(b));
  mix(&sum, c, sizeof(c));
  close(fd);
  if (f)
    fclose(f);
  return sum;
}

int main(int argc, char **argv) {
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
  double before[10] = {0}, sum = 0;
  long turns = argc > 1 ? 100000 : 1;
  pid_t first = 0;
  int early = open("/dev/urandom", O_RDONLY);
  FILE *early_stream = fopen("/dev/urandom", "rb");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  signal(SIGUSR1, on_signal);
  for (int step = 0; step < 20; step++) {
    unsigned char random[37];
    double from;
    for (int c = 0; c < 4; c++)
      for (long k = 0; k < turns; k++)
        grows("a clock", &before[c], seconds(clocks[c]));
    grows("time", &before[4], (double)time(NULL));
    grows("gettimeofday", &before[5], of_day());
    grows("clock", &before[6], (double)clock());
    grows("times", &before[7], ticks());
    grows("getrusage", &before[8], used());
    grows("timespec_get", &before[9], old_time());
    for (int i = 0; i < 10; i++)
      mix(&sum, &before[i], sizeof(before[i]));
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random) || getentropy(random + 20, 9))
      wrong = 1;
    mix(&sum, random, sizeof(random));
    sum += devices(early, early_stream);
    sum += arc4random_uniform(1000) + arc4random() * 1e-9;
    if (first && getpid() != first)
      printf("rank %d: was process %d, is process %d\n", rank, first, getpid()), wrong = 1;
    first = getpid();
    sum += first + getppid();
    got = 0;
    kill(getpid(), SIGUSR1);
    if (got != SIGUSR1)
      printf("rank %d: its own signal does not arrive\n", rank), wrong = 1;
    MPI_Sendrecv(&sum, 1, MPI_DOUBLE, (rank + 1) % size, 5, &from, 1, MPI_DOUBLE, (rank + size - 1) % size, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    sum += from * 1e-3;
  }
  printf("rank %d: %s\n", rank, wrong ? "wrong" : "the same");
  MPI_Finalize();
  return wrong;
}
