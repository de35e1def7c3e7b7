#include "mpir/commands/job_memory.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/commands/job_hosts.h"
#include "mpir/image/compress.h"
#include "mpir/image/image.h"

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

static char *memory_in(const char *path, size_t *size, struct dvm_error *err) {
  struct mpir_image *image = mpir_image_open(path, err);
  struct mpir_image *plain = image && image->header->flags & MPIR_IMAGE_COMPRESSED ? mpir_image_expand(image, path, err) : image;
  const struct mpir_image_map *map = plain ? find_segment(plain) : NULL;
  char *content = map ? content_of(plain, map) : NULL;

  *size = map ? map->end - map->start : 0;
  if (plain != image)
    mpir_image_close(plain);
  mpir_image_close(image);
  return content;
}

void *mpir_job_memory(const struct mpir_job_manifest *m, const char *folder, size_t *size, struct dvm_error *err) {
  char path[PATH_MAX + MPIR_SET_NAME_MAX];
  char *content = NULL;

  for (uint32_t i = 0; i < m->nranks && !content && !err->code; i++) {
    if (m->ranks[i].state != MPIR_RANK_SAVED)
      continue;
    snprintf(path, sizeof(path), "%s/%s", folder, m->ranks[i].image);
    content = memory_in(path, size, err);
    if (err->code)
      dvm_error_wrap(err, "rank %u", i);
  }
  return content;
}

static int write_memory(const struct mpir_job_manifest *m, const char *folder, const char *to, struct dvm_error *err) {
  char path[PATH_MAX + 32];
  size_t size = 0;
  struct mpl_job *job = mpir_job_memory(m, folder, &size, err);
  int rc = err->code;

  if (!rc && (!job || size < sizeof(*job) || job->magic != MPL_MAGIC || job->version != MPL_VERSION || job->nranks != m->nranks ||
              job->ring_bytes < 4096 || job->ring_bytes > 1u << 30 || job->ring_bytes & (job->ring_bytes - 1) || job->size > size ||
              job->size < mpl_segment_size(job->nranks, job->ring_bytes)))
    rc = dvm_error_set(err, -EBADMSG, "the images hold no memory of a job of %u ranks of this version", m->nranks);
  if (!rc && job->replicas_at)
    rc = dvm_error_set(err, -EINVAL,
                       "it is a job of mains and shadows, which run on one host: restart it without '--hosts' and '--launcher'");
  if (!rc) {
    job->nnodes = 1;
    job->node = 0;
    for (uint32_t i = 0; i < m->nranks; i++)
      mpl_state(job, i)->node = 0;
    snprintf(path, sizeof(path), "%s/" MPIR_JOB_SEGMENT, to);
    rc = mpir_segment_write(job, -1, path, err);
  }
  if (job)
    munmap(job, size);
  return rc;
}

/* All but what describes the job. */
static int link_files(const char *folder, const char *to, struct dvm_error *err) {
  char from[PATH_MAX + NAME_MAX + 2], path[PATH_MAX + NAME_MAX + 2];
  DIR *dir = opendir(folder);
  int rc = dir ? 0 : dvm_error_errno(err, "cannot read '%s'", folder);

  for (struct dirent *e; !rc && (e = readdir(dir));) {
    if (e->d_name[0] == '.' || !strcmp(e->d_name, MPIR_JOB_FILE))
      continue;
    snprintf(from, sizeof(from), "%s/%s", folder, e->d_name);
    snprintf(path, sizeof(path), "%s/%s", to, e->d_name);
    if (link(from, path))
      rc = dvm_error_errno(err, "cannot give '%s' a second name in '%s'", from, to);
  }
  if (dir)
    closedir(dir);
  return rc;
}

int mpir_job_to_hosts(const struct mpir_job_manifest *m, const char *folder, const char *to, struct dvm_error *err) {
  struct mpir_job_manifest there = *m;
  struct mpir_job_node node = {0};
  char path[PATH_MAX];
  int rc;

  there.ranks = calloc(m->nranks, sizeof(*there.ranks));
  if (!there.ranks)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  there.nodes = &node;
  there.nnodes = 1;
  snprintf(node.host, sizeof(node.host), "%s", m->host);
  for (uint32_t i = 0; i < m->nranks; i++) {
    there.ranks[i] = m->ranks[i];
    if (m->ranks[i].state == MPIR_RANK_SAVED)
      snprintf(there.ranks[i].image, sizeof(there.ranks[i].image), MPIR_JOB_NODE "/%.50s", 0u, m->ranks[i].image);
  }
  snprintf(path, sizeof(path), "%.4000s/" MPIR_JOB_NODE, to, 0u);
  rc = mkdir(to, 0700) || mkdir(path, 0700) ? dvm_error_errno(err, "cannot create the folder '%s'", path) : link_files(folder, path, err);
  if (!rc)
    rc = write_memory(m, folder, path, err);
  if (!rc)
    rc = mpir_job_manifest_write(&there, to, err);
  free(there.ranks);
  return rc;
}
