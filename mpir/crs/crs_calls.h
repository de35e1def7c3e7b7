/* Calls that a stop breaks off: how a wrapper learns of it, and what is left of its time. */
#ifndef DVM_MPIR_CRS_CALLS_H
#define DVM_MPIR_CRS_CALLS_H
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "mpir/crs/crs_private.h"
#include "mpir/crs/sys.h"

/* While it is in scope an EINTR of ours is left to the function; elsewhere the handler has the system call made again. */
#define CALL_SCOPE                                                                                                                         \
  __attribute__((cleanup(call_scope_end), unused)) const uintptr_t call_scope = mpir_crs_self.inside;                                      \
  mpir_crs_self.inside = (uintptr_t)__builtin_frame_address(0)

static inline void call_scope_end(const uintptr_t *before) { mpir_crs_self.inside = *before; }

/* Before a call: forget earlier interruptions. */
static inline void call_begin(void) { mpir_crs_self.interrupted = 0; }
static inline bool call_again(void) { return errno == EINTR && mpir_crs_self.interrupted; }

/* Time spent stopped does not count as waiting. */
static inline int64_t deadline_after(int64_t ns) { return sys_monotonic_ns() - atomic_load(&crs.lost_ns) + ns; }
static inline int64_t time_left(int64_t deadline) {
  int64_t left = deadline - (sys_monotonic_ns() - atomic_load(&crs.lost_ns));

  return left > 0 ? left : 0;
}
static inline int64_t ns_of(const struct timespec *t) { return t->tv_sec * 1000000000ll + t->tv_nsec; }
static inline struct timespec timespec_of(int64_t ns) { return (struct timespec){ns / 1000000000, ns % 1000000000}; }

struct iovec;

/* Before the program's first call. */
void mpir_crs_calls_init(void);
/* After a write of 'parts' that returned 'written': writes the rest if it was a stop that cut it short, and returns the sum. */
long mpir_crs_write_on(long written, int fd, const struct iovec *parts, int count);
/* syscall(2) for calls that may wait; crs_syscall.S passes the others on. */
long mpir_crs_syscall_waiting(long number, long a0, long a1, long a2, long a3, long a4, long a5);
extern uint64_t mpir_crs_waiting_calls[];
#endif
