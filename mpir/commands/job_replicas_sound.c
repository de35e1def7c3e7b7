/* What a restored segment says of replicas: it comes from files. */
#include <string.h>
#include "mpir/commands/job_input.h"
#include "mpir/commands/job_replicas.h"
#include "mpir/mpi/ring.h"

/* 'n' pieces of 'stride' bytes from 'at' on. */
static bool has_room(const struct mpl_job *job, uint64_t at, uint64_t stride, uint64_t n) {
  return at <= job->size && stride <= (job->size - at) / n;
}

/* What a protocol needs of its own. */
static bool has_ways(const struct mpl_job *job, const struct replica_job *k) {
  const uint64_t rings = mpl_rings_at(job->nranks), n = job->nranks;
  if (k->protocol == REPLICA_RECEIVER_FORWARDING)
    return k->forward_at >= k->log_at && k->forward_at % 4096 == 0 && k->forward_stride == 4096 + REPLICA_FORWARD_BYTES &&
           has_room(job, k->forward_at, k->forward_stride, n);
  return k->protocol != REPLICA_SENDER_FORWARDING || (k->copies_at >= k->log_at && k->copies_at % 4096 == 0 && k->copies_at > rings &&
                                                      has_room(job, k->copies_at, mpl_ring_stride(job->ring_bytes), n * n));
}

static bool has_input(const struct mpl_job *job, const struct replica_job *k, uint64_t end) {
  return !k->input_at || (k->input_at >= end && has_room(job, k->input_at, MPIR_INPUT_BYTES, 1) && k->input_bytes <= MPIR_INPUT_BYTES &&
                          k->input_position <= INT64_MAX - MPIR_INPUT_BYTES);
}

bool mpir_replicas_are_sound(const struct mpl_job *job) {
  uint64_t end = job->replicas_at + replica_size(job->nranks);
  if (job->replicas_at % 4096 || job->replicas_at < mpl_segment_size(job->nranks, job->ring_bytes) || job->replicas_at >= job->size ||
      end > job->size)
    return false;
  const struct replica_job *k = replica_job((struct mpl_job *)(uintptr_t)job);
  if (k->protocol > REPLICA_SENDER_FORWARDING || k->mode < REPLICA_CRASH || k->mode > REPLICA_BOTH || k->when_full > REPLICA_SPOOL ||
      k->log_at < end || k->log_stride != sizeof(struct replica_entry) * REPLICA_LOG_ENTRIES || k->log_at % 4096 ||
      !has_room(job, k->log_at, k->log_stride, job->nranks) || !has_ways(job, k) || !has_input(job, k, end) ||
      !memchr(k->shadow_cpu, 0, sizeof(k->shadow_cpu)) || !memchr(k->report, 0, sizeof(k->report)))
    return false;
  for (uint32_t i = 0; i < job->nranks; i++)
    if (atomic_load(&k->ranks[i].leader) > 1)
      return false;
  return true;
}
