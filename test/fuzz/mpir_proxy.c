/* Packets from the proxies of other nodes.  Input: one byte that says who gets it (bit 0: the controller's proxy, else that of node 0) and who sent it (the
   rest), then the packet.  What is believed is put where the proxy puts it, and read as a rank reads it. */
#include <stdlib.h>
#include <string.h>
#include "mpir/proxy/proxy.h"
#include "mpir/replica/shared.h"

enum { RANKS = 3, RING = 4096 };

/* Ranks 0 and 1 are on node 0, rank 2 on node 1. */
static struct mpl_job *make(void) {
  const size_t size = mpl_segment_size(RANKS, RING);
  struct mpl_job *job = aligned_alloc(4096, mpl_round(size, 4096));
  if (!job)
    abort();
  memset(job, 0, size);
  job->nranks = RANKS;
  job->ring_bytes = RING;
  job->size = size;
  mpl_state(job, 2)->node = 1;
  struct mpl_ring *in = mpl_ring_at(job, 2, 0), *out = mpl_ring_at(job, 0, 2);
  atomic_store(&in->written, RING - 256);
  atomic_store(&in->taken[0], 1024);
  atomic_store(&out->written, 512);
  return job;
}

/* Each record lies in the ring, and has the data that it speaks of. */
static void read_records(const char *ring, uint64_t position, uint32_t bytes) {
  static char copy[RING];
  uint64_t at = position & (RING - 1);
  const uint64_t end = at + bytes;
  if (end > RING)
    abort();
  while (at < end) {
    const struct mpl_record *r = (const struct mpl_record *)(const void *)(ring + at);
    const uint64_t word = atomic_load(&r->head);
    const enum mpl_kind kind = (enum mpl_kind)(word & 0xff);
    if (kind == MPL_EAGER || kind == MPL_EAGER_SYNC || kind == MPL_DATA) {
      if ((const char *)(r + 1) + r->bytes > ring + end)
        abort();
      memcpy(copy, r + 1, r->bytes);
    }
    at += word >> 8;
  }
  if (at != end)
    abort();
}

/* As a shadow does: it looks up the rank that an entry tells of. */
static void follow(const char *data, uint32_t bytes) {
  static volatile char peers[RANKS];
  for (uint32_t at = sizeof(uint64_t); at < bytes; at += sizeof(struct replica_entry)) {
    struct replica_entry e;
    memcpy(&e, data + at, sizeof(e));
    const uint32_t rank = (uint32_t)(e.what >> 8) & 0xffffff;
    if ((e.what & 0xff) == REPLICA_VALUE)
      continue;
    if (rank >= RANKS)
      abort();
    peers[rank]++;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct {
    struct proxy_head head;
    char data[PROXY_PIECE];
  } packet;
  if (!size || size - 1 > sizeof(packet))
    return 0;
  const bool leads = *data & 1;
  const int peer = *data >> 1;
  struct mpl_job *job = make();
  uint8_t gone[RANKS] = {SETS_NO_SHADOW, 0, SETS_NO_MAIN};
  const struct proxy p = {
      .set = 1, .job = job, .node = leads ? MPL_NODES_MAX : 0, .nnodes = 2, .first = 0, .end = leads ? 0 : 2, .gone = leads ? NULL : gone};
  memset(&packet.head, 0, sizeof(packet.head));
  memcpy(&packet, data + 1, size - 1);
  if (!proxy_packet_wrong(&p, peer, &packet.head, packet.data, size - 1)) {
    if (packet.head.kind == PROXY_DATA || (packet.head.kind == PROXY_CROSS && !leads)) {
      char *ring = mpl_ring_data(mpl_ring_at(job, packet.head.from, packet.head.to));
      memcpy(ring + (packet.head.position & (RING - 1)), packet.data, packet.head.bytes);
      read_records(ring, packet.head.position, packet.head.bytes);
    } else if (packet.head.kind == PROXY_LOG) {
      follow(packet.data, packet.head.bytes);
    } else if (packet.head.kind == PROXY_STATE) {
      memcpy(mpl_state(job, packet.head.from), packet.data, packet.head.bytes);
    }
  }
  free(job);
  return 0;
}
