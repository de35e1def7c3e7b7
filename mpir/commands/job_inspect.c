#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "mpir/commands/job_hosts.h"
#include "mpir/commands/job_memory.h"
#include "mpir/commands/job_messages.h"
#include "mpir/mpi/segment.h"

/* Some rank's image has it. */
static int write_messages(FILE *to, const struct mpir_job_manifest *m, const char *folder, struct dvm_error *err) {
  size_t size = 0;
  void *memory = mpir_job_memory(m, folder, &size, err);
  int rc = err->code;

  if (memory) {
    rc = mpir_job_messages_write(to, memory, size, m->nranks, err);
    munmap(memory, size);
  }
  return rc;
}

/* Of several nodes: as a restart on one would find it. */
static int write_merged(FILE *to, const struct mpir_job_manifest *m, const char *folder, struct dvm_error *err) {
  const uint64_t ring_bytes = 256 << 10;
  const size_t size = mpl_segment_size(m->nranks, ring_bytes);
  struct mpl_job *job = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int rc;

  if (job == MAP_FAILED)
    return dvm_error_errno(err, "no memory");
  *job = (struct mpl_job){.magic = MPL_MAGIC, .version = MPL_VERSION, .nranks = m->nranks, .ring_bytes = ring_bytes, .size = size};
  rc = mpir_segment_merge(job, m, folder, err);
  if (!rc)
    rc = mpir_job_messages_write(to, job, size, m->nranks, err);
  munmap(job, size);
  return rc;
}

static void write_manifest(FILE *to, const struct mpir_job_manifest *m) {
  const time_t seconds = (time_t)(m->taken_at_ns / 1000000000);
  char when[32];
  struct tm tm;

  strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", localtime_r(&seconds, &tm));
  fprintf(to, "job%s%s: %u ranks%s, %s\n", m->name[0] ? " " : "", m->name, m->nranks, mpir_job_is_partial(m) ? ", partial" : "",
          m->command);
  fprintf(to, "taken   %s on %s, kernel %s, in %s\n", when, m->host, m->kernel, m->folder);
  fprintf(to, "limits  messages of more than %u bytes%s wait for their receiver\n", m->eager_limit, m->strict ? ", and all others," : "");
  for (uint32_t i = 0; i < m->nnodes; i++)
    fprintf(to, "node %u: %s\n", i, m->nodes[i].host);
  for (uint32_t i = 0; i < m->nranks; i++) {
    const struct mpir_job_rank *r = &m->ranks[i];

    if (r->state == MPIR_RANK_SAVED)
      fprintf(to, "rank %u: process %d, %s, %" PRIu64 " bytes\n", i, r->pid, r->image, r->size_bytes);
    else
      fprintf(to, "rank %u: %s\n", i, r->state == MPIR_RANK_ENDED ? "had ended" : "left out");
  }
}

int mpir_job_inspect(FILE *to, const char *folder, struct dvm_error *err) {
  struct mpir_job_manifest *m = mpir_job_manifest_read(folder, err);
  int rc = m ? mpir_job_manifest_verify(m, folder, err) : err->code;

  if (!rc) {
    write_manifest(to, m);
    rc = m->nnodes ? write_merged(to, m, folder, err) : write_messages(to, m, folder, err);
    putc('\n', to);
  }
  mpir_job_manifest_free(m);
  return rc;
}
