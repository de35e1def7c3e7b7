#include "mpir/commands/job_messages.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "mpir/mpi/ring.h"

enum { LINES_MAX = 20 }; /* of one ring */

static const char *const kinds[] = {
    [MPL_EAGER] = "message",
    [MPL_EAGER_SYNC] = "synchronous message",
    [MPL_RTS] = "announced message",
    [MPL_CTS] = "request for the data",
    [MPL_DATA] = "data",
    [MPL_ACK] = "receipt",
    [MPL_CANCEL] = "cancellation",
    [MPL_CANCELLED] = "answer to a cancellation",
};

static void write_record(FILE *to, uint32_t from, uint32_t rank, unsigned kind, const struct mpl_record *r) {
  fprintf(to, "  rank %u to rank %u: %s", from, rank, kinds[kind]);
  if (kind == MPL_EAGER || kind == MPL_EAGER_SYNC || kind == MPL_RTS || kind == MPL_DATA)
    fprintf(to, ", %llu bytes", (unsigned long long)r->bytes);
  if (kind != MPL_DATA && r->context & 1)
    fprintf(to, ", %s", mpl_collective_words(r->tag));
  else if (kind == MPL_EAGER || kind == MPL_EAGER_SYNC || kind == MPL_RTS)
    fprintf(to, ", tag %d", r->tag);
  putc('\n', to);
}

/* The records between the two positions of a ring.  Returns how many messages of the program began there. */
static unsigned long write_ring(FILE *to, const struct mpl_job *job, uint32_t from, uint32_t rank) {
  const struct mpl_ring *ring = (const struct mpl_ring *)((const char *)job + mpl_rings_at(job->nranks) +
                                                          ((size_t)from * job->nranks + rank) * mpl_ring_stride(job->ring_bytes));
  const char *data = (const char *)ring + 4096;
  uint64_t at = atomic_load(&ring->taken[0]), end = atomic_load(&ring->written);
  unsigned long count = 0, lines = 0;

  if (end < at || end - at > job->ring_bytes)
    return 0;
  while (at < end) {
    const uint64_t offset = at & (job->ring_bytes - 1);
    const struct mpl_record *r = (const struct mpl_record *)(const void *)(data + offset);
    uint64_t head, size;
    unsigned kind;

    if (offset % 16 || job->ring_bytes - offset < sizeof(head))
      break;
    head = atomic_load(&r->head);
    size = head >> 8;
    kind = head & 0xff;
    if (size < 16 || size % 16 || size > end - at || size > job->ring_bytes - offset)
      break;
    at += size;
    if (kind == MPL_SKIP)
      continue;
    if (kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind] || size < sizeof(*r))
      break;
    count += kind == MPL_EAGER || kind == MPL_EAGER_SYNC || kind == MPL_RTS;
    if (++lines <= LINES_MAX)
      write_record(to, from, rank, kind, r);
  }
  if (lines > LINES_MAX)
    fprintf(to, "  rank %u to rank %u: and %lu more\n", from, rank, lines - LINES_MAX);
  return count;
}

static void write_rank(FILE *to, const struct mpl_job *job, uint32_t rank) {
  static const char *const phases[] = {"has not called MPI_Init", "is in MPI_Init", "runs", "has called MPI_Finalize"};
  const struct mpl_rank_state *s = (const struct mpl_rank_state *)((const char *)job + mpl_states_at()) + rank;
  const uint32_t phase = atomic_load(&s->phase);
  const struct mpl_wait *w = &s->wait;

  if (phase == MPL_RUNNING && atomic_load(&w->blocked)) {
    fprintf(to, "  rank %u waits in %.*s", rank, MPL_CALL_BYTES, w->call);
    if (w->npeers > 1)
      fprintf(to, " for %u ranks", w->npeers);
    else if (w->peer >= 0)
      fprintf(to, " for rank %d", w->peer);
    else if (w->peer == -1)
      fputs(" for any rank", to);
  } else {
    fprintf(to, "  rank %u %s", rank, phases[phase <= MPL_FINALIZED ? phase : 0]);
  }
  if (atomic_load(&s->unexpected))
    fprintf(to, "; it holds %u unexpected messages", atomic_load(&s->unexpected));
  putc('\n', to);
}

int mpir_job_messages_write(FILE *to, const void *segment, size_t size, uint32_t nranks, struct dvm_error *err) {
  const struct mpl_job *job = segment;
  unsigned long count = 0;

  if (size < sizeof(*job) || job->magic != MPL_MAGIC || job->version != MPL_VERSION || job->nranks != nranks || !nranks ||
      nranks > MPL_RANKS_MAX || job->ring_bytes < 4096 || job->ring_bytes > 1u << 30 || (job->ring_bytes & (job->ring_bytes - 1)) ||
      mpl_segment_size(nranks, job->ring_bytes) > size)
    return dvm_error_set(err, -EBADMSG, "the image has no memory of a job of %u ranks", nranks);
  fputs("\nranks\n", to);
  for (uint32_t i = 0; i < nranks; i++)
    write_rank(to, job, i);
  fputs("\nmessages under way\n", to);
  for (uint32_t i = 0; i < nranks; i++)
    for (uint32_t k = 0; k < nranks; k++)
      count += write_ring(to, job, i, k);
  fprintf(to, "  %lu messages\n", count);
  return 0;
}
