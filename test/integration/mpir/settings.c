/* What a process and its threads have asked of the kernel: scheduling, settings of prctl(2), locked memory and hints.  settings IMAGE */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include "self.h"

#define SIZE (4ul << 20)

static pthread_barrier_t ready, go;
static char *locked, *fault, *huge, *small, *ordered;
static bool realtime; /* where the user may have it */

/* The flags line of the mapping that begins at 'p', as /proc tells it. */
static const char *flags_of(const void *p)
{
  static char line[4096];
  FILE *f = fopen("/proc/self/smaps", "r");
  bool there = false;
  unsigned long start;
  char dash;

  while (f && fgets(line, sizeof(line), f)) {
    if (sscanf(line, "%lx%c", &start, &dash) == 2 && dash == '-')
      there = start == (uintptr_t)p;
    else if (there && strncmp(line, "VmFlags:", 8) == 0)
      break;
  }
  CHECK(f && there);
  fclose(f);
  return line;
}

static long locked_kib(void)
{
  FILE *f = fopen("/proc/self/status", "r");
  char line[256];
  long kib = -1;

  while (f && fgets(line, sizeof(line), f) && sscanf(line, "VmLck: %ld", &kib) != 1)
    ;
  if (f)
    fclose(f);
  return kib;
}

static int io_priority(void) { return (int)syscall(SYS_ioprio_get, 1, 0); }

static void *worker(void *arg)
{
  const struct sched_param high = { .sched_priority = 3 }, none = { .sched_priority = 0 };
  struct sched_param now;
  int sig = 0;

  (void)arg;
  realtime = !sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &high);
  CHECK(realtime || !sched_setscheduler(0, SCHED_BATCH, &none));
  CHECK(!prctl(PR_SET_PDEATHSIG, SIGUSR2)); /* the timer slack is the main thread's affair: it has none under a real-time policy */
  CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !syscall(SYS_ioprio_set, 1, 0, 3 << 13 | 5)); /* idle */
  pthread_barrier_wait(&ready);
  pthread_barrier_wait(&go); /* the checkpoint is here */
  CHECK(sched_getscheduler(0) == (realtime ? SCHED_RR | SCHED_RESET_ON_FORK : SCHED_BATCH));
  CHECK(!sched_getparam(0, &now) && now.sched_priority == (realtime ? 3 : 0));
  CHECK(!prctl(PR_GET_PDEATHSIG, &sig) && sig == SIGUSR2);
  CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 && io_priority() >> 13 == 3);
  return NULL;
}

static void *map(void)
{
  char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  CHECK(p != MAP_FAILED);
  return p;
}

int main(int argc, char **argv)
{
  const struct rlimit limit = { 8 << 20, 8 << 20 };
  int reaper = 0;
  bool may_lock;
  pthread_t id;
  long kib;

  if (argc < 2)
    return 2;
  pthread_barrier_init(&ready, NULL, 2);
  pthread_barrier_init(&go, NULL, 2);
  CHECK(!pthread_create(&id, NULL, worker, NULL));
  pthread_barrier_wait(&ready);
  setrlimit(RLIMIT_MEMLOCK, &limit);
  locked = map();
  fault = map();
  huge = map();
  small = map();
  ordered = map();
  may_lock = !mlock(locked, 65536);
  CHECK(!may_lock || !mlock2(fault, SIZE / 2, MLOCK_ONFAULT));
  CHECK(!madvise(huge, SIZE, MADV_HUGEPAGE) && !madvise(small, SIZE, MADV_NOHUGEPAGE) && !madvise(ordered, SIZE, MADV_SEQUENTIAL) &&
        !madvise(ordered, SIZE, MADV_DONTDUMP));
  strcpy(fault, "touched");
  memset(huge, 'h', SIZE);
  kib = locked_kib();
  CHECK(!prctl(PR_SET_CHILD_SUBREAPER, 1) && !prctl(PR_SET_TIMERSLACK, 77777) && !prctl(PR_SET_DUMPABLE, 0));
  self_save(argv[1]);
  CHECK(prctl(PR_GET_DUMPABLE) == 0 && !prctl(PR_SET_DUMPABLE, 1));
  CHECK(!prctl(PR_GET_CHILD_SUBREAPER, &reaper) && reaper == 1 && prctl(PR_GET_TIMERSLACK) == 77777);
  CHECK(sched_getscheduler(0) == SCHED_OTHER && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
  CHECK(locked_kib() == kib && (!may_lock || kib == 64 + (long)SIZE / 2048));
  CHECK(!may_lock || (strstr(flags_of(locked), " lo") && !strstr(flags_of(locked + 65536), " lo")));
  CHECK(strcmp(fault, "touched") == 0 && (!may_lock || strstr(flags_of(fault), " lf")));
  CHECK(strstr(flags_of(huge), " hg") && huge[SIZE - 1] == 'h' && strstr(flags_of(small), " nh"));
  CHECK(strstr(flags_of(ordered), " sr") && strstr(flags_of(ordered), " dd"));
  pthread_barrier_wait(&go);
  CHECK(!pthread_join(id, NULL));
  puts("as before");
  return 0;
}
