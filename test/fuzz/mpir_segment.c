/* The memory of a job's nodes in a snapshot: a right one of two nodes, over which pieces of the input are laid: two bytes of place (in words of 8), one
 * of length, and so many bytes. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/commands/job_hosts.h"
#include "mpir/image/job_manifest.h"
#include "mpir/mpi/ring.h"

enum { RANKS = 2, RING = 4096 };

static char folder[64];
static size_t segment_size;

static struct mpl_job *make(void)
{
  struct mpl_job *job = calloc(1, segment_size);

  if (!job)
    abort();
  job->magic = MPL_MAGIC;
  job->version = MPL_VERSION;
  job->nranks = job->nnodes = RANKS;
  job->ring_bytes = RING;
  job->size = segment_size;
  for (uint32_t i = 0; i < RANKS; i++) {
    mpl_state(job, i)->node = i;
    for (uint32_t k = 0; k < RANKS; k++) {
      struct mpl_ring *ring = mpl_ring_at(job, i, k);

      atomic_store(&ring->written, 4096 + 64 * i);
      atomic_store(&ring->taken[0], 4096);
    }
  }
  return job;
}

static void remove_folder(void)
{
  char path[128];

  for (int k = 0; k < RANKS; k++) {
    snprintf(path, sizeof(path), "%s/" MPIR_JOB_NODE "/" MPIR_JOB_SEGMENT, folder, (unsigned)k);
    unlink(path);
    *strrchr(path, '/') = 0;
    rmdir(path);
  }
  rmdir(folder);
}

static void make_folder(void)
{
  char path[128];

  segment_size = mpl_segment_size(RANKS, RING);
  strcpy(folder, "/tmp/dvm-fuzz-segment.XXXXXX");
  if (!mkdtemp(folder))
    abort();
  atexit(remove_folder);
  for (int k = 0; k < RANKS; k++) {
    snprintf(path, sizeof(path), "%s/" MPIR_JOB_NODE, folder, (unsigned)k);
    if (mkdir(path, 0700))
      abort();
  }
}

static void write_node(uint32_t node, const struct mpl_job *job)
{
  char path[128];
  int fd;

  snprintf(path, sizeof(path), "%s/" MPIR_JOB_NODE "/" MPIR_JOB_SEGMENT, folder, node);
  fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, job, segment_size) != (ssize_t)segment_size || close(fd))
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct mpir_job_rank ranks[RANKS] = { { .state = MPIR_RANK_SAVED }, { .state = MPIR_RANK_SAVED } };
  struct mpir_job_node hosts[RANKS] = { { .host = "a" }, { .host = "b" } };
  const struct mpir_job_manifest manifest = { .nranks = RANKS, .nnodes = RANKS, .ranks = ranks, .nodes = hosts };
  struct dvm_error err = DVM_ERROR_INIT;
  struct mpl_job *nodes[RANKS], *to;

  if (!folder[0])
    make_folder();
  to = make();
  for (int k = 0; k < RANKS; k++)
    nodes[k] = make();
  while (size >= 3) {
    char *node = (char *)nodes[data[1] >> 7];
    const size_t at = (data[0] | (size_t)(data[1] & 0x7f) << 8) * 8;
    size_t length = data[2];

    data += 3;
    size -= 3;
    length = length < size ? length : size;
    if (at + length <= segment_size)
      memcpy(node + at, data, length);
    data += length;
    size -= length;
  }
  for (uint32_t k = 0; k < RANKS; k++)
    write_node(k, nodes[k]);
  if (!mpir_segment_merge(to, &manifest, folder, &err))
    for (uint32_t i = 0; i < RANKS; i++)
      for (uint32_t k = 0; k < RANKS; k++) {
        const struct mpl_ring *ring = mpl_ring_at(to, i, k);

        if (atomic_load(&ring->written) - atomic_load(&ring->taken[0]) > RING)
          abort();
      }
  for (int k = 0; k < RANKS; k++)
    free(nodes[k]);
  free(to);
  return 0;
}
