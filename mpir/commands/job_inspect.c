#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "mpir/commands/job_hosts.h"
#include "mpir/commands/job_messages.h"
#include "mpir/image/compress.h"
#include "mpir/mpi/segment.h"

static const struct mpir_image_map *find_segment(const struct mpir_image *image) {
  for (size_t i = 0; i < image->map_count; i++)
    if (image->maps[i].kind == MPIR_MAP_SHARED &&
        !strcmp(mpir_image_string(image, image->maps[i].name), "/memfd:" MPL_SEGMENT_NAME " (deleted)"))
      return &image->maps[i];
  return NULL;
}

/* The content of a mapping, most of it zero; to be unmapped.  NULL: there is none in this image. */
static char *content_of(const struct mpir_image *image, const struct mpir_image_map *map) {
  const size_t size = map->end - map->start;
  bool any = false;
  char *to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  for (size_t i = 0; to != MAP_FAILED && i < image->extent_count; i++) {
    const struct mpir_image_extent *e = &image->extents[i];

    if (e->file >= 0 || e->address < map->start || e->address >= map->end || e->length > map->end - e->address)
      continue;
    memcpy(to + (e->address - map->start), image->data + e->file_offset, e->length);
    any = true;
  }
  if (to != MAP_FAILED && !any)
    munmap(to, size);
  return to == MAP_FAILED || !any ? NULL : to;
}

/* Some rank's image has it. */
static int write_messages(FILE *to, const struct mpir_job_manifest *m, const char *folder, struct dvm_error *err) {
  char path[PATH_MAX + MPIR_SET_NAME_MAX];
  int rc = 0;
  bool found = false;

  for (uint32_t i = 0; i < m->nranks && !rc && !found; i++) {
    struct mpir_image *image, *plain;
    const struct mpir_image_map *map;
    char *content;

    if (m->ranks[i].state != MPIR_RANK_SAVED)
      continue;
    snprintf(path, sizeof(path), "%s/%s", folder, m->ranks[i].image);
    image = mpir_image_open(path, err);
    plain = image && image->header->flags & MPIR_IMAGE_COMPRESSED ? mpir_image_expand(image, path, err) : image;
    map = plain ? find_segment(plain) : NULL;
    content = map ? content_of(plain, map) : NULL;
    rc = plain ? 0 : dvm_error_wrap(err, "rank %u", i);
    if (content) {
      found = true;
      rc = mpir_job_messages_write(to, content, map->end - map->start, m->nranks, err);
      munmap(content, map->end - map->start);
    }
    if (plain != image)
      mpir_image_close(plain);
    mpir_image_close(image);
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
