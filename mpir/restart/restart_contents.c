/* Regular files that the process has open or mapped: their content is the user's, and goes on without the process.  What is not as it was is said;
 * on request it is put back, as far as the image has it; and a file of passing folders that is gone is made again. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/image/codec.h"
#include "mpir/restart/restart_private.h"

struct found { /* what the image tells of a file */
  const char *name;
  int fd; /* -1: a mapping */
  uint64_t inode, size;
  int64_t written_ns; /* -1: not told */
  mode_t mode;
  bool kept, writable;
};

static void say(const struct found *f, const char *what) {
  if (f->fd >= 0)
    fprintf(stderr, "dvm restart: note: descriptor %d, '%s': %s\n", f->fd, f->name, what);
  else
    fprintf(stderr, "dvm restart: note: mapped file '%s': %s\n", f->name, what);
}

static bool was_written(const struct found *f, const struct stat *st) {
  return f->written_ns >= 0 && st->st_mtim.tv_sec * 1000000000ll + st->st_mtim.tv_nsec != f->written_ns;
}

static void say_changes(const struct found *f, const struct stat *st, const struct mpir_restart_options *options) {
  if (st->st_ino != f->inode)
    say(f, "another file has its name now");
  else if ((uint64_t)st->st_size < f->size)
    say(f, "it is shorter now");
  else if ((uint64_t)st->st_size > f->size && !(options->truncate && f->writable))
    say(f, "it has grown since");
  else if ((uint64_t)st->st_size == f->size && was_written(f, st))
    say(f, "it has been written since");
}

/* Without the content only what is too long can be put right. */
static int put_length(const struct found *f, const struct stat *st, struct dvm_error *err) {
  if ((uint64_t)st->st_size > f->size && truncate(f->name, (off_t)f->size))
    return dvm_error_errno(err, "cannot put back the length of '%s'", f->name);
  if ((uint64_t)st->st_size < f->size)
    say(f, "it is shorter now, and its content is not in the image (--save-files)");
  else if (st->st_ino != f->inode)
    say(f, "another file has its name now, and the content is not in the image (--save-files)");
  else if (was_written(f, st))
    say(f, "its length is as before; the content is not in the image (--save-files), and it has been written since");
  return 0;
}

/* An empty file of the right length, open for writing; -1 with errno. */
static int begin_file(const struct found *f) {
  int fd = open(f->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, f->mode);

  if (fd >= 0 && ftruncate(fd, (off_t)f->size)) {
    close(fd);
    return -1;
  }
  return fd;
}

/* What is to be done with the file: 0 nothing, 1 its content is to be put back, or -E.... */
static int settle(const struct found *f, const struct mpir_restart_options *options, struct dvm_error *err) {
  struct stat st;

  if (stat(f->name, &st)) {
    if (errno != ENOENT || !f->kept)
      return 0; /* whoever opens it tells */
    say(f, "it was missing and has been created again");
    return 1;
  }
  if (!S_ISREG(st.st_mode))
    return 0;
  if (!options->restore_files)
    return say_changes(f, &st, options), 0;
  if (!f->kept)
    return put_length(f, &st, err);
  return st.st_ino != f->inode || (uint64_t)st.st_size != f->size || f->written_ns < 0 || was_written(f, &st);
}

static int failed(const struct found *f, int code, struct dvm_error *err) {
  return dvm_error_set(err, code, "cannot put back the content of '%s': %s", f->name, strerror(-code));
}

static int64_t written_of(const struct mpir_image *image, const struct mpir_image_file *f) {
  const char *line = strstr(mpir_image_string(image, f->info), "written:");
  int64_t at;

  return line && sscanf(line, "written: %" SCNd64, &at) == 1 ? at : -1;
}

int mpir_restart_regular(const struct mpir_image *image, size_t index, const struct mpir_restart_options *options, struct dvm_error *err) {
  const struct mpir_image_file *f = &image->files[index];
  const struct found found = {mpir_image_string(image, f->name),
                              f->fd,
                              f->inode,
                              f->size,
                              written_of(image, f),
                              f->mode & 07777,
                              f->capacity == MPIR_FILE_KEPT,
                              (f->open_flags & O_ACCMODE) != O_RDONLY};
  int rc = settle(&found, options, err), fd;

  if (rc <= 0)
    return rc;
  fd = begin_file(&found);
  rc = fd < 0 ? -errno : mpir_restart_content(image, index, fd, true);
  if (fd >= 0)
    close(fd);
  return rc ? failed(&found, rc, err) : 0;
}

/* The content of one mapping of the file. */
static int put_mapping(const struct mpir_image *image, const struct mpir_image_map *map, int fd, void *space) {
  int rc = 0;

  for (size_t i = 0; i < image->extent_count && !rc; i++) {
    const struct mpir_image_extent *e = &image->extents[i];
    const uint64_t at = map->map_offset + (e->address - map->start);
    const char *content;
    uint64_t size;

    if (e->file >= 0 || e->address < map->start || e->address >= map->end || at >= map->file_size)
      continue;
    content = mpir_codec_expand(e, image->data + e->file_offset, space);
    size = map->file_size - at < e->length ? map->file_size - at : e->length;
    if (!content)
      rc = -EBADMSG;
    else if (pwrite(fd, content, size, (off_t)at) != (ssize_t)size)
      rc = -EIO;
  }
  return rc;
}

static int restart_mapping(const struct mpir_image *image, const struct mpir_image_map *map, const struct mpir_restart_options *options,
                           struct dvm_error *err) {
  const struct found found = {mpir_image_string(image, map->name), -1,  map->inode, map->file_size, map->file_mtime_ns, 0600,
                              map->flags & MPIR_MAP_KEPT,          true};
  int rc = settle(&found, options, err), fd = -1;
  void *space;

  if (rc <= 0)
    return rc;
  space = malloc(MPIR_EXTENT_MAX);
  fd = space ? begin_file(&found) : -1;
  rc = fd < 0 ? -errno : 0;
  for (size_t i = 0; i < image->map_count && !rc; i++)
    if (image->maps[i].kind == MPIR_MAP_FILE_SHARED && image->maps[i].inode == map->inode && image->maps[i].device == map->device)
      rc = put_mapping(image, &image->maps[i], fd, space);
  if (fd >= 0)
    close(fd);
  free(space);
  return rc ? failed(&found, rc, err) : 0;
}

/* What is to be done for the file is done for its descriptor, or for the first mapping. */
static bool is_done(const struct mpir_image *image, size_t index) {
  const struct mpir_image_map *map = &image->maps[index];

  for (size_t i = 0; i < index; i++)
    if (image->maps[i].kind == map->kind && image->maps[i].inode == map->inode && image->maps[i].device == map->device)
      return true;
  for (size_t i = 0; i < image->file_count; i++)
    if (image->files[i].kind == MPIR_FILE_REGULAR && image->files[i].inode == map->inode &&
        strcmp(mpir_image_string(image, image->files[i].name), mpir_image_string(image, map->name)) == 0)
      return true;
  return false;
}

int mpir_restart_mapped(const struct mpir_image *image, const struct mpir_restart_options *options, struct dvm_error *err) {
  int rc = 0;

  for (size_t i = 0; i < image->map_count && !rc; i++)
    if (image->maps[i].kind == MPIR_MAP_FILE_SHARED && !is_done(image, i))
      rc = restart_mapping(image, &image->maps[i], options, err);
  return rc;
}
