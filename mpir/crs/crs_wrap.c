/* Functions of libc that a checkpoint would otherwise be seen through.
 *
 * A handler that runs makes some system calls return EINTR whatever SA_RESTART says (signal(7), "Interruption of system
 * calls").  When the handler was ours and no other has run, these wrappers call again, with what is left of the time.
 * Others keep the program from blocking or taking over the checkpointer's signals.  The real functions are called, not
 * the bare system calls: they are cancellation points. */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "mpir/crs/crs_calls.h"
#include "mpir/crs/crs_clock.h"
#include "mpir/crs/crs_private.h"
#include "mpir/crs/sys.h"

#define EXPORT __attribute__((visibility("default")))
/* Declares 'real', the next definition of the function that is being wrapped.  A statically linked program has no next one, but libc's
 * own name for it, which libdvmcr.a takes (the list is in libdvmcr.a.in). */
#ifdef CRS_ARCHIVE
#pragma weak dlsym
#define REAL(name, own)                                                                                                                    \
  extern __typeof__(name) own __attribute__((weak));                                                                                       \
  CALL_SCOPE;                                                                                                                              \
  static __typeof__(&name) real;                                                                                                           \
  if (!real && !(real = own))                                                                                                              \
  *(void **)&real = dlsym ? dlsym(RTLD_NEXT, #name) : NULL
/* libc has no other name: the bare system call, which is made a cancellation point as libc's are. */
#define REAL_OR(name, instead)                                                                                                             \
  CALL_SCOPE;                                                                                                                              \
  static __typeof__(&name) real;                                                                                                           \
  if (!real && dlsym)                                                                                                                      \
    *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                                             \
  if (!real)                                                                                                                               \
  real = instead

static int cancellable(long nr, long a, long b, long c, long d, long e, long f) {
  int before;
  long rc;

  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
  rc = sys6(nr, a, b, c, d, e, f);
  pthread_setcanceltype(before, NULL);
  if (rc >= 0)
    return (int)rc;
  errno = (int)-rc;
  return -1;
}

static int bare_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
  struct timespec copy = timeout ? *timeout : (struct timespec){0, 0}; /* the kernel writes to it */

  return cancellable(SYS_ppoll, (long)fds, (long)count, timeout ? (long)&copy : 0, (long)mask, 8, 0);
}

static int bare_epoll_pwait(int fd, struct epoll_event *events, int count, int timeout, const sigset_t *mask) {
  return cancellable(SYS_epoll_pwait, fd, (long)events, count, timeout, (long)mask, 8);
}

static int bare_epoll_pwait2(int fd, struct epoll_event *events, int count, const struct timespec *timeout, const sigset_t *mask) {
  return cancellable(SYS_epoll_pwait2, fd, (long)events, count, (long)timeout, (long)mask, 8);
}

static int bare_signalfd(int fd, const sigset_t *mask, int flags) {
  long rc = sys4(SYS_signalfd4, fd, mask, 8, flags);

  if (rc >= 0)
    return (int)rc;
  errno = (int)-rc;
  return -1;
}

static sighandler_t bare_signal(int sig, sighandler_t handler) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;

  return sigaction(sig, &action, &before) ? SIG_ERR : before.sa_handler;
}
#else
#define REAL(name, own)                                                                                                                    \
  CALL_SCOPE;                                                                                                                              \
  static __typeof__(&name) real;                                                                                                           \
  if (!real)                                                                                                                               \
  *(void **)&real = dlsym(RTLD_NEXT, #name)
#define REAL_OR(name, instead) REAL(name, )
#endif

void mpir_crs_wrap_linked(void) {}

EXPORT int nanosleep(const struct timespec *wanted, struct timespec *rest) {
  struct timespec now = *wanted, left = {0, 0};
  int rc;

  REAL(nanosleep, __nanosleep);
  do {
    call_begin();
    rc = real(&now, &left);
    now = left;
  } while (rc && call_again());
  if (rc && errno == EINTR && rest)
    *rest = left;
  return rc;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *rest) {
  struct timespec now = *wanted, left = *wanted;
  int rc;

  REAL(clock_nanosleep, __clock_nanosleep);
  if ((flags & TIMER_ABSTIME) && mpir_crs_clock_is_used(clock)) {
    const int64_t until = ns_of(wanted) - mpir_crs_clock_added(clock);

    now = left = timespec_of(until > 0 ? until : 0);
  }
  do {
    call_begin();
    rc = real(clock, flags, &now, &left);
    if (!(flags & TIMER_ABSTIME))
      now = left;
  } while (rc == EINTR && mpir_crs_self.interrupted);
  if (rc == EINTR && rest && !(flags & TIMER_ABSTIME))
    *rest = left;
  return rc;
}

EXPORT int thrd_sleep(const struct timespec *wanted, struct timespec *rest) {
  int rc = clock_nanosleep(CLOCK_REALTIME, 0, wanted, rest);

  return rc == 0 ? 0 : rc == EINTR ? -1 : -2;
}

EXPORT int usleep(useconds_t us) {
  struct timespec t = {us / 1000000, us % 1000000 * 1000};

  return nanosleep(&t, NULL);
}

EXPORT unsigned sleep(unsigned seconds) {
  struct timespec t = {seconds, 0}, left = {0, 0};
  int error = errno;

  if (nanosleep(&t, &left))
    return (unsigned)left.tv_sec + (left.tv_nsec >= 500000000);
  errno = error;
  return 0;
}

EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout) {
  int64_t deadline = deadline_after(timeout * 1000000ll);
  int rc;

  REAL(poll, __poll);
  for (int left = timeout;; left = timeout < 0 ? -1 : (int)((time_left(deadline) + 999999) / 1000000)) {
    call_begin();
    rc = real(fds, count, left);
    if (rc >= 0 || !call_again())
      return rc;
  }
}

/* The mask that a waiting call sets must let our signals in. */
static const sigset_t *open_mask(const sigset_t *mask, sigset_t *copy) {
  if (!mask)
    return NULL;
  *copy = *mask;
  sigdelset(copy, crs.stop_signal);
  sigdelset(copy, crs.hold_signal);
  return copy;
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
  int64_t deadline = deadline_after(timeout ? ns_of(timeout) : 0);
  struct timespec left = timeout ? *timeout : (struct timespec){0, 0};
  sigset_t copy;
  int rc;

  REAL_OR(ppoll, bare_ppoll);
  for (;; left = timespec_of(time_left(deadline))) {
    call_begin();
    rc = real(fds, count, timeout ? &left : NULL, open_mask(mask, &copy));
    if (rc >= 0 || !call_again())
      return rc;
  }
}

/* What programs call that were compiled with _FORTIFY_SOURCE. */
EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t size);
EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t size) {
  if (size / sizeof(*fds) < count)
    abort();
  return poll(fds, count, timeout);
}

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t size);
EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t size) {
  if (size / sizeof(*fds) < count)
    abort();
  return ppoll(fds, count, timeout, mask);
}

EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout) {
  int rc;

  REAL(select, __select);
  do { /* Linux leaves the rest of the time in 'timeout'; on EINTR the sets are untouched */
    call_begin();
    rc = real(count, in, out, except, timeout);
  } while (rc < 0 && call_again());
  return rc;
}

EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout, const sigset_t *mask) {
  int64_t deadline = deadline_after(timeout ? ns_of(timeout) : 0);
  struct timespec left = timeout ? *timeout : (struct timespec){0, 0};
  sigset_t copy;
  int rc;

  REAL(pselect, __pselect);
  for (;; left = timespec_of(time_left(deadline))) {
    call_begin();
    rc = real(count, in, out, except, timeout ? &left : NULL, open_mask(mask, &copy));
    if (rc >= 0 || !call_again())
      return rc;
  }
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int count, int timeout, const sigset_t *mask) {
  int64_t deadline = deadline_after(timeout * 1000000ll);
  sigset_t copy;
  int rc;

  REAL_OR(epoll_pwait, bare_epoll_pwait);
  for (int left = timeout;; left = timeout < 0 ? -1 : (int)((time_left(deadline) + 999999) / 1000000)) {
    call_begin();
    rc = real(fd, events, count, left, open_mask(mask, &copy));
    if (rc >= 0 || !call_again())
      return rc;
  }
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int count, int timeout) { return epoll_pwait(fd, events, count, timeout, NULL); }

EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int count, const struct timespec *timeout, const sigset_t *mask) {
  int64_t deadline = deadline_after(timeout ? ns_of(timeout) : 0);
  struct timespec left = timeout ? *timeout : (struct timespec){0, 0};
  sigset_t copy;
  int rc;

  REAL_OR(epoll_pwait2, bare_epoll_pwait2);
  for (;; left = timespec_of(time_left(deadline))) {
    call_begin();
    rc = real(fd, events, count, timeout ? &left : NULL, open_mask(mask, &copy));
    if (rc >= 0 || !call_again())
      return rc;
  }
}

EXPORT int sem_wait(sem_t *sem) {
  int rc;

  REAL(sem_wait, __new_sem_wait);
  do {
    call_begin();
    rc = real(sem);
  } while (rc && call_again());
  return rc;
}

EXPORT int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until) {
  int rc;

  REAL(sem_timedwait, ___sem_timedwait);
  do {
    call_begin();
    rc = real(sem, until);
  } while (rc && call_again());
  return rc;
}

EXPORT int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict until) {
  int rc;

  REAL(sem_clockwait, ___sem_clockwait);
  do {
    call_begin();
    rc = real(sem, clock, until);
  } while (rc && call_again());
  return rc;
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info) {
  sigset_t copy;
  int rc;

  REAL(sigwaitinfo, __sigwaitinfo);
  do {
    call_begin();
    rc = real(open_mask(set, &copy), info); /* or it would be given ours */
  } while (rc < 0 && call_again());
  return rc;
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout) {
  int64_t deadline = deadline_after(timeout ? ns_of(timeout) : 0);
  struct timespec left = timeout ? *timeout : (struct timespec){0, 0};
  sigset_t copy;
  int rc;

  REAL(sigtimedwait, __sigtimedwait);
  for (;; left = timespec_of(time_left(deadline))) {
    call_begin();
    rc = real(open_mask(set, &copy), info, timeout ? &left : NULL);
    if (rc >= 0 || !call_again())
      return rc;
  }
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict sig) {
  int rc, error = errno;

  do
    rc = sigwaitinfo(set, NULL);
  while (rc < 0 && errno == EINTR); /* which sigwait never returns */
  if (rc < 0)
    return errno;
  errno = error;
  *sig = rc;
  return 0;
}

EXPORT int signalfd(int fd, const sigset_t *mask, int flags) {
  sigset_t copy;

  REAL_OR(signalfd, bare_signalfd);
  return real(fd, open_mask(mask, &copy), flags);
}

EXPORT int semtimedop(int id, struct sembuf *operations, size_t count, const struct timespec *timeout) {
  return (int)syscall(SYS_semtimedop, id, operations, count, timeout);
}

EXPORT int semop(int id, struct sembuf *operations, size_t count) { return (int)syscall(SYS_semop, id, operations, count); }

EXPORT ssize_t write(int fd, const void *from, size_t size) {
  ssize_t written;

  REAL(write, __write);
  call_begin();
  written = real(fd, from, size);
  if (__builtin_expect(!mpir_crs_self.interrupted, 1))
    return written;
  return mpir_crs_write_on(written, fd, &(struct iovec){(void *)(uintptr_t)from, size}, 1);
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev, __writev);
  call_begin();
  return mpir_crs_write_on(real(fd, parts, count), fd, parts, count);
}

void mpir_crs_wrap_init(void) {
  const int error = errno;

  write(-1, NULL, 0); /* programs write in signal handlers, where the linker cannot be asked for the function */
  errno = error;
}

EXPORT int pause(void) {
  REAL(pause, __libc_pause);
  do {
    call_begin();
    real();
  } while (call_again());
  return -1;
}

EXPORT int sigsuspend(const sigset_t *mask) {
  sigset_t copy;

  REAL(sigsuspend, __sigsuspend);
  do {
    call_begin();
    real(open_mask(mask, &copy));
  } while (call_again());
  return -1;
}

#ifndef CRS_ARCHIVE /* whose helper is always there */
EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *),
                          void *restrict arg) {
  static __typeof__(&pthread_create) real;

  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  mpir_crs_helper_require();
  return real(thread, attributes, start, arg);
}
#endif

/* What is to be blocked, less our signals. */
static const sigset_t *blockable(int how, const sigset_t *set, sigset_t *copy) { return how == SIG_UNBLOCK ? set : open_mask(set, copy); }

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  sigset_t copy;

  REAL(sigprocmask, __sigprocmask);
  return real(how, blockable(how, set, &copy), old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  sigset_t copy;

  REAL(pthread_sigmask, __pthread_sigmask);
  return real(how, blockable(how, set, &copy), old);
}

static bool is_ours(int sig) { return sig > 0 && (sig == crs.stop_signal || sig == crs.hold_signal || sig == crs.ask_signal); }

EXPORT int sigaction(int sig, const struct sigaction *new_action, struct sigaction *old_action) {
  struct sigaction copy;

  REAL(sigaction, __sigaction);
  if (!new_action)
    return real(sig, NULL, old_action);
  if (is_ours(sig) && crs.installed) {
    errno = EINVAL;
    return -1;
  }
  copy = *new_action;
  if (crs.installed || !is_ours(sig)) {
    sigdelset(&copy.sa_mask, crs.stop_signal);
    sigdelset(&copy.sa_mask, crs.hold_signal);
  }
  return real(sig, &copy, old_action);
}

EXPORT sighandler_t signal(int sig, sighandler_t handler) {
  REAL_OR(signal, bare_signal);
  if (is_ours(sig)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  return real(sig, handler);
}

EXPORT int madvise(void *address, size_t size, int advice) {
  REAL(madvise, __madvise);
  if (advice == MADV_DONTFORK || advice == MADV_WIPEONFORK)
    atomic_store(&crs.fork_unsafe, 1);
  return real(address, size, advice);
}

/* What mlockall says of mappings to come is not told by /proc. */
EXPORT int mlockall(int flags) {
  long rc = sys1(SYS_mlockall, flags);

  if (rc) {
    errno = (int)-rc;
    return -1;
  }
  atomic_store(&crs.lock_future, flags & MCL_FUTURE ? flags & ~MCL_CURRENT : 0);
  return 0;
}

EXPORT int munlockall(void) {
  atomic_store(&crs.lock_future, 0);
  sys0(SYS_munlockall);
  return 0;
}

/* What threads otherwise have as they were started need not be asked of each at a stop. */
EXPORT int prctl(int option, ...) {
  unsigned long a[4];
  va_list list;
  long rc;

  va_start(list, option);
  for (int i = 0; i < 4; i++)
    a[i] = va_arg(list, unsigned long);
  va_end(list);
  rc = mpir_crs_confine_call(SYS_prctl, (const long[6]){option, (long)a[0], (long)a[1], (long)a[2], (long)a[3], 0});
  if (!sys_failed(rc))
    return (int)rc;
  errno = (int)-rc;
  return -1;
}
