/* The memory of the nodes of a job, saved beside the images of their ranks: the writer's node has the records, the reader's node says how far they are
   taken.  Files lie at the positions of the memory, with holes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "mpir/commands/job_hosts.h"
#include "mpir/mpi/ring.h"
#include "mpir/replica/shared.h"

enum { BEHIND = 96 << 10 }; /* bytes behind the published ones that a record may take which is being written, with what it skips */

static int put(int fd, const struct mpl_job *job, const void *at, size_t size) {
  return pwrite(fd, at, size, (const char *)at - (const char *)job) == (ssize_t)size ? 0 : errno ? -errno : -ENOSPC;
}

/* What the writer may have there, from the first that is not taken. */
static int put_records(int fd, const struct mpl_job *job, const struct mpl_ring *ring) {
  const char *data = (const char *)ring + 4096;
  const uint64_t taken = atomic_load(&ring->taken[0]), written = atomic_load(&ring->written);
  const uint64_t size = job->ring_bytes, at = taken & (size - 1);
  uint64_t length = written - taken + BEHIND;
  if (length > size)
    length = size;
  const uint64_t first = length < size - at ? length : size - at;
  int rc = put(fd, job, data + at, first);
  return rc || length == first ? rc : put(fd, job, data, length - first);
}

/* In the memory of its own host.  One that is to lead still does what the log says before it does. */
static bool leads(const struct replica_job *all, uint32_t rank) {
  const struct replica_rank *k = &all->ranks[rank];
  const uint32_t me = all->set - 1;
  const bool from_the_start = me == 0 && atomic_load(&k->fork_state) != REPLICA_IS_FRESH;
  return atomic_load(&k->leader) == me && (from_the_start || atomic_load(&k->took_over_ns));
}

/* Of a set of replicas: one that follows may stand in the middle of an entry. */
static int put_replicas(int fd, struct mpl_job *job) {
  const struct replica_job *all = replica_job(job);
  int rc = put(fd, job, all, replica_size(job->nranks));
  for (uint32_t i = 0; i < job->nranks && !rc; i++)
    if (mpl_state(job, i)->node == job->node && !leads(all, i))
      rc = put(fd, job, replica_log(job, i), all->log_stride);
  return rc;
}

int mpir_segment_write(const struct mpl_job *job, int segment, const char *path, struct dvm_error *err) {
  int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  struct mpl_job *j = (struct mpl_job *)(uintptr_t)job;
  int rc = fd < 0 ? -errno : put(fd, job, job, mpl_rings_at(job->nranks));
  (void)segment;
  if (!rc && job->replicas_at)
    rc = put_replicas(fd, j);
  for (uint32_t i = 0; i < job->nranks && !rc; i++)
    for (uint32_t k = 0; k < job->nranks && !rc; k++) {
      const struct mpl_ring *ring = mpl_ring_at(j, i, k);
      const bool from_here = mpl_state(j, i)->node == job->node;
      if (!from_here && mpl_state(j, k)->node != job->node)
        continue;
      rc = put(fd, job, ring, sizeof(*ring));
      if (!rc && from_here)
        rc = put_records(fd, job, ring);
    }
  if (!rc && (ftruncate(fd, (off_t)job->size) || fsync(fd)))
    rc = -errno;
  if (fd >= 0 && close(fd) && !rc)
    rc = -errno;
  return rc ? dvm_error_set(err, rc, "cannot write '%s': %s", path, strerror(-rc)) : 0;
}

static bool has_size(const struct mpl_job *job) {
  const uint64_t rings = mpl_segment_size(job->nranks, job->ring_bytes);
  if (!job->replicas_at)
    return job->size == rings;
  const struct replica_job *r = (const struct replica_job *)(const void *)((const char *)job + job->replicas_at);
  const uint64_t logs = rings + replica_size(job->nranks), stride = sizeof(struct replica_entry) * REPLICA_LOG_ENTRIES;
  return job->replicas_at == rings && job->size == logs + job->nranks * stride && (r->set == 1 || r->set == 2) && r->log_at == logs &&
         r->log_stride == stride;
}

static struct mpl_job *map_node(const struct mpir_job_manifest *m, const char *folder, uint32_t node, struct dvm_error *err) {
  char path[PATH_MAX];
  struct stat st;
  snprintf(path, sizeof(path), "%s/" MPIR_JOB_NODE "/" MPIR_JOB_SEGMENT, folder, node);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st)) {
    dvm_error_errno(err, "cannot read '%s'", path);
    if (fd >= 0)
      close(fd);
    return NULL;
  }
  struct mpl_job *job =
      st.st_size < (off_t)sizeof(*job) ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
  close(fd);
  if (job != MAP_FAILED && job->magic == MPL_MAGIC && job->version == MPL_VERSION && job->nranks == m->nranks && job->nnodes == m->nnodes &&
      job->ring_bytes >= 4096 && job->ring_bytes <= 1u << 30 && !(job->ring_bytes & (job->ring_bytes - 1)) &&
      (uint64_t)st.st_size == job->size && has_size(job))
    return job;
  if (job != MAP_FAILED)
    munmap(job, (size_t)st.st_size);
  dvm_error_set(err, -EBADMSG, "'%s' is not the memory of a node of a job of %u ranks of this version", path, m->nranks);
  return NULL;
}

/* The writer knows of what was taken at most what the reader has; a ring holds what is between. */
static bool is_in_order(uint64_t size, uint64_t known, uint64_t taken, uint64_t written) {
  return written - known <= size && taken - known <= written - known && !((written | taken | known) % 16);
}

static int copy_ring(struct mpl_job *to, struct mpl_job *writer, struct mpl_job *reader, uint32_t from, uint32_t rank) {
  const struct mpl_ring *w = mpl_ring_at(writer, from, rank), *r = mpl_ring_at(reader, from, rank);
  struct mpl_ring *ring = mpl_ring_at(to, from, rank);
  const uint64_t size = to->ring_bytes, taken = atomic_load(&w->taken[0]), written = atomic_load(&w->written);
  if (!written && !*(const uint64_t *)(const void *)((const char *)w + 4096))
    return 0; /* never used */
  if (!is_in_order(size, taken, atomic_load(&r->taken[0]), written))
    return -EBADMSG;
  atomic_store(&ring->written, written);
  atomic_store(&ring->writer_waits, atomic_load(&w->writer_waits));
  atomic_store(&ring->taken[0], atomic_load(&r->taken[0]));
  uint64_t length = written - taken + BEHIND;
  for (uint64_t at = taken, end = taken + (length > size ? size : length); at < end;) {
    const uint64_t offset = at & (size - 1), n = end - at < size - offset ? end - at : size - offset;
    memcpy(mpl_ring_data(ring) + offset, (const char *)w + 4096 + offset, n);
    at += n;
  }
  return 0;
}

static void copy_state(struct mpl_job *to, struct mpl_job *from, const struct mpir_job_manifest *m, uint32_t rank) {
  struct mpl_rank_state *s = mpl_state(to, rank);
  const uint32_t node = s->node;
  if (m->ranks[rank].state == MPIR_RANK_SAVED)
    memcpy(s, mpl_state(from, rank), sizeof(*s));
  s->node = node;
  s->wait.call[MPL_CALL_BYTES - 1] = s->queues[MPL_TEXT_BYTES - 1] = '\0';
  atomic_store(&s->pid, 0);
  atomic_store(&s->stopped, 0);
  atomic_store(&s->ended, m->ranks[rank].state == MPIR_RANK_SAVED ? 0 : 1);
  if (m->ranks[rank].state != MPIR_RANK_SAVED)
    atomic_store(&s->phase, MPL_FINALIZED);
}

/* A rank that had ended was somewhere: its node's memory has what it has written last. */
static uint32_t node_of(struct mpl_job **nodes, const struct mpir_job_manifest *m, uint32_t rank) {
  const uint32_t node = mpl_state(nodes[0], rank)->node;
  return node < m->nnodes ? node : 0;
}

/* It is alone now, and leads: what it has not followed yet is not followed any more. */
static void copy_replica(struct mpl_job *to, struct mpl_job *from, uint32_t rank) {
  const uint32_t me = replica_job(to)->set - 1;
  struct replica_rank *k = &replica_job(to)->ranks[rank];
  const bool led = leads(replica_job(from), rank);
  memcpy(k, &replica_job(from)->ranks[rank], sizeof(*k));
  if (led) {
    atomic_store(&k->replayed, atomic_load(&k->logged));
    atomic_store(&k->replayed_step, atomic_load(&k->step));
  } else {
    atomic_store(&k->logged, atomic_load(&k->replayed)); /* the steps that were told stand: they found nothing, then */
    if (mpl_state(to, rank)->node == to->node)
      memcpy(replica_log(to, rank), replica_log(from, rank), replica_job(to)->log_stride);
  }
  atomic_store(&k->leader, me);
  atomic_store(&k->alive, 1u << me);
  atomic_store(&k->wanted, 0);
  atomic_store(&k->fork_state, led ? REPLICA_NO_FORK : REPLICA_IS_FRESH);
  atomic_store(&k->took_over_ns, led ? atomic_load(&k->took_over_ns) : 0);
  atomic_store(&k->differs, 0);
}

static int copy_replicas(struct mpl_job *to, struct mpl_job **nodes, const struct mpir_job_manifest *m, struct dvm_error *err) {
  if (!to->replicas_at != !nodes[0]->replicas_at)
    return dvm_error_set(err, -EINVAL,
                         "the job had its shadows on other hosts, and goes on by itself alone: 'dvm restart' cannot restart its snapshots");
  if (!to->replicas_at)
    return 0;
  if (replica_job(nodes[0])->set != replica_job(to)->set)
    return dvm_error_set(err, -EINVAL, "it is the other set of replicas that was saved");
  memcpy(replica_job(to)->files, replica_job(nodes[to->node < m->nnodes ? to->node : 0])->files, sizeof(replica_job(to)->files));
  for (uint32_t i = 0; i < m->nranks; i++)
    copy_replica(to, nodes[node_of(nodes, m, i)], i);
  return 0;
}

int mpir_segment_ranks(const struct mpir_job_manifest *m, const char *folder, unsigned *set, struct mpir_segment_rank *to,
                       struct dvm_error *err) {
  for (uint32_t k = 0; k < m->nnodes; k++) {
    struct mpl_job *job = map_node(m, folder, k, err);
    if (!job || !job->replicas_at)
      return job ? -EINVAL : err->code;
    *set = replica_job(job)->set - 1;
    for (uint32_t i = 0; i < m->nranks; i++) {
      const struct replica_rank *r = &replica_job(job)->ranks[i];
      const bool led = leads(replica_job(job), i);
      if (mpl_state(job, i)->node == k)
        to[i] = (struct mpir_segment_rank){.led = led,
                                           .logged = atomic_load(led ? &r->logged : &r->replayed),
                                           .step = atomic_load(&r->step),
                                           .printed = {r->printed[0], r->printed[1]}};
    }
    munmap(job, job->size);
  }
  return 0;
}

int mpir_segment_merge(struct mpl_job *to, const struct mpir_job_manifest *m, const char *folder, struct dvm_error *err) {
  struct mpl_job **nodes = calloc(m->nnodes + 1, sizeof(struct mpl_job *));
  struct timespec t;
  int rc = m->nnodes ? 0 : dvm_error_set(err, -EINVAL, "'%s' was saved on one host", folder);
  for (uint32_t k = 0; k < m->nnodes && !rc; k++)
    rc = (nodes[k] = map_node(m, folder, k, err)) ? 0 : err->code;
  if (!rc)
    rc = copy_replicas(to, nodes, m, err);
  if (!rc && nodes[0]->ring_bytes != to->ring_bytes)
    rc = dvm_error_set(err, -EBADMSG, "the rings of the saved job have %llu bytes", (unsigned long long)nodes[0]->ring_bytes);
  for (uint32_t i = 0; i < m->nranks && !rc; i++) {
    copy_state(to, nodes[node_of(nodes, m, i)], m, i);
    for (uint32_t k = 0; k < m->nranks && !rc; k++)
      if ((rc = copy_ring(to, nodes[node_of(nodes, m, i)], nodes[node_of(nodes, m, k)], i, k)))
        dvm_error_set(err, rc, "'%s' is damaged: rank %u has sent rank %u less than was received, or more than there is room for", folder,
                      i, k);
  }
  if (!rc) {
    clock_gettime(CLOCK_MONOTONIC, &t);
    to->start_ns = t.tv_sec * 1000000000 + t.tv_nsec - (nodes[0]->stopped_ns - nodes[0]->start_ns);
  }
  for (uint32_t k = 0; k < m->nnodes; k++)
    if (nodes[k])
      munmap(nodes[k], nodes[k]->size);
  free(nodes);
  return rc;
}
