#include "mpir/mpi/ring.h"

static bool has_room(struct mpl_end *out, uint64_t upto) {
  if (upto <= out->limit)
    return true;
  uint64_t taken = atomic_load_explicit(&out->ring->taken[0], memory_order_acquire);
  out->limit = taken + out->mask + 1;
  return upto <= out->limit;
}

static void publish_at(struct mpl_end *out, struct mpl_record *r, enum mpl_kind kind, size_t size) {
  out->position += size;
  struct mpl_record *next = (struct mpl_record *)(out->data + (out->position & out->mask));
  atomic_store_explicit(&next->head, 0, memory_order_relaxed);
  atomic_store_explicit(&r->head, (uint64_t)size << 8 | kind, memory_order_release);
  atomic_store_explicit(&out->ring->written, out->position, memory_order_release);
}

struct mpl_record *mpl_ring_reserve(struct mpl_end *out, size_t size) {
  uint64_t ring = out->mask + 1, at = out->position & out->mask, rest = ring - at;
  size_t skip = size > rest ? rest : 0;
  if (!has_room(out, out->position + skip + size + sizeof(uint64_t) * 2)) /* the next record's word is ours too */
    return NULL;
  if (skip)
    publish_at(out, (struct mpl_record *)(out->data + at), MPL_SKIP, skip);
  return (struct mpl_record *)(out->data + (out->position & out->mask));
}

void mpl_ring_publish(struct mpl_end *out, struct mpl_record *r, enum mpl_kind kind, size_t size) { publish_at(out, r, kind, size); }

void mpl_ring_take(struct mpl_end *in, struct mpl_record *r) {
  in->position += atomic_load_explicit(&r->head, memory_order_relaxed) >> 8;
  atomic_store_explicit(&in->ring->taken[0], in->position, memory_order_release);
}
