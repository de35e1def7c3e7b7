/* Rings between nodes: equal at both ends, position by position. */
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mpir/proxy/proxy.h"

enum { SOON = 32 << 10 }; /* bytes that the reader has taken and the writer is told of at once */

/* A ring with one end here. */
struct link {
  struct mpl_ring *ring;
  char *data;
  uint32_t from, to;
  int peer;          /* the other proxy, as Open MPI counts */
  uint64_t position; /* outgoing: sent so far; incoming: told to be taken */
};
static struct link *outgoing, *incoming;
static size_t nlinks; /* of each */

static void add_link(struct proxy *p, struct link *l, uint32_t from, uint32_t to, uint32_t other) {
  *l = (struct link){.ring = mpl_ring_at(p->job, from, to), .from = from, .to = to, .peer = (int)mpl_state(p->job, other)->node + 1};
  l->data = mpl_ring_data(l->ring);
}

/* The positions of a restored job stand in the rings: both ends have published the same, and what is not taken is there. */
void proxy_rings_open(struct proxy *p) {
  const uint32_t here = p->end - p->first, n = p->job->nranks;
  outgoing = calloc((size_t)here * (n - here) + 1, sizeof(*outgoing));
  incoming = calloc((size_t)here * (n - here) + 1, sizeof(*incoming));
  for (uint32_t i = p->first; i < p->end; i++)
    for (uint32_t k = 0; k < n; k++)
      if (k < p->first || k >= p->end) {
        add_link(p, &outgoing[nlinks], i, k, k);
        add_link(p, &incoming[nlinks], k, i, k);
        outgoing[nlinks].position = atomic_load(&outgoing[nlinks].ring->written);
        incoming[nlinks].position = atomic_load(&incoming[nlinks].ring->taken[0]);
        nlinks++;
      }
}

void proxy_ring_bell(_Atomic uint32_t *bell, const _Atomic uint32_t *sleeping) {
  atomic_thread_fence(memory_order_seq_cst);
  if (!atomic_load_explicit(sleeping, memory_order_relaxed))
    return;
  atomic_fetch_add(bell, 1);
  syscall(SYS_futex, bell, FUTEX_WAKE, 64, NULL, NULL, 0);
}

static void wake(struct proxy *p, uint32_t rank) {
  struct mpl_rank_state *s = mpl_state(p->job, rank);
  proxy_ring_bell(&s->bell, &s->sleeping);
}

size_t proxy_rings_measure(const struct mpl_job *job, const char *ring, uint64_t from, uint64_t end) {
  const uint64_t mask = job->ring_bytes - 1;
  uint64_t at = from;
  while (at < end && ((at & mask) || at == from)) {
    const struct mpl_record *r = (const struct mpl_record *)(const void *)(ring + (at & mask));
    const uint64_t size = atomic_load_explicit(&r->head, memory_order_relaxed) >> 8;
    if (at + size > end || at + size - from > PROXY_PIECE)
      break;
    at += size;
  }
  return at - from;
}

static bool send_link(struct proxy *p, struct link *l) {
  bool moved = false;
  const uint64_t end = atomic_load_explicit(&l->ring->written, memory_order_acquire);
  if (proxy_is_gone(p, l->to, true)) /* nobody takes it there */
    l->position = end;
  while (l->position < end && proxy_wire_has_room()) {
    const size_t n = proxy_rings_measure(p->job, l->data, l->position, end);
    const struct proxy_head head = {PROXY_DATA, l->from, l->to, (uint32_t)n, l->position};
    proxy_wire_send(l->peer, &head, l->data + (l->position & (p->job->ring_bytes - 1)));
    l->position += n;
    moved = true;
  }
  return moved;
}

static bool tell_taken(const struct proxy *p, struct link *l, bool idle) {
  const uint64_t taken = atomic_load_explicit(&l->ring->taken[0], memory_order_acquire);
  if (taken == l->position || (!idle && taken - l->position < SOON) || proxy_is_gone(p, l->from, true))
    return false;
  proxy_wire_send(l->peer, &(struct proxy_head){PROXY_TAKEN, l->from, l->to, 0, taken}, NULL);
  l->position = taken;
  return true;
}

static struct link *find(struct link *all, uint32_t from, uint32_t to) {
  size_t i = 0;
  while (i < nlinks && (all[i].from != from || all[i].to != to))
    i++;
  return i < nlinks ? &all[i] : NULL;
}

void proxy_rings_sent(uint32_t from, uint32_t to, uint64_t position) {
  struct link *l = find(outgoing, from, to);
  if (l)
    l->position = position;
}

void proxy_rings_told(uint32_t from, uint32_t to, uint64_t position) {
  struct link *l = find(incoming, from, to);
  if (l)
    l->position = position;
}

bool proxy_rings_progress(struct proxy *p, bool idle) {
  bool moved = false;
  for (size_t i = 0; i < nlinks; i++) {
    moved |= send_link(p, &outgoing[i]);
    moved |= tell_taken(p, &incoming[i], idle);
  }
  return moved;
}

/* As a writer here would have published it: the word of the next record is zero before the first is there. */
void proxy_rings_data(struct proxy *p, const struct proxy_head *head, const char *data) {
  struct mpl_ring *ring = mpl_ring_at(p->job, head->from, head->to);
  const uint64_t mask = p->job->ring_bytes - 1, end = head->position + head->bytes;
  char *to = mpl_ring_data(ring);
  struct mpl_record *first = (struct mpl_record *)(void *)(to + (head->position & mask)),
                    *next = (struct mpl_record *)(void *)(to + (end & mask));
  uint64_t word;
  memcpy(&word, data, sizeof(word));
  memcpy((char *)first + sizeof(word), data + sizeof(word), head->bytes - sizeof(word));
  atomic_store_explicit(&next->head, 0, memory_order_relaxed);
  atomic_store_explicit(&first->head, word, memory_order_release);
  atomic_store_explicit(&ring->written, end, memory_order_release);
  wake(p, head->to);
}

void proxy_rings_taken(struct proxy *p, const struct proxy_head *head) {
  struct mpl_ring *ring = mpl_ring_at(p->job, head->from, head->to);
  if (proxy_is_gone(p, head->to, true)) /* its other replica is further */
    return;
  atomic_store_explicit(&ring->taken[0], head->position, memory_order_release);
  if (atomic_load_explicit(&ring->writer_waits, memory_order_relaxed))
    wake(p, head->from);
}
