/* What its surroundings tell a program: the time, process numbers; random numbers: preload_random.c.  A shadow gets what its main got, in the same order.
   That holds for the thread that has called MPI_Init, and for what the program asks: not libc, the message layer, or another part of this library. */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include "mpir/replica/preload_private.h"
#pragma clang diagnostic ignored "-Wmissing-prototypes"

#define PLACE __builtin_return_address(0)
#define NS 1000000000
#define RANGES_MAX 64
enum { RUSAGE_LONGS = (sizeof(struct rusage) - 2 * sizeof(struct timeval)) / sizeof(long), RUSAGE_WORDS = RUSAGE_LONGS + 2 };

/* What counts on in each process by itself. */
enum {
  CPU_PROCESS,
  CPU_THREAD,
  CPU_CLOCK,
  CPU_TIMES,
  CPU_USAGE = CPU_TIMES + 4,
  SINCE_BOOT = CPU_USAGE + 3 * RUSAGE_WORDS,
  CLOCKS = 16,
  COUNTERS = SINCE_BOOT + CLOCKS
};
static int64_t ahead[COUNTERS]; /* what the program is told less what this process has counted */
static uint64_t at_fork[COUNTERS];

static struct {
  uintptr_t from, to;
} ours[RANGES_MAX]; /* code whose questions are not the program's */
static size_t nours;
static __thread bool has_initialized;

/* libc's own.  A pointer for each: programs may ask millions of times. */
#define NEXT(name) static __typeof__(&name) next_##name
NEXT(time);
NEXT(gettimeofday);
NEXT(clock_gettime);
NEXT(timespec_get);
NEXT(clock);
NEXT(times);
NEXT(getrusage);

/* Also before this library's constructor has run: other libraries have constructors too. */
#define FIND(name) (next_##name ? next_##name : (next_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name)))

static int note_range(struct dl_phdr_info *info, size_t size, void *unused) {
  static const char *const names[] = {"libmpi",     "libdvm",  "libc.so", "libc-",   "ld-linux",
                                      "libpthread", "libgomp", "libomp",  "libiomp", "libopen-"};
  const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
  bool wanted = false;
  (void)size, (void)unused;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    wanted |= !strncmp(name, names[i], strlen(names[i]));
  for (int i = 0; wanted && i < info->dlpi_phnum && nours < RANGES_MAX; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
      ours[nours].from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      ours[nours].to = ours[nours].from + info->dlpi_phdr[i].p_memsz;
      nours++;
    }
  return 0;
}

void replica_nature_begin(void) {
  has_initialized = true;
  nours = 0;
  dl_iterate_phdr(note_range, NULL);
}

/* No system call: programs may ask millions of times.  Copies of the process that something else makes ask for nothing. */
bool replica_is_asked(const void *place) {
  if (!has_initialized || !replica_door->on || replica_door->forking)
    return false;
  for (size_t i = 0; i < nours; i++)
    if ((uintptr_t)place >= ours[i].from && (uintptr_t)place < ours[i].to)
      return false;
  return true;
}

bool replica_is_determined(enum replica_determinant kind, const void *place) {
  return has_initialized && replica_door->determinants & kind && replica_is_asked(place);
}

/* What was found goes to the shadow, or is replaced by what the main has found. */
static void exchange(uint64_t *words, size_t n) {
  size_t i = 0;
  while (i < n && replica_door->follow(&words[i]))
    i++;
  for (; i < n && !replica_door->is_shadow(); i++)
    replica_door->tell(words[i]);
}

uint64_t replica_same(uint64_t word) {
  exchange(&word, 1);
  return word;
}

/* The same for counters from 'first' on: a shadow that takes over goes on from what its main had. */
static void exchange_counted(uint64_t *words, size_t first, size_t n) {
  uint64_t own[COUNTERS];
  memcpy(own, words, n * sizeof(*own));
  for (size_t i = 0; i < n; i++)
    words[i] += (uint64_t)ahead[first + i];
  exchange(words, n);
  for (size_t i = 0; i < n; i++)
    ahead[first + i] = (int64_t)(words[i] - own[i]);
}

void replica_same_bytes(void *data, size_t size) {
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    size_t n = size - at < sizeof(word) ? size - at : sizeof(word);
    memcpy(&word, (char *)data + at, n);
    exchange(&word, 1);
    memcpy((char *)data + at, &word, n);
  }
}

/* --- the time --- */

time_t time(time_t *to) {
  time_t now = FIND(time)(NULL);
  if (replica_is_determined(REPLICA_TIME, PLACE))
    now = (time_t)replica_same((uint64_t)now);
  if (to)
    *to = now;
  return now;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone) {
  int rc = FIND(gettimeofday)(to, zone);
  if (!rc && replica_is_determined(REPLICA_TIME, PLACE)) {
    uint64_t word = replica_same((uint64_t)to->tv_sec * 1000000 + (uint64_t)to->tv_usec);
    *to = (struct timeval){(time_t)(word / 1000000), (suseconds_t)(word % 1000000)};
  }
  return rc;
}

static uint64_t get_ns(const struct timespec *t) { return (uint64_t)t->tv_sec * NS + (uint64_t)t->tv_nsec; }
static void put_ns(struct timespec *to, uint64_t ns) { *to = (struct timespec){(time_t)(ns / NS), (long)(ns % NS)}; }

static bool counts_since_boot(clockid_t which) {
  return which >= 0 && which < CLOCKS && which != CLOCK_REALTIME && which != CLOCK_REALTIME_COARSE && which != CLOCK_TAI;
}

int clock_gettime(clockid_t which, struct timespec *to) {
  int rc = FIND(clock_gettime)(which, to);
  if (rc || !replica_is_determined(REPLICA_TIME, PLACE))
    return rc;
  uint64_t word = get_ns(to);
  if (which == CLOCK_PROCESS_CPUTIME_ID || which == CLOCK_THREAD_CPUTIME_ID)
    exchange_counted(&word, which == CLOCK_THREAD_CPUTIME_ID ? CPU_THREAD : CPU_PROCESS, 1);
  else if (replica_door->elsewhere && counts_since_boot(which))
    exchange_counted(&word, SINCE_BOOT + (size_t)which, 1); /* another host was started at another time */
  else
    word = replica_same(word);
  put_ns(to, word);
  return 0;
}

int timespec_get(struct timespec *to, int base) {
  int rc = FIND(timespec_get)(to, base);
  if (rc && replica_is_determined(REPLICA_TIME, PLACE))
    put_ns(to, replica_same(get_ns(to)));
  return rc;
}

clock_t clock(void) {
  clock_t now = FIND(clock)();
  if (now != (clock_t)-1 && replica_is_determined(REPLICA_TIME, PLACE)) {
    uint64_t word = (uint64_t)now;
    exchange_counted(&word, CPU_CLOCK, 1);
    now = (clock_t)word;
  }
  return now;
}

static void times_to_words(const struct tms *t, uint64_t words[4]) {
  words[0] = (uint64_t)t->tms_utime;
  words[1] = (uint64_t)t->tms_stime;
  words[2] = (uint64_t)t->tms_cutime;
  words[3] = (uint64_t)t->tms_cstime;
}

clock_t times(struct tms *to) {
  clock_t now = FIND(times)(to);
  if (now == (clock_t)-1 || !replica_is_determined(REPLICA_TIME, PLACE))
    return now;
  now = (clock_t)replica_same((uint64_t)now);
  if (to) {
    uint64_t words[4];
    times_to_words(to, words);
    exchange_counted(words, CPU_TIMES, 4);
    *to = (struct tms){(clock_t)words[0], (clock_t)words[1], (clock_t)words[2], (clock_t)words[3]};
  }
  return now;
}

static void usage_to_words(const struct rusage *u, uint64_t words[RUSAGE_WORDS]) {
  words[0] = (uint64_t)u->ru_utime.tv_sec * 1000000 + (uint64_t)u->ru_utime.tv_usec;
  words[1] = (uint64_t)u->ru_stime.tv_sec * 1000000 + (uint64_t)u->ru_stime.tv_usec;
  memcpy(words + 2, &u->ru_maxrss, RUSAGE_LONGS * sizeof(long));
}

static size_t usage_counter(int who) { return CPU_USAGE + (size_t)(who + 1) * RUSAGE_WORDS; }

int getrusage(__rusage_who_t who, struct rusage *to) {
  uint64_t words[RUSAGE_WORDS];
  int rc = FIND(getrusage)(who, to);
  if (rc || !replica_is_determined(REPLICA_TIME, PLACE))
    return rc;
  usage_to_words(to, words);
  exchange_counted(words, usage_counter((int)who), RUSAGE_WORDS);
  to->ru_utime = (struct timeval){(time_t)(words[0] / 1000000), (suseconds_t)(words[0] % 1000000)};
  to->ru_stime = (struct timeval){(time_t)(words[1] / 1000000), (suseconds_t)(words[1] % 1000000)};
  memcpy(&to->ru_maxrss, words + 2, RUSAGE_LONGS * sizeof(long));
  return 0;
}

/* All that this process has counted. */
static void read_counters(uint64_t words[COUNTERS]) {
  struct timespec t;
  struct rusage u;
  struct tms used;
  memset(words + SINCE_BOOT, 0, CLOCKS * sizeof(*words));
  FIND(clock_gettime)(CLOCK_PROCESS_CPUTIME_ID, &t);
  words[CPU_PROCESS] = get_ns(&t);
  FIND(clock_gettime)(CLOCK_THREAD_CPUTIME_ID, &t);
  words[CPU_THREAD] = get_ns(&t);
  words[CPU_CLOCK] = (uint64_t)FIND(clock)();
  FIND(times)(&used);
  times_to_words(&used, words + CPU_TIMES);
  for (int who = RUSAGE_CHILDREN; who <= RUSAGE_THREAD; who++) {
    FIND(getrusage)((__rusage_who_t)who, &u);
    usage_to_words(&u, words + usage_counter(who));
  }
}

void replica_nature_forks(void) { read_counters(at_fork); }

/* It has counted nothing yet. */
void replica_nature_clone(void) {
  uint64_t now[COUNTERS];
  read_counters(now);
  for (size_t i = 0; i < COUNTERS; i++)
    ahead[i] += (int64_t)(at_fork[i] - now[i]);
}

/* --- process numbers: those of the rank's first main, for as long as it runs --- */

static pid_t told[2]; /* of the process, of its parent; 0: not yet asked for */

static pid_t number_of(int which, pid_t own, const void *place) {
  if (!replica_is_determined(REPLICA_PID, place))
    return own;
  if (!told[which])
    told[which] = (pid_t)replica_same((uint64_t)own);
  return told[which];
}

pid_t getpid(void) { return number_of(0, (pid_t)syscall(SYS_getpid), PLACE); }
pid_t getppid(void) { return number_of(1, (pid_t)syscall(SYS_getppid), PLACE); }

int kill(pid_t pid, int signal) {
  if (pid > 0 && pid == told[0] && replica_is_determined(REPLICA_PID, PLACE))
    pid = (pid_t)syscall(SYS_getpid);
  return (int)syscall(SYS_kill, pid, signal);
}
