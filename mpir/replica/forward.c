/* receiver-forwarding: the main hands each record that it takes to its shadow, before it lets the sender write over it.  A forwarded record is a short head of
   ours and the record as it was. */
#include "mpir/replica/replica_private.h"
#include <string.h>
#include <time.h>

static struct mpl_end end; /* of this replica: the writer's or the reader's */

static struct mpl_ring *ring(void) {
  return (struct mpl_ring *)((char *)mpl.job + mpl_replica.job->forward_at + mpl.rank * mpl_replica.job->forward_stride);
}

void replica_forward_begin(void) {
  if (mpl_replica.job->protocol != REPLICA_RECEIVER_FORWARDING)
    return;
  struct mpl_ring *r = ring();
  uint64_t now = atomic_load(&r->written);
  atomic_store(&r->taken[0], now);
  end = (struct mpl_end){
      .ring = r, .data = mpl_ring_data(r), .mask = REPLICA_FORWARD_BYTES - 1, .position = now, .limit = now + REPLICA_FORWARD_BYTES};
}

void replica_forward(const struct mpl_record *r) {
  if (!replica_has_shadow())
    return;
  uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
  size_t size = (head & 0xff) == MPL_SKIP ? sizeof(head) : head >> 8, whole = 16 + mpl_round(size, 16);
  struct mpl_record *copy;
  int64_t since = 0;
  while (!(copy = mpl_ring_reserve(&end, whole)) && replica_has_shadow()) {
    since = since ? since : replica_now_ns();
    nanosleep(&(struct timespec){0, 100000}, NULL);
  }
  if (since)
    replica_add(&mpl_replica.count->blocked_by_shadow_ns, (uint64_t)(replica_now_ns() - since));
  if (!copy)
    return;
  memcpy((char *)copy + 16, r, size);
  mpl_replica_count_point(REPLICA_AT_FORWARD);
  mpl_ring_publish(&end, copy, MPL_DATA, whole);
  replica_add(&mpl_replica.count->forwarded, 1);
}

struct mpl_record *replica_forwarded(void) {
  struct mpl_record *r = mpl_ring_peek(&end);
  if (r && (atomic_load(&r->head) & 0xff) == MPL_SKIP) {
    mpl_ring_take(&end, r);
    r = mpl_ring_peek(&end);
  }
  return r ? (struct mpl_record *)((char *)r + 16) : NULL;
}

void replica_forward_taken(void) { mpl_ring_take(&end, mpl_ring_peek(&end)); }
