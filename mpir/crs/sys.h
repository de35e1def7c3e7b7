/* System calls without libc: for code that runs while other threads are stopped (they may own libc's locks), and for the
 * restorer, which runs where no libc is mapped.  Calls return the kernel's value: -E... on failure; errno is not touched.
 * Everything here is async-signal-safe.  x86-64. */
#ifndef DVM_MPIR_SYS_H
#define DVM_MPIR_SYS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long sys_call6(long nr, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long ret;
  __asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return ret;
}

#define SYS_ARG(x) ((long)(x))
#define sys0(nr) sys_call6(nr, 0, 0, 0, 0, 0, 0)
#define sys1(nr, a) sys_call6(nr, SYS_ARG(a), 0, 0, 0, 0, 0)
#define sys2(nr, a, b) sys_call6(nr, SYS_ARG(a), SYS_ARG(b), 0, 0, 0, 0)
#define sys3(nr, a, b, c) sys_call6(nr, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), 0, 0, 0)
#define sys4(nr, a, b, c, d) sys_call6(nr, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), 0, 0)
#define sys5(nr, a, b, c, d, e) sys_call6(nr, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), SYS_ARG(e), 0)
#define sys6(nr, a, b, c, d, e, f) sys_call6(nr, SYS_ARG(a), SYS_ARG(b), SYS_ARG(c), SYS_ARG(d), SYS_ARG(e), SYS_ARG(f))

static inline bool sys_failed(long ret) { return ret < 0 && ret > -4096; }

/* Waits while *word == value; timeout_ns < 0 waits without limit.  May return early. */
static inline void sys_futex_wait(const void *word, unsigned value, long timeout_ns) {
  struct {
    long sec, nsec;
  } ts = {timeout_ns / 1000000000L, timeout_ns % 1000000000L};

  sys4(SYS_futex, word, 0 /* FUTEX_WAIT */, value, timeout_ns < 0 ? NULL : &ts);
}

static inline void sys_futex_wake(const void *word) { sys3(SYS_futex, word, 1 /* FUTEX_WAKE */, 0x7fffffff); }

static inline int64_t sys_monotonic_ns(void) {
  struct {
    int64_t sec, nsec;
  } ts = {0, 0};

  sys2(SYS_clock_gettime, 1 /* CLOCK_MONOTONIC */, &ts);
  return ts.sec * 1000000000 + ts.nsec;
}
#endif
