/* A main that was restored from a checkpoint: its standard streams are those of the command that restarts; they become pipes to it, as before. */
#include <dvmcr.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
#include "mpir/replica/replica_private.h"

#pragma weak dvmcr_hook_set /* of the checkpointer, where it is preloaded */

static _Atomic uint32_t begun, done; /* lives that a thread has begun to look after, and has looked after */
static dvmcr_hook_f next;

/* What rank 0 had not read, and what comes after it. */
static void take_input(void) {
  const int32_t end = mpl_replica.rank->input_fds[mpl_replica.me];
  char path[64];
  if (end < 0)
    return;
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", mpl_replica.job->controller, end);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    _exit(1);
  dup2(fd, 0);
  close(fd);
}

/* On each thread, before it goes on. */
static void on_restart(int event) {
  uint32_t life = atomic_load(&mpl_replica.job->restarts), before = atomic_load(&begun);
  if (before != life && atomic_compare_exchange_strong(&begun, &before, life)) {
    if (mpl_replica.job->controller) {
      replica_take_streams();
      take_input();
    }
    atomic_store(&done, life);
  }
  while (atomic_load(&done) != life)
    sched_yield();
  if (next)
    next(event);
}

void replica_watch_restarts(void) {
  if (dvmcr_hook_set)
    next = dvmcr_hook_set(DVMCR_HOOK_RESTART, on_restart);
}
