#include "mpir/mpi/ring.h"
#include <string.h>
#include <sys/mman.h>

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Up to where all that read have read.  One that begins to read begins where another is, who goes on only when its bit is set. */
static uint64_t taken_by_all(const struct mpl_end *out) {
  const struct mpl_ring *ring = out->ring;
  if (!out->readers)
    return atomic_load_explicit(&ring->taken[0], memory_order_acquire);
  for (;;) {
    uint32_t who = atomic_load(out->readers);
    uint64_t first = atomic_load(&ring->taken[0]), second = atomic_load(&ring->taken[1]);
    uint64_t taken = who == 3 ? lesser(first, second) : who == 2 ? second : first;
    if (out->checks && atomic_load(out->checks) == 3)
      taken = lesser(taken, atomic_load(&ring->checked));
    if (atomic_load(out->readers) == who)
      return taken;
  }
}

static bool has_room(struct mpl_end *out, uint64_t upto) {
  if (upto <= out->limit)
    return true;
  out->limit = taken_by_all(out) + out->mask + 1;
  return upto <= out->limit;
}

/* The next record's word first: what is there is of the ring's last round. */
static void make_whole(const struct mpl_end *out, struct mpl_record *r, enum mpl_kind kind, size_t size) {
  struct mpl_record *next = (struct mpl_record *)(out->data + ((out->position + size) & out->mask));
  atomic_store_explicit(&next->head, 0, memory_order_relaxed);
  atomic_store_explicit(&r->head, (uint64_t)size << 8 | kind, memory_order_release);
}

static void publish_at(struct mpl_end *out, struct mpl_record *r, enum mpl_kind kind, size_t size) {
  if (out->copy) {
    struct mpl_end copy = {.ring = out->ring, .data = out->copy, .mask = out->mask, .position = out->position};
    struct mpl_record *to = (struct mpl_record *)(copy.data + ((char *)r - out->data));
    if (kind != MPL_SKIP)
      memcpy((char *)to + sizeof(r->head), (char *)r + sizeof(r->head), size - sizeof(r->head));
    make_whole(&copy, to, kind, size);
  }
  make_whole(out, r, kind, size);
  out->position += size;
  atomic_store_explicit(&out->ring->written, out->position, memory_order_release);
}

/* What is left before the end where a record does not fit. */
static size_t skipped(const struct mpl_end *out, size_t size) {
  const uint64_t rest = out->mask + 1 - (out->position & out->mask);
  return size > rest ? rest : 0;
}

bool mpl_ring_has_room(struct mpl_end *out, size_t size) {
  return has_room(out, out->position + skipped(out, size) + size + sizeof(uint64_t) * 2); /* the next record's word is ours too */
}

struct mpl_record *mpl_ring_reserve(struct mpl_end *out, size_t size) {
  const size_t skip = skipped(out, size);
  const uint64_t at = out->position & out->mask;
  if (!mpl_ring_has_room(out, size))
    return NULL;
  if (skip)
    publish_at(out, (struct mpl_record *)(out->data + at), MPL_SKIP, skip);
  return (struct mpl_record *)(out->data + (out->position & out->mask));
}

void mpl_ring_publish(struct mpl_end *out, struct mpl_record *r, enum mpl_kind kind, size_t size) { publish_at(out, r, kind, size); }

/* Of a ring that is there for a reader that is far behind, a page is given back when the last one has read it. */
static void release(const struct mpl_end *in, uint64_t before) {
  enum { PIECE = 1 << 20 };
  uint64_t begin = before / PIECE * PIECE, other = atomic_load(&in->ring->taken[1 - in->reader]);
  bool alone = atomic_load(in->readers) == 1u << in->reader;
  if (in->position / PIECE != before / PIECE && (alone || other >= begin + PIECE))
    madvise(in->data + (begin & in->mask), PIECE, MADV_REMOVE);
}

void mpl_ring_take(struct mpl_end *in, struct mpl_record *r) {
  uint64_t before = in->position;
  in->position += atomic_load_explicit(&r->head, memory_order_relaxed) >> 8;
  if (in->releases)
    release(in, before);
  atomic_store_explicit(&in->ring->taken[in->reader], in->position, memory_order_release);
}
