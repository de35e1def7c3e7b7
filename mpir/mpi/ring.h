/* A ring of records from one rank to another: one writer; readers keep positions of their own.
   A record begins with a word that is zero until the record is whole; the writer zeroes the word of the next record before it publishes one, so a
   reader needs one cache line for a short record.  Records do not wrap: what does not fit before the end is skipped by a record of kind MPL_SKIP.
   Positions count bytes since the start and never wrap. */
#ifndef MPL_RING_H
#define MPL_RING_H
#include "mpir/mpi/segment.h"

enum mpl_kind { MPL_SKIP = 1, MPL_EAGER, MPL_EAGER_SYNC, MPL_RTS, MPL_CTS, MPL_DATA, MPL_ACK, MPL_CANCEL, MPL_CANCELLED };

/* On the hidden context a tag is a number of operations, times MPL_COLLECTIVES, and the kind of this one. */
enum mpl_collective {
#define KIND(name, words) MPL_COLLECTIVE_##name,
#include "mpir/mpi/collective_kinds.inc"
#undef KIND
  MPL_COLLECTIVES = 64
};
static inline const char *mpl_collective_words(int tag) {
  static const char *const words[MPL_COLLECTIVES] = {
#define KIND(name, words) words,
#include "mpir/mpi/collective_kinds.inc"
#undef KIND
  };
  const char *found = tag >= 0 ? words[tag % MPL_COLLECTIVES] : NULL;
  return found ? found : "of a collective operation";
}

/* 'head' is size in bytes of the whole record, a multiple of 16, shifted by 8, and the kind. */
struct mpl_record {
  _Atomic uint64_t head;
  uint32_t context;
  int32_t tag;
  uint64_t bytes;  /* of the whole message, or of the data in this record for MPL_DATA */
  uint64_t sender; /* address of a request in the sender: comes back in MPL_CTS, MPL_ACK, MPL_CANCELLED */
  uint64_t target; /* address of a request in the receiver; for MPL_CANCELLED 1 where it succeeded */
  uint64_t offset; /* MPL_DATA: where in the message */
};

struct mpl_ring {
  _Atomic uint64_t written __attribute__((aligned(64))); /* by the writer: all before it is published */
  _Atomic uint64_t taken[2] __attribute__((aligned(64))); /* by the readers: all before it may be written over; the second is for a shadow, or what another host still needs */
  _Atomic uint32_t writer_waits __attribute__((aligned(64)));
  _Atomic uint64_t checked __attribute__((aligned(64))); /* by the shadow of the writer: what it has compared */
  _Atomic uint64_t last; /* of a job in two sets, by the reader: 1 more than the position of the record that it took last */
};

static inline struct mpl_ring *mpl_ring_at(struct mpl_job *job, uint32_t from, uint32_t to) {
  size_t index = (size_t)from * job->nranks + to;
  return (struct mpl_ring *)((char *)job + mpl_rings_at(job->nranks) + index * mpl_ring_stride(job->ring_bytes));
}
static inline char *mpl_ring_data(struct mpl_ring *ring) { return (char *)ring + 4096; }

/* A writer's or reader's end, in the memory of the process. */
struct mpl_end {
  struct mpl_ring *ring;
  char *data;
  uint64_t mask, position;
  uint64_t limit; /* writer: position up to which room is known */
  uint64_t messages; /* writer: begun so far */
  char *copy;     /* writer: the records a second time, or NULL */
  bool releases;   /* reader: gives memory back that all have read */
  uint32_t reader; /* reader: whose position it is */
  const _Atomic uint32_t *readers; /* bits of those that read, or NULL: the first */
  const _Atomic uint32_t *checks;  /* writer: both bits are set where what it writes is compared, or NULL */
};

static inline struct mpl_record *mpl_ring_peek(struct mpl_end *in) {
  struct mpl_record *r = (struct mpl_record *)(in->data + (in->position & in->mask));
  return atomic_load_explicit(&r->head, memory_order_acquire) ? r : NULL;
}

bool mpl_ring_has_room(struct mpl_end *out, size_t size);
/* Room for a record of 'size' bytes (a multiple of 16, at most a quarter of the ring), or NULL; publish it with mpl_ring_publish. */
struct mpl_record *mpl_ring_reserve(struct mpl_end *out, size_t size);
void mpl_ring_publish(struct mpl_end *out, struct mpl_record *r, enum mpl_kind kind, size_t size);
void mpl_ring_take(struct mpl_end *in, struct mpl_record *r);
#endif
