/* A replica that is made anew comes back into its set: what nodes share with it, and with each other for it, is as if it had come to the cut by itself. */
#include <stdlib.h>
#include <string.h>
#include "mpir/proxy/proxy_fresh.h"

static bool is_here(const struct proxy *p, uint32_t rank) { return rank >= p->first && rank < p->end; }

/* Of the node's own ranks: what comes from elsewhere is sent again. */
bool proxy_fresh_reached(const struct proxy *p, uint32_t rank, const struct fresh_cut *cut) {
  for (uint32_t k = p->first; k < p->end; k++)
    if (k != rank && !proxy_is_gone(p, k, true) && atomic_load(&mpl_ring_at(p->job, k, rank)->written) < cut->rings[k].in)
      return false;
  return true;
}

static void set_empty(const struct proxy *p, struct mpl_ring *ring, uint64_t position) {
  struct mpl_record *next = (struct mpl_record *)(void *)(mpl_ring_data(ring) + (position & (p->job->ring_bytes - 1)));
  atomic_store(&next->head, 0);
  atomic_store(&ring->written, position);
}

static void prepare_in(struct proxy *p, uint32_t from, uint32_t rank, uint64_t position) {
  struct mpl_ring *ring = mpl_ring_at(p->job, from, rank);
  if (!is_here(p, from) || proxy_is_gone(p, from, true) || from == rank)
    set_empty(p, ring, position);
  atomic_store(&ring->taken[0], position);
  proxy_rings_told(from, rank, position);
}

/* Its readers here have all of it. */
static void prepare_out(struct proxy *p, uint32_t rank, uint32_t to, uint64_t position) {
  struct mpl_ring *ring = mpl_ring_at(p->job, rank, to);
  if (!is_here(p, to) || proxy_is_gone(p, to, true))
    set_empty(p, ring, position);
  atomic_store(&ring->writer_waits, 0);
  proxy_rings_sent(rank, to, position);
}

void proxy_fresh_prepare(struct proxy *p, uint32_t rank, const struct fresh_cut *cut) {
  struct mpl_rank_state *s = mpl_state(p->job, rank);
  for (uint32_t i = 0; i < p->job->nranks; i++) {
    prepare_in(p, i, rank, cut->rings[i].in);
    if (i != rank)
      prepare_out(p, rank, i, cut->rings[i].out);
  }
  atomic_store(&s->sleeping, 0);
  atomic_store(&s->wait.blocked, 0);
  atomic_store(&s->unexpected, cut->unexpected);
  atomic_store(&s->ended, 0);
  atomic_store(&s->phase, MPL_RUNNING);
}

/* Of each ring to a rank of this node: where it begins in the other set. */
static uint64_t *begun;

static uint64_t *begun_of(const struct proxy *p, uint32_t from, uint32_t to) {
  const uint32_t n = p->job->nranks;
  if (!begun)
    begun = calloc((size_t)(p->end - p->first) * n + 1, sizeof(*begun));
  return &begun[(size_t)(to - p->first) * n + from];
}

bool proxy_fresh_owes(const struct proxy *p, uint32_t rank) {
  for (uint32_t i = 0; i < p->job->nranks; i++)
    if (!proxy_is_gone(p, i, false) && atomic_load(&mpl_ring_at(p->job, i, rank)->taken[0]) < *begun_of(p, i, rank))
      return true;
  return false;
}

void proxy_fresh_back(struct proxy *p, uint32_t rank, const struct fresh_cut *cut) {
  const bool of_its_set = proxy_is_gone(p, rank, true);
  for (uint32_t k = p->first; k < p->end && !of_its_set; k++)
    *begun_of(p, rank, k) = cut->rings[k].out;
  proxy_cross_back(p, rank, cut);
  for (uint32_t k = p->first; k < p->end && of_its_set; k++)
    if (k != rank) {
      struct mpl_ring *ring = mpl_ring_at(p->job, k, rank);
      if (!is_here(p, rank) && !proxy_is_gone(p, k, true)) {
        atomic_store(&ring->taken[0], cut->rings[k].in);
        proxy_rings_sent(k, rank, cut->rings[k].in);
      }
    }
  if (!of_its_set && is_here(p, rank))
    proxy_replicas_followed(p, rank, cut);
}
