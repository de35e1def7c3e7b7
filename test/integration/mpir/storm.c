/* Threads that do one thing all the time, and count; what is counted must agree over any number of restarts.  storm KIND: runs until
 * SIGUSR1 comes, then says "whole".
 *   map: mapping, writing, moving, giving back, unmapping; heap: the same through malloc, and shared; signals: sending real-time and usual ones to each other; brk: moving the end of the heap;
 *   pipe, packets: writing and reading pieces of a few bytes; threads, fork, spawn, dlopen, timers, files: making and ending those. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include "storm_more.h"

#define THREADS 6
#define PIECES 64

static atomic_ulong sent, received;
static pthread_barrier_t ended; /* a signal to a thread that has ended is none, though it could be sent */
static pthread_t ids[THREADS];
static unsigned long deep(unsigned long n);

static void on_user(int sig)
{
  (void)sig;
  atomic_store(&finish, 1);
}

/* Every piece begins with its own address and size. */
static void map_storm(unsigned long seed)
{
  struct { unsigned long *at, size, mark; } pieces[PIECES] = { { 0 } };

  while (!atomic_load(&finish)) {
    unsigned long r = next(&seed) >> 33, i = r % PIECES, size = (1 + (r >> 8) % 40) * 4096;

    atomic_fetch_add(&rounds, 1);
    if (!pieces[i].at) {
      pieces[i].at = mmap(NULL, size, r & 0x4000 ? PROT_NONE : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      CHECK(pieces[i].at != MAP_FAILED && (!(r & 0x4000) || !mprotect(pieces[i].at, size, PROT_READ | PROT_WRITE)));
      if (r & 0x8000)
        memset(pieces[i].at, (int)r | 1, size);
      pieces[i].size = size;
      pieces[i].mark = r;
      pieces[i].at[0] = pieces[i].at[size / 8 - 1] = r;
      continue;
    }
    CHECK(pieces[i].at[0] == pieces[i].mark && pieces[i].at[pieces[i].size / 8 - 1] == pieces[i].mark);
    if ((r & 0x3000) == 0x2000) { /* what is given back reads as zeros */
      CHECK(!madvise(pieces[i].at, pieces[i].size, MADV_DONTNEED) && !pieces[i].at[0] && !pieces[i].at[pieces[i].size / 8 - 1]);
      pieces[i].at[0] = pieces[i].at[pieces[i].size / 8 - 1] = pieces[i].mark;
    } else if (r & 0x1000) {
      const unsigned long before = pieces[i].size;

      pieces[i].at = mremap(pieces[i].at, pieces[i].size, size, MREMAP_MAYMOVE);
      CHECK(pieces[i].at != MAP_FAILED);
      for (unsigned long k = before / 8; k < size / 8; k += 512) /* what is new, too */
        CHECK(!pieces[i].at[k]);
      pieces[i].size = size;
      pieces[i].at[size / 8 - 1] = pieces[i].mark;
    } else {
      CHECK(!munmap(pieces[i].at, pieces[i].size));
      pieces[i].at = NULL;
    }
  }
}

/* Through malloc, whose arenas come from mmap and go back to it, and memory that is shared. */
static void heap_storm(unsigned long seed)
{
  struct { unsigned long *at, size, mark; bool shared; } pieces[PIECES] = { { 0 } };

  while (!atomic_load(&finish)) {
    unsigned long r = next(&seed) >> 33, i = r % PIECES, size = (1 + (r >> 8) % 60000) * 8;

    atomic_fetch_add(&rounds, 1);
    if (pieces[i].at) {
      CHECK(pieces[i].at[0] == pieces[i].mark && pieces[i].at[pieces[i].size / 8 - 1] == pieces[i].mark);
      if (pieces[i].shared)
        CHECK(!munmap(pieces[i].at, pieces[i].size));
      else
        free(pieces[i].at);
    }
    pieces[i].shared = r % 5 == 0;
    pieces[i].at = pieces[i].shared ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) : calloc(1, size);
    CHECK(pieces[i].at && pieces[i].at != MAP_FAILED);
    for (unsigned long k = 0; k < size / 8; k++)
      CHECK(!pieces[i].at[k]);
    pieces[i].size = size;
    pieces[i].mark = r;
    pieces[i].at[0] = pieces[i].at[size / 8 - 1] = r;
  }
}

static void on_storm(int sig)
{
  (void)sig;
  atomic_fetch_add(&received, 1);
}

static void await_all(void)
{
  for (int i = 0; i < 5000 && atomic_load(&sent) != atomic_load(&received); i++)
    usleep(1000);
}

/* Real-time signals are queued, none may be lost; there is a limit to the queue, and then none is sent. */
static void signal_storm(unsigned long seed)
{
  while (!atomic_load(&finish)) {
    unsigned long r = next(&seed) >> 33;

    if (atomic_load(&sent) - atomic_load(&received) > 100) {
      sched_yield();
      continue;
    }
    atomic_fetch_add(&sent, 1);
    atomic_fetch_add(&rounds, 1);
    if (r & 16 ? pthread_kill(ids[r % THREADS], SIGRTMIN + 3)
               : sigqueue(getpid(), SIGRTMIN + 4, (union sigval){ .sival_int = (int)r }))
      atomic_fetch_sub(&sent, 1);
  }
  pthread_barrier_wait(&ended);
  await_all();
}

static void brk_storm(unsigned long seed)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

  while (!atomic_load(&finish)) {
    long size = (long)(1 + (next(&seed) >> 33) % 40) * 4096;
    unsigned char *at;

    atomic_fetch_add(&rounds, 1);
    pthread_mutex_lock(&lock);
    at = sbrk(size);
    CHECK(at != (void *)-1);
    at[0] = at[size - 1] = 7;
    CHECK(at[0] == 7 && at[size - 1] == 7 && sbrk(-size) != (void *)-1);
    pthread_mutex_unlock(&lock);
  }
}

/* Half of the threads write pieces of a few bytes, numbered, the others read them; with 'packets' each read gives one piece. */
static int lines[THREADS / 2][2];
static bool packets;
static void pipe_storm(unsigned long self)
{
  const unsigned long which = (self - 1) / 2;
  unsigned char bytes[4096];
  unsigned long number = 0;

  if (self % 2) {
    while (!atomic_load(&finish)) {
      const size_t size = 1 + number % 61;

      for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)number;
      CHECK(write(lines[which][1], bytes, size) == (ssize_t)size);
      number++;
      atomic_fetch_add(&rounds, 1);
    }
    close(lines[which][1]);
    return;
  }
  for (size_t want = 1, have = 0;;) {
    const ssize_t n = read(lines[which][0], bytes, packets ? sizeof(bytes) : number % 7 ? sizeof(bytes) : 1);

    CHECK(n >= 0 && (!packets || !n || (size_t)n == want));
    if (!n)
      return;
    for (ssize_t i = 0; i < n; i++) {
      CHECK(bytes[i] == (unsigned char)number);
      if (++have == want) {
        number++;
        have = 0;
        want = 1 + number % 61;
      }
    }
    if (number % 1000 == 0)
      usleep(1000); /* it is full most of the time */
  }
}

static void (*storm)(unsigned long seed);
static const struct {
  const char *name;
  void (*run)(unsigned long seed);
} kinds[] = {
  { "map", map_storm }, { "heap", heap_storm }, { "brk", brk_storm }, { "signals", signal_storm }, { "pipe", pipe_storm },
  { "packets", pipe_storm }, { "threads", thread_storm }, { "fork", fork_storm }, { "spawn", spawn_storm },
  { "dlopen", dlopen_storm }, { "timers", timer_storm }, { "files", file_storm },
};

static void *thread_main(void *arg)
{
  storm((unsigned long)arg + 1);
  return NULL;
}

/* The stack of the main thread goes on growing. */
static __attribute__((noinline)) unsigned long deep(unsigned long n)
{
  volatile char frame[4096];

  frame[n % sizeof(frame)] = (char)n;
  return n ? deep(n - 1) + (unsigned char)frame[n % sizeof(frame)] : 0;
}

int main(int argc, char **argv)
{
  struct sigaction user = { .sa_handler = on_user }, stormy = { .sa_handler = on_storm, .sa_flags = SA_RESTART };
  sigset_t set;

  if (argc < 2)
    return 2;
  for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (strcmp(argv[1], kinds[i].name) == 0)
      storm = kinds[i].run;
  folder = argc > 2 ? argv[2] : ".";
  if (!storm)
    return 2;
  packets = strcmp(argv[1], "packets") == 0;
  if (storm == pipe_storm)
    for (int i = 0; i < THREADS / 2; i++)
      CHECK(!pipe2(lines[i], packets ? O_DIRECT : 0));
  sigaction(SIGUSR1, &user, NULL);
  sigaction(SIGRTMIN + 3, &stormy, NULL);
  sigaction(SIGRTMIN + 4, &stormy, NULL);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK(!pthread_barrier_init(&ended, NULL, THREADS));
  for (long i = 0; i < THREADS; i++)
    ids[i] = pthread_self();
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  for (long i = 0; i < THREADS; i++)
    CHECK(!pthread_create(&ids[i], NULL, thread_main, (void *)i));
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  fprintf(stderr, "ready\n");
  for (unsigned long n = 1; !atomic_load(&finish); n += n < 1500) {
    deep(n);
    usleep(100);
  }
  deep(1500);
  for (int i = 0; i < THREADS; i++)
    pthread_join(ids[i], NULL);
  if (atomic_load(&sent) != atomic_load(&received))
    printf("%lu sent, %lu received\n", atomic_load(&sent), atomic_load(&received));
  else
    printf("whole\n");
  return atomic_load(&rounds) == 0;
}
