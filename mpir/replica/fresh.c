/* A fresh replica on another host: this one stands while an image of it is taken, and what is restored from that begins here, too.  Which of the two a process
   is, it reads in the memory that it shares: that is another one there. */
#include "mpir/replica/door.h"
#include "mpir/replica/replica_private.h"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { REST_NS = 20000000 };

/* What it has sent to itself lies in that memory alone. */
static bool may_stand(void) {
  const struct mpl_peer *self = &mpl.peers[mpl.rank];
  return self->in.position == self->out.position;
}

static enum replica_fork stand(void) {
  struct replica_rank *rank = mpl_replica.rank;
  uint32_t now;
  while ((now = atomic_load(&rank->fork_state)) == REPLICA_WANTS_FORK)
    syscall(SYS_futex, &rank->fork_state, FUTEX_WAIT, REPLICA_WANTS_FORK, &(struct timespec){0, REST_NS}, NULL, 0);
  return (enum replica_fork)now;
}

static void begin(void) {
  replica_become(1 - mpl_replica.me);
  mpl_replica.live = false;
  mpl_replica.quiet = false;
  mpl_replica.replayed = mpl_replica.logged;
  for (uint32_t i = 0; i < mpl.size; i++)
    mpl.peers[i].out.limit = 0;
  if (MPIR_dvm_replica.cloned)
    MPIR_dvm_replica.cloned();
  mpl_replica_count_point(REPLICA_AT_FORK);
}

void replica_stand(void) {
  struct replica_rank *rank = mpl_replica.rank;
  const int64_t since = replica_now_ns();
  if (!may_stand())
    return;
  mpl_replica_count_point(REPLICA_AT_FORK);
  if (MPIR_dvm_replica.forks)
    MPIR_dvm_replica.forks();
  atomic_store(&mpl.state->wait.blocked, 0); /* it will go on */
  atomic_store(&rank->fork_state, REPLICA_WANTS_FORK);
  mpl_ring_proxy();
  const enum replica_fork became = stand();
  if (became == REPLICA_IS_FRESH) {
    begin();
    return;
  }
  if (became != REPLICA_FORKED)
    return;
  for (uint32_t i = 0; i < mpl.size; i++)
    mpl.peers[i].out.limit = 0;
  replica_add(&mpl_replica.count->forks, 1);
  replica_add(&mpl_replica.count->fork_ns, (uint64_t)(replica_now_ns() - since));
  mpl_replica_count_point(REPLICA_AT_FORK);
}
