/* System calls that a stop breaks off where no wrapper of libc's function stands: bare ones are made again in the signal frame, those made by
 * syscall(2) here, where it is known when they began; writes that were cut short go on. */
#include "mpir/crs/crs_calls.h"
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_semaphores.h"
#include "mpir/crs/plain.h"
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define NUMBERS 512

uint64_t mpir_crs_waiting_calls[NUMBERS / 64]; /* bits: for crs_syscall.S */

static uint64_t signal_bit(int sig) { return 1ull << (sig - 1); }

/* Signals other than ours that are about to be delivered: the program's own handler is what it will see. */
static bool others_come(const ucontext_t *frame) {
  uint64_t pending = 0, mask = 0;

  memcpy(&mask, &frame->uc_sigmask, sizeof(mask));
  sys2(SYS_rt_sigpending, &pending, 8);
  return pending & ~mask & ~signal_bit(crs.stop_signal) & ~signal_bit(crs.hold_signal);
}

/* The number of the call that has just returned to 'pc': "movl $number, %eax; syscall", as libc, Go's runtime and most compilers have it,
 * else as it was seen before the stop.  -1 if it is not known. */
static long number_of(const unsigned char *pc, uint64_t stack) {
  const pid_t tid = (pid_t)sys0(SYS_gettid);
  uint32_t number;

  if (((uintptr_t)pc & (MPIR_PAGE - 1)) >= 7 && pc[-7] == 0xb8) {
    memcpy(&number, pc - 6, sizeof(number));
    if (number < NUMBERS)
      return (long)number;
  }
  for (unsigned i = 0; i < mpir_crs_waiting_count; i++)
    if (mpir_crs_waiting[i].tid == tid && mpir_crs_waiting[i].pc == (uint64_t)pc && mpir_crs_waiting[i].stack == stack)
      return mpir_crs_waiting[i].number;
  return -1;
}

/* The kernel has left the rest of the time where the call asks for it. */
static void take_rest(long number, greg_t *regs) {
  if (number == SYS_nanosleep && regs[REG_RSI])
    regs[REG_RDI] = regs[REG_RSI];
  if (number == SYS_clock_nanosleep && !(regs[REG_RSI] & TIMER_ABSTIME) && regs[REG_R10])
    regs[REG_RDX] = regs[REG_R10];
}

/* Whether the code before the resumption point is a system call.  Another handler that ran before us would have left its own entry as
 * resumption point; one that is to run after us is still pending. */
void mpir_crs_note_interruption(ucontext_t *frame) { mpir_crs_note_interruption_of(frame, -1); }

void mpir_crs_note_interruption_of(ucontext_t *frame, long call) {
  greg_t *regs = frame->uc_mcontext.gregs;
  const unsigned char *pc = (const unsigned char *)regs[REG_RIP];
  const bool inside = mpir_crs_self.inside && (uintptr_t)regs[REG_RSP] < mpir_crs_self.inside;
  long number;

  if ((regs[REG_RAX] != -EINTR && !(inside && regs[REG_RAX] > 0)) || ((uintptr_t)pc & (MPIR_PAGE - 1)) < 2 || pc[-2] != 0x0f ||
      pc[-1] != 0x05 || others_come(frame))
    return;
  if (inside) {
    mpir_crs_self.interrupted = 1;
    return;
  }
  number = call >= 0 ? call : number_of(pc, (uint64_t)regs[REG_RSP]);
  if (number < 0 || number == SYS_close) /* which has done its work */
    return;
  mpir_crs_self.remade = true;
  mpir_crs_self.arguments[0] = (uint64_t)regs[REG_RDI];
  mpir_crs_self.arguments[1] = (uint64_t)regs[REG_RDX];
  take_rest(number, regs);
  regs[REG_RAX] = number;
  regs[REG_RIP] -= 2;
}

/* One of the signals that are pending for the thread itself, if it was sent to the process taken from there, will be seen by this thread: the kernel
 * leaves it open which thread gets those of the process, and all that stood would think that they do. */
static bool take_one(const ucontext_t *frame, bool alone) {
  static const struct {
    long sec, nsec;
  } now = {0, 0};
  uint64_t mask = 0, pending = 0, own = 0;
  char status[3072];
  const char *line;
  siginfo_t info;

  memcpy(&mask, &frame->uc_sigmask, sizeof(mask));
  sys2(SYS_rt_sigpending, &pending, 8);
  pending &= ~mask & ~signal_bit(crs.stop_signal) & ~signal_bit(crs.hold_signal);
  if (!pending || (alone ? mpir_plain_read_file : mpir_crs_read_file)("/proc/thread-self/status", status, sizeof(status)) <= 0 ||
      !(line = mpir_plain_line(status, "SigPnd:")))
    return pending != 0;
  own = mpir_plain_hex(&line);
  if (own & pending)
    return true;
  if (sys4(SYS_rt_sigtimedwait, &pending, &info, &now, 8) <= 0)
    return false; /* another thread has it */
  sys4(SYS_rt_tgsigqueueinfo, crs.pid, sys0(SYS_gettid), info.si_signo, &info);
  return true;
}

void mpir_crs_yield_to_others(ucontext_t *frame, bool alone) {
  struct mpir_crs_self *self = &mpir_crs_self;
  greg_t *regs = frame->uc_mcontext.gregs;

  if ((self->interrupted || self->remade) && take_one(frame, alone)) {
    self->interrupted = 0;
    if (self->remade) {
      regs[REG_RAX] = -EINTR;
      regs[REG_RIP] += 2;
      regs[REG_RDI] = (greg_t)self->arguments[0];
      regs[REG_RDX] = (greg_t)self->arguments[1];
    }
  }
  self->remade = false;
}

/* Calls that may wait: the others go straight to the kernel. */
static const short waiting_numbers[] = {
    SYS_read,
    SYS_write,
    SYS_poll,
    SYS_readv,
    SYS_writev,
    SYS_select,
    SYS_pause,
    SYS_nanosleep,
    SYS_accept,
    SYS_sendto,
    SYS_recvfrom,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_wait4,
    SYS_semop,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_fcntl,
    SYS_flock,
    SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend,
    SYS_futex,
    SYS_io_getevents,
    SYS_semtimedop,
    SYS_clock_nanosleep,
    SYS_epoll_wait,
    SYS_mq_timedsend,
    SYS_mq_timedreceive,
    SYS_waitid,
    SYS_pselect6,
    SYS_ppoll,
    SYS_epoll_pwait,
    SYS_accept4,
    SYS_recvmmsg,
    SYS_sendmmsg,
    SYS_io_pgetevents,
    SYS_io_uring_enter,
    SYS_prctl,
    SYS_seccomp /* which are noted */,
    SYS_epoll_pwait2,
    449 /* futex_waitv */,
    455 /* futex_wait */,
};

void mpir_crs_calls_init(void) {
  for (size_t i = 0; i < sizeof(waiting_numbers) / sizeof(waiting_numbers[0]); i++)
    mpir_crs_waiting_calls[waiting_numbers[i] / 64] |= 1ull << (waiting_numbers[i] % 64);
}

/* Where a call has a time that is counted from its beginning: the number of that argument, or -1; 'ms' if it is one of milliseconds. */
static int relative_time(long number, const long *a, bool *ms) {
  *ms = number == SYS_poll || number == SYS_epoll_wait || number == SYS_epoll_pwait;
  switch (number) {
  case SYS_nanosleep: return 0;
  case SYS_poll:
  case SYS_rt_sigtimedwait: return 2;
  case SYS_clock_nanosleep: return a[1] & TIMER_ABSTIME ? -1 : 2;
  case SYS_epoll_wait:
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
  case SYS_semtimedop: return 3;
  case SYS_io_getevents:
  case SYS_io_pgetevents: return 4;
  case SYS_futex: return (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT ? 3 : -1;
  default: return -1; /* none, absolute, or kept by the kernel where the caller has put it */
  }
}

/* What a mask, or set to wait for, must not hold. */
static void open_set(long number, long *a, uint64_t *copy) {
  const int at = number == SYS_rt_sigtimedwait || number == SYS_rt_sigsuspend ? 0
                 : number == SYS_ppoll                                        ? 3
                 : number == SYS_epoll_pwait || number == SYS_epoll_pwait2    ? 4
                                                                              : -1;

  if (at < 0 || !a[at])
    return;
  memcpy(copy, (const void *)a[at], sizeof(*copy));
  *copy &= ~signal_bit(crs.stop_signal) & ~signal_bit(crs.hold_signal);
  a[at] = (long)copy;
}

static long made_again(long number, long *a) {
  struct timespec left;
  bool ms;
  const int at = relative_time(number, a, &ms);
  const bool timed = at >= 0 && (ms ? (int)a[at] > 0 : a[at] != 0);
  const int64_t deadline = !timed ? 0 : deadline_after(ms ? (int)a[at] * 1000000ll : ns_of((const struct timespec *)a[at]));
  uint64_t copy;
  long rc;

  open_set(number, a, &copy);
  for (;;) {
    call_begin();
    rc = sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (rc != -EINTR || !mpir_crs_self.interrupted)
      return rc;
    if (timed && ms)
      a[at] = (long)((time_left(deadline) + 999999) / 1000000);
    left = timed && !ms ? timespec_of(time_left(deadline)) : (struct timespec){0, 0};
    if (timed && !ms)
      a[at] = (long)&left;
  }
}

/* Writes what is left, and counts it, until something else than a stop cuts it short: that is the program's to see. */
static bool write_rest(int fd, const char *from, size_t size, long *written) {
  while (size) {
    long n;

    call_begin();
    n = sys3(SYS_write, fd, from, size);
    if (n == -EINTR && mpir_crs_self.interrupted)
      continue;
    if (n <= 0)
      return false;
    from += n;
    size -= (size_t)n;
    *written += n;
    if (size && !mpir_crs_self.interrupted)
      return false;
  }
  return true;
}

long mpir_crs_write_on(long written, int fd, const struct iovec *parts, int count) {
  const int error = errno;
  size_t before = 0;

  for (int i = 0; i < count && written > 0 && (i || mpir_crs_self.interrupted); i++) {
    const size_t end = before + parts[i].iov_len, done = (size_t)written > before ? (size_t)written - before : 0;

    if ((size_t)written < end && !write_rest(fd, (const char *)parts[i].iov_base + done, parts[i].iov_len - done, &written))
      break;
    before = end;
  }
  errno = error;
  return written;
}

long mpir_crs_syscall_waiting(long number, long a0, long a1, long a2, long a3, long a4, long a5) {
  CALL_SCOPE;
  long a[6] = {a0, a1, a2, a3, a4, a5};
  long rc = number == SYS_prctl || number == SYS_seccomp      ? mpir_crs_confine_call(number, a)
            : number == SYS_semop || number == SYS_semtimedop ? mpir_crs_semaphores_call(number, a, made_again)
                                                              : made_again(number, a);

  if (number == SYS_write)
    rc = mpir_crs_write_on(rc, (int)a0, &(struct iovec){(void *)a1, (size_t)a2}, 1);
  if (number == SYS_writev)
    rc = mpir_crs_write_on(rc, (int)a0, (const struct iovec *)a1, (int)a2);
  if (!sys_failed(rc))
    return rc;
  errno = (int)-rc;
  return -1;
}
