/* Sending: records are put into the rings; what finds no room there waits for it. */
#include "mpir/mpi/moves.h"
#include "mpir/mpi/type.h"
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What waits for room: a record without data, or a request whose record or data are to be sent. */
struct mpl_out {
  struct mpl_out *next;
  struct ompi_request_t *q; /* NULL: 'r' alone */
  uint8_t kind;
  struct mpl_record r;
};

bool  mpl_is_elsewhere(uint32_t rank) { return mpl.job->nnodes > 1 && mpl_state(mpl.job, rank)->node != mpl.job->node; }

static void ring(_Atomic uint32_t *bell, const _Atomic uint32_t *sleeping) {
  if (!atomic_load_explicit(sleeping, memory_order_relaxed))
    return;
  atomic_fetch_add(bell, 1);
  syscall(SYS_futex, bell, FUTEX_WAKE, 64, NULL, NULL, 0);
}

void mpl_ring_proxy(void) {
  atomic_thread_fence(memory_order_seq_cst);
  ring(&mpl.job->proxy_bell, &mpl.job->proxy_sleeping);
}

void  mpl_ring_bell(uint32_t rank) {
  struct mpl_rank_state *s = mpl_state(mpl.job, rank);
  const bool elsewhere = mpl_is_elsewhere(rank);
  atomic_thread_fence(memory_order_seq_cst);
  if (!elsewhere)
    ring(&s->bell, &s->sleeping);
  if (elsewhere || atomic_load_explicit(&mpl.job->crosses, memory_order_relaxed))
    ring(&mpl.job->proxy_bell, &mpl.job->proxy_sleeping);
}

static bool put(uint32_t to, const struct mpl_record *head, enum mpl_kind kind, const void *data, size_t size) {
  size_t whole = mpl_round(sizeof(*head) + size, 16);
  struct mpl_end *out = &mpl.peers[to].out;
  int replayed = mpl_replays() ? mpl_replica_put(to, out, head, kind, data, size) : REPLICA_LEADS;
  if (replayed != REPLICA_LEADS && replayed != REPLICA_REPEATS)
    return replayed == REPLICA_SENT;
  const bool tells = mpl_replicated() && replayed == REPLICA_LEADS, has_room = !tells || mpl_ring_has_room(out, whole);
  if (tells) /* before the end of the ring is skipped, which others see */
    mpl_replica_tell_room(to, out, whole, has_room);
  struct mpl_record *r = has_room ? mpl_ring_reserve(out, whole) : NULL;
  if (!r)
    return false;
  if (mpl_replica_sums() && replayed == REPLICA_LEADS)
    mpl_replica_tell_sum(to, head, kind, data, size);
  memcpy((char *)r + sizeof(r->head), (const char *)head + sizeof(r->head), sizeof(*head) - sizeof(r->head));
  if (size)
    memcpy(r + 1, data, size);
  mpl_ring_publish(out, r, kind, whole);
  if (mpl_replicated())
    mpl_replica_sent(out, head, kind);
  mpl_ring_bell(to);
  return true;
}

static void wait_for_room(uint32_t to, const struct mpl_out *o) {
  struct mpl_peer *p = &mpl.peers[to];
  struct mpl_out *copy = malloc(sizeof(*copy));
  *copy = *o;
  copy->next = NULL;
  mpl.waiting += !p->first;
  *p->last = copy;
  p->last = &copy->next;
  if (!mpl_replays())
    atomic_store(&p->out.ring->writer_waits, 1);
}

void  mpl_put(uint32_t to, const struct mpl_record *head, enum mpl_kind kind) {
  if (mpl.peers[to].first || !put(to, head, kind, NULL, 0))
    wait_for_room(to, &(struct mpl_out){.kind = kind, .r = *head});
}

static bool is_eager(const struct ompi_request_t *q) { return q->size <= mpl.job->eager_limit; }

static bool send_first(struct ompi_request_t *q, uint32_t to, struct mpl_record *head) {
  head->target = mpl_replicated() ? 0 : (uintptr_t)q->bytes;
  mpl_replica.place = q->place;
  if (!is_eager(q))
    return put(to, head, MPL_RTS, NULL, 0);
  bool sync = q->mode == MPL_SYNCHRONOUS || (mpl.job->strict && !(q->context & 1) && !q->lent);
  if (!put(to, head, sync ? MPL_EAGER_SYNC : MPL_EAGER, q->bytes, q->size))
    return false;
  if (!sync)
    mpl_complete(q);
  return true;
}

/* As much as there is room for; true when all is sent. */
static bool send_data(struct ompi_request_t *q, uint32_t to) {
  mpl_replica.place = q->place;
  while (q->moved < q->size) {
    size_t n = q->size - q->moved < MPL_FRAGMENT ? q->size - q->moved : MPL_FRAGMENT;
    struct mpl_record head = {.bytes = n, .target = q->other, .offset = q->moved};
    if (!put(to, &head, MPL_DATA, q->bytes + q->moved, n))
      return false;
    q->moved += n;
  }
  mpl_complete(q);
  return true;
}

static bool send_waiting(struct mpl_out *o, uint32_t to) {
  if (!o->q)
    return put(to, &o->r, o->kind, NULL, 0);
  return o->kind == MPL_DATA ? send_data(o->q, to) : send_first(o->q, to, &o->r);
}

static bool progress_peer(uint32_t to) {
  struct mpl_peer *p = &mpl.peers[to];
  bool moved = false;
  mpl_replica_retry(true);
  while (p->first) {
    struct mpl_out *o = p->first;
    uint64_t before = p->out.position;
    bool sent = send_waiting(o, to);
    moved |= sent || p->out.position != before;
    if (!sent)
      break;
    p->first = o->next;
    free(o);
    if (!p->first) {
      p->last = &p->first;
      mpl.waiting--;
      if (!mpl_replays())
        atomic_store(&p->out.ring->writer_waits, 0);
    }
  }
  mpl_replica_retry(false);
  return moved;
}

void mpl_progress_peer(uint32_t to) { progress_peer(to); }

bool  mpl_progress_out(void) {
  bool moved = false;
  for (uint32_t to = 0; mpl.waiting && to < mpl.size; to++)
    moved |= progress_peer(to);
  return moved;
}

void mpl_send_start(struct ompi_request_t *q, bool collective) {
  if (mpl_replicated() && !collective)
    mpl_replica_renew();
  q->active = true;
  q->complete = q->matched = q->cancelled = false;
  q->moved = 0;
  q->status = (MPI_Status){MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};
  if (q->peer == MPI_PROC_NULL) {
    q->complete = true;
    return;
  }
  q->context = q->comm->context + collective;
  mpl_type_gather(q);
  mpl_post(&mpl.sends, q);
  uint32_t to = (uint32_t)mpl_job_rank(q->comm, q->peer);
  struct mpl_record head = {.context = q->context, .tag = q->tag, .bytes = q->size, .sender = mpl_request_token(q), .offset = (uint64_t)q->comm->rank};
  if (mpl.peers[to].first || !send_first(q, to, &head))
    wait_for_room(to, &(struct mpl_out){.q = q, .kind = MPL_EAGER, .r = head});
}

void mpl_send_cleared(const struct mpl_record *r, uint32_t from) {
  struct ompi_request_t *q = mpl_request_of(r->sender);
  q->other = r->target;
  q->matched = true;
  if (mpl.peers[from].first || !send_data(q, from))
    wait_for_room(from, &(struct mpl_out){.q = q, .kind = MPL_DATA});
}

void mpl_cancel_send(struct ompi_request_t *q) {
  if (q->complete || q->matched || q->cancelling || q->peer == MPI_PROC_NULL)
    return;
  q->cancelling = true;
  struct mpl_record head = {.context = q->context, .sender = mpl_request_token(q)};
  mpl_put((uint32_t)mpl_job_rank(q->comm, q->peer), &head, MPL_CANCEL);
}
