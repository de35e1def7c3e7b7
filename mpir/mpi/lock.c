/* The lock of MPI_THREAD_MULTIPLE.  Tickets: with a mutex a thread that calls MPI_Test in a loop would keep all others out. */
#include "mpir/mpi/core.h"
#include <dlfcn.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOKS = 200, ALL = 1 << 20 };

static _Noreturn void refuse_late(const void *place) {
  Dl_info function = {0};
  const char *name = dladdr(place, &function) && function.dli_sname ? function.dli_sname : "a function of MPI";
  name = strncmp(name, "PMPI_", 5) ? name : name + 1;
  if (!mpl.forked)
    mpl_die(1, "%s was called after MPI_Finalize", name);
  fprintf(stderr, "dvm run: error: %s was called in process %d, which rank %u has forked; only the rank itself is part of the job\n", name,
          getpid(), mpl.rank);
  _exit(1);
}

void mpl_lock_take(void) {
  pthread_t self = pthread_self();
  if (mpl.finalized)
    refuse_late(__builtin_return_address(0));
  if (atomic_load_explicit(&mpl.owner, memory_order_relaxed) == self) {
    mpl.depth++;
    return;
  }
  uint32_t mine = atomic_fetch_add(&mpl.ticket, 1), now;
  for (int i = 0; (now = atomic_load(&mpl.turn)) != mine; i++)
    if (i < LOOKS)
      __builtin_ia32_pause();
    else
      syscall(SYS_futex, &mpl.turn, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
  atomic_store_explicit(&mpl.owner, self, memory_order_relaxed);
  mpl.depth = 1;
}

void mpl_lock_leave(void) {
  if (--mpl.depth)
    return;
  atomic_store_explicit(&mpl.owner, 0, memory_order_relaxed);
  uint32_t next = atomic_fetch_add(&mpl.turn, 1) + 1;
  if (atomic_load(&mpl.ticket) != next)
    syscall(SYS_futex, &mpl.turn, FUTEX_WAKE_PRIVATE, ALL, NULL, NULL, 0);
}
