/* The log of a rank: what its leading replica did that the program does not determine, in the order in which it did it. */
#include "mpir/replica/replica_private.h"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t replica_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

bool replica_has_shadow(void) { return atomic_load_explicit(&mpl_replica.rank->alive, memory_order_acquire) & 1u << (1 - mpl_replica.me); }

static bool is_full(void) {
  return mpl_replica.logged - atomic_load_explicit(&mpl_replica.rank->replayed, memory_order_acquire) >= REPLICA_LOG_ENTRIES;
}

/* The shadow is so far behind: it is waited for, or replaced. */
static void wait_for_log(void) {
  int64_t since = replica_now_ns();
  struct replica_rank *rank = mpl_replica.rank;
  if (mpl_replica.job->when_full == REPLICA_LEAP) {
    atomic_store(&rank->leap, 1);
    replica_notify();
  }
  while (is_full() && replica_has_shadow()) {
    atomic_fetch_add(&rank->bell, 1);
    syscall(SYS_futex, &rank->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
    nanosleep(&(struct timespec){0, 100000}, NULL);
  }
  replica_add(&mpl_replica.count->blocked_by_log_ns, (uint64_t)(replica_now_ns() - since));
}

void replica_append(enum replica_event event, uint32_t rank, uint64_t value) {
  if (!replica_has_shadow())
    return;
  mpl_replica_count_point(REPLICA_AT_ENTRY);
  if (is_full())
    wait_for_log();
  if (is_full()) /* it was the shadow's end that was waited for */
    return;
  mpl_replica.log[mpl_replica.logged % REPLICA_LOG_ENTRIES] =
      (struct replica_entry){event | (uint64_t)rank << 8 | mpl_replica.step << 32, value};
  atomic_store_explicit(&mpl_replica.rank->logged, ++mpl_replica.logged, memory_order_release);
  replica_add(&mpl_replica.count->entries, 1);
  mpl_replica_count_point(REPLICA_AT_ENTERED);
}

/* One that was saved and leads now may have taken an entry that was not counted yet. */
const struct replica_entry *replica_peek(void) {
  if (atomic_load_explicit(&mpl_replica.rank->logged, memory_order_acquire) <= mpl_replica.replayed)
    return NULL;
  return &mpl_replica.log[mpl_replica.replayed % REPLICA_LOG_ENTRIES];
}

void replica_take(void) { atomic_store_explicit(&mpl_replica.rank->replayed, ++mpl_replica.replayed, memory_order_release); }
