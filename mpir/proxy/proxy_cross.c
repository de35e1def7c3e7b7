/* A node of a set of replicas, when ranks have lost one of theirs: a ring whose writer is gone in this set is filled with what the replica in the other set
   writes, and one whose reader is gone gets its room from what the reader there has taken.  Positions are the same in both sets.  Packets go through the
   controllers' proxies (proxy_ways.c).

   The side of the writer has to keep what the other side does not have yet: the second 'taken' of a ring is up to where that is so.  One that leads keeps what the
   other one has not yet sent itself: else its readers' other replicas would never get that, when that one dies.  So does one that follows, where the reader leads:
   that one may have it from here, before who leads has sent it, and dies. */
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "mpir/proxy/proxy_fresh.h"

enum { SOON = 32 << 10, LATE_NS = 200000 };
static const uint64_t FREE = UINT64_MAX / 2; /* nothing holds the writer up */

/* Of a ring from a rank of this node. */
struct out {
  uint64_t crossed; /* so far the other side has got it from here, or had it when a fresh replica began */
  uint64_t written, taken; /* there, as was told last */
  bool crosses;
};
/* Of a ring to a rank of this node: what the other side knows. */
struct in {
  uint64_t written, taken;
};

static struct out *outs;
static struct in *ins;
static uint32_t nranks;
static bool any_gone; /* of this set or the other one */
static int64_t told_ns;

static struct out *out_of(const struct proxy *p, uint32_t from, uint32_t to) { return &outs[(size_t)(from - p->first) * nranks + to]; }
static struct in *in_of(const struct proxy *p, uint32_t from, uint32_t to) { return &ins[(size_t)(to - p->first) * nranks + from]; }
static bool is_main(const struct proxy *p) { return p->set == 1; }
static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t greater(uint64_t a, uint64_t b) { return a < b ? b : a; }

/* --- how long a record is kept --- */

static uint64_t needed_from(const struct proxy *p, uint32_t from, uint32_t to) {
  const struct out *o = out_of(p, from, to);
  if (from == to || proxy_is_gone(p, to, false))
    return FREE;
  if (o->crosses)
    return o->crossed;
  return proxy_leads(p, from) || proxy_leads(p, to) ? o->written : FREE;
}

static void wake_writer(struct proxy *p, const struct mpl_ring *ring, uint32_t rank) {
  struct mpl_rank_state *s = mpl_state(p->job, rank);
  if (atomic_load_explicit(&ring->writer_waits, memory_order_relaxed) || !proxy_leads(p, rank))
    proxy_ring_bell(&s->bell, &s->sleeping);
}

/* A reader that is gone takes what its other replica takes. */
static void give_room(struct proxy *p, uint32_t from, uint32_t to) {
  struct mpl_ring *ring = mpl_ring_at(p->job, from, to);
  const uint64_t before = atomic_load(&ring->taken[0]), needed = needed_from(p, from, to),
                 taken = lesser(out_of(p, from, to)->taken, atomic_load(&ring->written));
  bool more = atomic_load(&ring->taken[1]) < needed;
  atomic_store(&ring->taken[1], needed);
  if (proxy_is_gone(p, to, true) && from != to && taken > before) {
    atomic_store_explicit(&ring->taken[0], taken, memory_order_release);
    more = true;
  }
  if (more)
    wake_writer(p, ring, from);
}

/* All that there is of the job is in this set, or in the other one. */
static void begin_alone(struct proxy *p) {
  const uint32_t here = p->set - 1, full = p->begins == SETS_BEGIN_SNAPSHOT ? here : 1 - here;
  for (uint32_t i = 0; i < nranks; i++) {
    p->gone[i] = (uint8_t)(1u << (1 - full));
    p->leader[i] = (uint8_t)full;
  }
  any_gone = true;
  atomic_store(&p->job->crosses, 1);
}

/* Before ranks are there. */
void proxy_cross_open(struct proxy *p) {
  const size_t n = (size_t)(p->end - p->first) * p->job->nranks + 1;
  nranks = p->job->nranks;
  outs = calloc(n, sizeof(*outs));
  ins = calloc(n, sizeof(*ins));
  p->gone = calloc(nranks, sizeof(*p->gone));
  p->leader = calloc(nranks, sizeof(*p->leader));
  if (p->begins)
    begin_alone(p);
  for (uint32_t from = p->first; from < p->end; from++)
    for (uint32_t to = 0; to < nranks; to++)
      give_room(p, from, to);
}

/* --- who is gone --- */

/* What the other side does not have is here from there on: a shadow has taken no more than its main, and a main keeps what its shadow has not sent. */
static void begin(const struct proxy *p, uint32_t from, uint32_t to) {
  struct out *o = out_of(p, from, to);
  const struct mpl_ring *ring = mpl_ring_at(p->job, from, to);
  if (o->crosses || from == to || proxy_is_gone(p, from, true) || !proxy_is_gone(p, from, false) || proxy_is_gone(p, to, false))
    return;
  o->crossed = greater(o->crossed, lesser(atomic_load(&ring->taken[0]), atomic_load(&ring->taken[1])));
  o->crosses = true;
}

void proxy_cross_gone(struct proxy *p, uint32_t rank, uint8_t bits) {
  const uint8_t before = p->gone[rank];
  p->gone[rank] |= bits & SETS_GONE;
  if (p->gone[rank] == before)
    return;
  any_gone = true;
  atomic_store(&p->job->crosses, 1);
  if (p->gone[rank] & 1 << p->leader[rank])
    p->leader[rank] = 1 - p->leader[rank];
  for (uint32_t from = p->first; from < p->end; from++)
    for (uint32_t to = 0; to < nranks; to++) {
      if (from == rank)
        begin(p, from, to);
      if (from == rank || to == rank)
        give_room(p, from, to);
    }
}

bool proxy_cross_is_over(const struct proxy *p, uint32_t rank) {
  for (uint32_t to = 0; to < nranks; to++) {
    const struct out *o = out_of(p, rank, to);
    if (o->crosses && !proxy_is_gone(p, to, false) && o->crossed != atomic_load(&mpl_ring_at(p->job, rank, to)->written))
      return false;
  }
  return true;
}

/* In its own set it writes itself; in the other one nothing goes over for it any more, and what has no writer there does. */
static void come_back(const struct proxy *p, uint32_t from, uint32_t to, uint32_t rank, const struct fresh_ring *cut) {
  struct out *o = out_of(p, from, to);
  const uint64_t position = from == rank ? cut->out : cut->in;
  if (proxy_is_gone(p, from, true) && from != rank)
    return;
  o->crosses = to == rank && proxy_is_gone(p, from, false);
  if (from == rank || o->crosses)
    o->crossed = position;
  if (proxy_is_gone(p, rank, true)) /* what the other side has is told again */
    return;
  o->written = greater(o->written, position);
  if (to == rank)
    o->taken = position;
}

void proxy_cross_back(struct proxy *p, uint32_t rank, const struct fresh_cut *cut) {
  const bool of_its_set = proxy_is_gone(p, rank, true);
  for (uint32_t from = p->first; from < p->end; from++)
    for (uint32_t to = 0; to < nranks; to++)
      if (from != to && (from == rank || (to == rank && !of_its_set)))
        come_back(p, from, to, rank, &cut->rings[from == rank ? to : from]);
  p->gone[rank] &= (uint8_t)~(1u << (of_its_set ? p->set - 1 : 2 - p->set));
  p->leader[rank] = (uint8_t)(of_its_set ? 2 - p->set : p->set - 1);
  uint8_t any = 0;
  for (uint32_t i = 0; i < nranks; i++)
    any |= p->gone[i];
  atomic_store(&p->job->crosses, any != 0);
  for (uint32_t from = p->first; from < p->end; from++)
    for (uint32_t to = 0; to < nranks; to++)
      if (from == rank || to == rank)
        give_room(p, from, to);
}

/* --- what goes over --- */

static bool send_ring(struct proxy *p, uint32_t from, uint32_t to) {
  struct out *o = out_of(p, from, to);
  struct mpl_ring *ring = mpl_ring_at(p->job, from, to);
  const uint64_t ring_bytes = p->job->ring_bytes, word = sizeof(uint64_t) * 2,
                 written = atomic_load_explicit(&ring->written, memory_order_acquire);
  bool moved = false;
  while (o->crossed < written && proxy_wire_has_room()) {
    const char *data = mpl_ring_data(ring);
    const size_t n = proxy_rings_measure(p->job, data, o->crossed, lesser(written, o->taken + ring_bytes - word));
    if (!n)
      break;
    proxy_wire_send(0, &(struct proxy_head){PROXY_CROSS, from, to, (uint32_t)n, o->crossed}, data + (o->crossed & (ring_bytes - 1)));
    o->crossed += n;
    moved = true;
  }
  return moved;
}

/* The other side is told how far this one is: soon enough that nobody waits for long for what was not told; exactly, when replicas are gone. */
static void tell_ends(struct proxy *p, uint32_t from, uint32_t to, bool late) {
  struct in *told = in_of(p, from, to);
  const struct mpl_ring *ring = mpl_ring_at(p->job, from, to);
  const uint64_t written = atomic_load(&ring->written), taken = lesser(atomic_load(&ring->taken[0]), written);
  const bool much = written - told->written >= SOON || taken - told->taken >= SOON,
             differs = written != told->written || taken != told->taken;
  if (!(much || (late && any_gone && differs)) || !proxy_wire_has_room())
    return;
  proxy_wire_send(0, &(struct proxy_head){PROXY_ENDS, from, to, sizeof(taken), written}, &taken);
  *told = (struct in){written, taken};
}

static bool progress_from(struct proxy *p, uint32_t from) {
  bool moved = false;
  for (uint32_t to = 0; to < nranks; to++) {
    if (out_of(p, from, to)->crosses && !proxy_is_gone(p, to, false))
      moved |= send_ring(p, from, to);
    give_room(p, from, to);
  }
  return moved;
}

bool proxy_cross_progress(struct proxy *p, bool idle) {
  const int64_t now = dvm_clock_ns();
  const bool late = idle && now - told_ns > LATE_NS;
  bool moved = false;
  for (uint32_t rank = p->first; rank < p->end && any_gone; rank++)
    moved |= progress_from(p, rank);
  told_ns = late ? now : told_ns;
  for (uint32_t to = p->first; to < p->end && (any_gone || !is_main(p)); to++)
    for (uint32_t from = 0; from < nranks; from++)
      if (from != to && !proxy_is_gone(p, to, true) && !proxy_is_gone(p, from, false))
        tell_ends(p, from, to, late);
  return moved;
}

/* --- what comes --- */

/* A writer that has died may have published a record, and had no time to count it. */
static void count_last(struct proxy *p, struct mpl_ring *ring) {
  const uint64_t written = atomic_load(&ring->written);
  const struct mpl_record *r = (const struct mpl_record *)(const void *)(mpl_ring_data(ring) + (written & (p->job->ring_bytes - 1)));
  const uint64_t word = atomic_load_explicit(&r->head, memory_order_acquire);
  if (word)
    atomic_store(&ring->written, written + (word >> 8));
}

void proxy_cross_data(struct proxy *p, const struct proxy_head *head, const char *data) {
  struct mpl_ring *ring = mpl_ring_at(p->job, head->from, head->to);
  if (head->from >= p->first && head->from < p->end)
    count_last(p, ring);
  const uint64_t written = atomic_load(&ring->written);
  if (head->position > written)
    proxy_replicas_gap(head->from);
  if (head->position + head->bytes <= written)
    return;
  struct proxy_head rest = *head;
  const uint32_t known = (uint32_t)(written - head->position);
  rest.position += known;
  rest.bytes -= known;
  proxy_rings_data(p, &rest, data + known);
}

bool proxy_cross_take(struct proxy *p, const struct proxy_head *head, const char *data) {
  if (head->kind == PROXY_CROSS) {
    proxy_cross_data(p, head, data);
  } else if (head->kind == PROXY_ENDS) {
    struct out *o = out_of(p, head->from, head->to);
    o->written = head->position;
    memcpy(&o->taken, data, sizeof(o->taken));
    give_room(p, head->from, head->to);
  } else {
    return false;
  }
  return true;
}
