/* What a restored segment says of replicas.  Input: one byte that chooses a protocol, then pieces that are laid over a right segment: two bytes of place (in words
   of 4 from its beginning, or with the highest bit from what is said of replicas), one of length, and so many bytes.  What is believed can be written to. */
#include <stdlib.h>
#include <string.h>
#include "mpir/commands/job_input.h"
#include "mpir/commands/job_replicas.h"
#include "mpir/mpi/ring.h"

enum { RANKS = 2, RING = 4096, LOG = sizeof(struct replica_entry) * REPLICA_LOG_ENTRIES, FORWARD = 4096 + REPLICA_FORWARD_BYTES };

static size_t begin, size;
static struct mpl_job *job;

static void make(unsigned protocol) {
  begin = mpl_round(mpl_segment_size(RANKS, RING), 4096);
  const uint64_t log_at = begin + replica_size(RANKS), forward_at = log_at + RANKS * (uint64_t)LOG;
  size = forward_at + RANKS * (uint64_t)FORWARD;
  if (!job)
    job = aligned_alloc(4096, size); /* ends where the last way ends: what is beyond is noticed */
  if (!job)
    abort();
  memset(job, 0, begin + replica_size(RANKS));
  *job =
      (struct mpl_job){.magic = MPL_MAGIC, .version = MPL_VERSION, .nranks = RANKS, .ring_bytes = RING, .size = size, .replicas_at = begin};
  *replica_job(job) = (struct replica_job){.protocol = protocol,
                                           .mode = REPLICA_CRASH,
                                           .log_at = log_at,
                                           .log_stride = LOG,
                                           .forward_at = forward_at,
                                           .forward_stride = protocol == REPLICA_RECEIVER_FORWARDING ? FORWARD : 0,
                                           .copies_at = forward_at};
}

static void touch(uint64_t at, uint64_t bytes) {
  *((char *)job + at) = 1;
  *((char *)job + at + bytes - 1) = 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  if (!n)
    return 0;
  make(*data % 3);
  for (data++, n--; n >= 3;) {
    const size_t word = data[0] | (size_t)(data[1] & 0x7f) << 8, at = (data[1] & 0x80 ? begin : 0) + word * 4;
    size_t length = data[2];
    data += 3;
    n -= 3;
    length = length < n ? length : n;
    if (at + length <= begin + replica_size(RANKS))
      memcpy((char *)job + at, data, length);
    data += length;
    n -= length;
  }
  job->nranks = RANKS; /* these are looked at before */
  job->ring_bytes = RING;
  job->size = size;
  if (!mpir_replicas_are_sound(job))
    return 0;
  const struct replica_job k = *replica_job(job);
  for (uint64_t i = 0; i < RANKS; i++) {
    touch(k.log_at + i * k.log_stride, LOG);
    if (k.protocol == REPLICA_RECEIVER_FORWARDING)
      touch(k.forward_at + i * k.forward_stride, FORWARD);
  }
  if (k.input_at)
    touch(k.input_at, MPIR_INPUT_BYTES);
  for (uint64_t i = 0; i < RANKS * RANKS && k.protocol == REPLICA_SENDER_FORWARDING; i++)
    touch(k.copies_at + i * mpl_ring_stride(RING), mpl_ring_stride(RING));
  return 0;
}
