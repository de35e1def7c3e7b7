#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_private.h"
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

#define LIMIT_NS 2000000000ll
#define NAP_NS 1000000

/* A lock of libc's would not be one as long as libc knows of one thread only. */
static _Atomic(struct mpir_crs_self *) holder CRS_FORKED; /* NULL: nobody */
static unsigned depth CRS_FORKED;       /* this and the next are the holder's */
static uint64_t mask_before CRS_FORKED;
static atomic_uint waiters CRS_FORKED; /* more than there are, in a child */

void mpir_crs_descriptors_lock(void) {
  const uint64_t all = ~0ull;
  int64_t limit = 0;

  if (atomic_load(&holder) == &mpir_crs_self) {
    depth++;
    return;
  }
  for (;;) {
    struct mpir_crs_self *nobody = NULL;
    uint64_t before;

    sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
    if (atomic_compare_exchange_strong(&holder, &nobody, &mpir_crs_self)) {
      mask_before = before;
      depth = 1;
      return;
    }
    sys4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
    limit = limit ? limit : sys_monotonic_ns() + LIMIT_NS;
    if (sys_monotonic_ns() > limit)
      return;
    atomic_fetch_add(&waiters, 1);
    sys_futex_wait(&holder, (unsigned)(uintptr_t)nobody, NAP_NS);
    atomic_fetch_sub(&waiters, 1);
  }
}

void mpir_crs_descriptors_unlock(void) {
  uint64_t before;

  if (atomic_load(&holder) != &mpir_crs_self || --depth)
    return;
  before = mask_before;
  atomic_store(&holder, NULL);
  if (atomic_load(&waiters))
    sys_futex_wake(&holder);
  sys4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
}

void mpir_crs_descriptors_forget(void) {
  const uint64_t before = mask_before;

  if (atomic_exchange(&holder, NULL) == &mpir_crs_self)
    sys4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
}

long mpir_crs_read_file(const char *path, char *buf, size_t size) {
  long n;

  mpir_crs_descriptors_lock();
  n = mpir_plain_read_file(path, buf, size);
  mpir_crs_descriptors_unlock();
  return n;
}
