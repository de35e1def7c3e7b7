/* Processor time.  The kernel's clocks of a restarted process begin anew; what had been used before is added where libc's functions are asked:
 * clock_gettime, clock, times, getrusage, and absolute sleeps by such a clock.  Bare system calls and /proc tell of the present life alone. */
#include "mpir/crs/crs_clock.h"
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include "mpir/crs/sys.h"

#define EXPORT __attribute__((visibility("default")))
#define CLOCK_OF_THREAD 4 /* bits of a clock's number below 0, which is the complement of a process or thread number and three bits */

struct used {
  struct timeval user, system;
};

/* Of the lives before; noted while the process stands, added after a restart. */
static struct {
  int64_t process_ns;
  struct used self, children;
} before CRS_FORKED, noted;

#ifdef CRS_ARCHIVE
extern __typeof__(clock_gettime) __clock_gettime __attribute__((weak));
#pragma weak dlsym
#endif
static __typeof__(&clock_gettime) real_gettime;

static int bare_gettime(clockid_t clock, struct timespec *t) {
  const long rc = sys2(SYS_clock_gettime, clock, t);

  if (!rc)
    return 0;
  errno = (int)-rc;
  return -1;
}

void mpir_crs_clock_init(void) {
#ifdef CRS_ARCHIVE
  real_gettime = __clock_gettime;
  if (!real_gettime && dlsym)
#endif
    *(void **)&real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  if (!real_gettime)
    real_gettime = bare_gettime;
}

static int64_t read_ns(clockid_t clock) {
  struct {
    int64_t sec, nsec;
  } t = {0, 0};

  sys2(SYS_clock_gettime, clock, &t);
  return t.sec * 1000000000 + t.nsec;
}

static void add_time(struct timeval *to, const struct timeval *more) {
  to->tv_sec += more->tv_sec;
  to->tv_usec += more->tv_usec;
  if (to->tv_usec >= 1000000) {
    to->tv_sec++;
    to->tv_usec -= 1000000;
  }
}

static void take_time(struct timeval *from, const struct timeval *less) {
  int64_t us = (from->tv_sec - less->tv_sec) * 1000000ll + (from->tv_usec - less->tv_usec);

  us = us > 0 ? us : 0;
  *from = (struct timeval){us / 1000000, us % 1000000};
}

static void read_used(int whose, struct used *to) {
  struct rusage usage;

  memset(&usage, 0, sizeof(usage));
  sys2(SYS_getrusage, whose, &usage);
  *to = (struct used){usage.ru_utime, usage.ru_stime};
}

static void add_used(struct used *to, const struct used *more) {
  add_time(&to->user, &more->user);
  add_time(&to->system, &more->system);
}

void mpir_crs_clock_note(void) {
  noted.process_ns = read_ns(CLOCK_PROCESS_CPUTIME_ID) + before.process_ns;
  read_used(RUSAGE_SELF, &noted.self);
  add_used(&noted.self, &before.self);
  read_used(RUSAGE_CHILDREN, &noted.children);
  add_used(&noted.children, &before.children);
}

/* What the restart itself has used is not the program's. */
void mpir_crs_clock_restarted(void) {
  struct used now;

  before = noted;
  before.process_ns -= read_ns(CLOCK_PROCESS_CPUTIME_ID);
  before.process_ns = before.process_ns > 0 ? before.process_ns : 0;
  read_used(RUSAGE_SELF, &now);
  take_time(&before.self.user, &now.user);
  take_time(&before.self.system, &now.system);
}

void mpir_crs_clock_after_fork(void) {
  memset(&before, 0, sizeof(before));
  mpir_crs_self.used_before_ns = 0;
}

int64_t mpir_crs_clock_thread(void) { return read_ns(CLOCK_THREAD_CPUTIME_ID) + mpir_crs_self.used_before_ns; }

/* What the lives before add to a clock of processor time. */
static int64_t added(clockid_t clock) {
  const pid_t number = clock < 0 ? ~(clock >> 3) : 0;

  if (clock == CLOCK_PROCESS_CPUTIME_ID || (clock < 0 && !(clock & CLOCK_OF_THREAD) && (!number || number == crs.pid)))
    return before.process_ns;
  if (clock == CLOCK_THREAD_CPUTIME_ID || (clock < 0 && (!number || number == mpir_crs_self.tid)))
    return mpir_crs_self.used_before_ns;
  for (unsigned i = 0; clock < 0 && before.process_ns && i < CRS_THREADS_MAX; i++) /* another thread, which a stop has noted */
    if (crs.used_before[i].tid == number)
      return crs.used_before[i].ns;
  return 0;
}

bool mpir_crs_clock_is_used(clockid_t clock) { return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0; }
int64_t mpir_crs_clock_added(clockid_t clock) { return mpir_crs_clock_is_used(clock) ? added(clock) : 0; }

EXPORT int clock_gettime(clockid_t clock, struct timespec *t) {
  int rc;

  if (__builtin_expect(!real_gettime, 0))
    mpir_crs_clock_init();
  if (__builtin_expect(!mpir_crs_clock_is_used(clock), 1))
    return real_gettime(clock, t);
  rc = real_gettime(clock, t);
  if (!rc) {
    const int64_t ns = t->tv_sec * 1000000000ll + t->tv_nsec + added(clock);

    *t = (struct timespec){ns / 1000000000, ns % 1000000000};
  }
  return rc;
}

EXPORT clock_t clock(void) { return (clock_t)((read_ns(CLOCK_PROCESS_CPUTIME_ID) + before.process_ns) / (1000000000 / CLOCKS_PER_SEC)); }

EXPORT int getrusage(__rusage_who_t who, struct rusage *usage) {
  const long rc = sys2(SYS_getrusage, who, usage);
  const struct used *more = who == RUSAGE_SELF ? &before.self : who == RUSAGE_CHILDREN ? &before.children : NULL;

  if (rc) {
    errno = (int)-rc;
    return -1;
  }
  if (more) {
    add_time(&usage->ru_utime, &more->user);
    add_time(&usage->ru_stime, &more->system);
  } else if (mpir_crs_self.used_before_ns) { /* of the thread: all as its own work */
    add_time(&usage->ru_utime, &(struct timeval){mpir_crs_self.used_before_ns / 1000000000, mpir_crs_self.used_before_ns / 1000 % 1000000});
  }
  return 0;
}

static clock_t ticks_of(const struct timeval *t) { return (clock_t)(t->tv_sec * 100 + t->tv_usec / 10000); /* USER_HZ */ }

EXPORT clock_t times(struct tms *t) {
  struct tms space;
  struct tms *to = t ? t : &space;
  const long rc = sys1(SYS_times, to);

  to->tms_utime += ticks_of(&before.self.user);
  to->tms_stime += ticks_of(&before.self.system);
  to->tms_cutime += ticks_of(&before.children.user);
  to->tms_cstime += ticks_of(&before.children.system);
  return (clock_t)rc;
}
