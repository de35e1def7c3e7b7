#include "mpir/commands/copy.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/image/image_set.h"
#include "mpir/image/writer.h"

#define PIECE (1u << 20)

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');

  return slash ? slash + 1 : path;
}

/* The folder of a path, with the slash at its end; "" for the present one. */
static void folder_of(const char *path, char *to, size_t size) { snprintf(to, size, "%.*s", (int)(base_of(path) - path), path); }

int mpir_copy_check(const char *folder, const char *path, struct dvm_error *err) {
  struct stat to, from;
  char own[PATH_MAX];

  if (stat(folder, &to))
    return dvm_error_errno(err, "cannot copy to the folder '%s'", folder);
  if (!S_ISDIR(to.st_mode))
    return dvm_error_set(err, -ENOTDIR, "cannot copy to '%s', which is not a folder", folder);
  if (access(folder, W_OK | X_OK))
    return dvm_error_errno(err, "cannot copy to the folder '%s'", folder);
  folder_of(path, own, sizeof(own));
  if (*path && !stat(*own ? own : ".", &from) && from.st_ino == to.st_ino && from.st_dev == to.st_dev)
    return dvm_error_set(err, -EINVAL, "the images are already in '%s'; a copy needs a different folder", folder);
  return 0;
}

/* Holes stay holes. */
static int copy_content(struct mpir_writer *w, void *arg) {
  const struct mpir_image *image = arg;
  off_t at = 0, end;

  while (at < (off_t)image->size && (at = lseek(image->fd, at, SEEK_DATA)) >= 0) {
    end = lseek(image->fd, at, SEEK_HOLE);
    for (end = end < 0 ? (off_t)image->size : end; at < end;) {
      const size_t size = end - at < PIECE ? (size_t)(end - at) : PIECE;
      int rc = mpir_writer_put(w, image->data + at, size, (uint64_t)at);

      if (rc)
        return rc;
      at += (off_t)size;
    }
  }
  return at < 0 && errno != ENXIO ? dvm_error_errno(w->err, "cannot read the image") : 0;
}

/* The same image is there already. */
static bool is_there(const struct mpir_image *image, const char *path) {
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct mpir_image *other = mpir_image_open(path, &ignored);
  const bool same = other && other->header->pid == image->header->pid && other->header->sequence == image->header->sequence &&
                    other->header->taken_at_ns == image->header->taken_at_ns && other->size == image->size;

  mpir_image_close(other);
  return same;
}

static int copy_any(const char *path, const char *folder, struct dvm_error *err);

/* What the image holds changes of: a neighbour, or one of a neighbouring set. */
static int copy_needed(const struct mpir_image *image, const char *path, const char *folder, struct dvm_error *err) {
  const char *name = image->chain ? mpir_image_string(image, image->chain->base_name) : NULL;
  char own[PATH_MAX], set[PATH_MAX], neighbour[2 * PATH_MAX];

  if (!name)
    return 0;
  folder_of(path, own, sizeof(own));
  if (strncmp(name, "../", 3) != 0) {
    snprintf(neighbour, sizeof(neighbour), "%s%s", own, name);
    return copy_any(neighbour, folder, err);
  }
  own[strlen(own) - 1] = '\0'; /* the set's own name */
  folder_of(own, set, sizeof(set));
  snprintf(neighbour, sizeof(neighbour), "%s%.*s", set, (int)strcspn(name + 3, "/"), name + 3);
  return copy_any(neighbour, folder, err);
}

/* 'needs': where what the image needs is to go. */
static int copy_image(const char *path, const char *to, const char *needs, struct dvm_error *err) {
  struct mpir_image *image = mpir_image_open(path, err);
  int rc;

  if (!image)
    return err->code;
  rc = copy_needed(image, path, needs, err);
  if (!rc && !is_there(image, to) && (rc = mpir_image_verify(image, err))) /* damage is not spread */
    dvm_error_wrap(err, "'%s'", path);
  if (!rc && !is_there(image, to))
    rc = mpir_writer_file(to, copy_content, image, err);
  mpir_image_close(image);
  return rc;
}

static void sync_folder(const char *folder) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
}

static int copy_raw(struct mpir_writer *w, void *arg) {
  char piece[65536];
  uint64_t at = 0;
  ssize_t n;

  while ((n = pread(*(int *)arg, piece, sizeof(piece), (off_t)at)) > 0 && !mpir_writer_put(w, piece, (size_t)n, at))
    at += (uint64_t)n;
  return n < 0 ? dvm_error_errno(w->err, "cannot read a file of the set") : n ? w->err->code : 0;
}

static bool is_image(const struct mpir_set *set, const char *name) {
  for (size_t i = 0; i < set->member_count; i++)
    if (!set->members[i].ended && strcmp(set->members[i].image, name) == 0)
      return true;
  return false;
}

/* What else is in the folder: of a job, the messages under way. */
static int copy_others(const struct mpir_set *set, const char *path, const char *to, struct dvm_error *err) {
  DIR *dir = opendir(path);
  struct dirent *d;
  char from[2 * PATH_MAX], file[2 * PATH_MAX];
  int rc = dir ? 0 : dvm_error_errno(err, "cannot read the folder '%s'", path), fd;

  while (dir && !rc && (d = readdir(dir))) {
    if (*d->d_name == '.' || strcmp(d->d_name, MPIR_SET_LIST) == 0 || is_image(set, d->d_name))
      continue;
    snprintf(from, sizeof(from), "%s/%s", path, d->d_name);
    snprintf(file, sizeof(file), "%s/%s", to, d->d_name);
    fd = open(from, O_RDONLY | O_CLOEXEC);
    rc = fd < 0 ? dvm_error_errno(err, "cannot open '%s'", from) : mpir_writer_file(file, copy_raw, &fd, err);
    if (fd >= 0)
      close(fd);
  }
  if (dir)
    closedir(dir);
  return rc;
}

static int copy_set(const char *path, const char *to, const char *folder, struct dvm_error *err) {
  struct mpir_set *set = mpir_set_read(path, err);
  char temporary[PATH_MAX], from[2 * PATH_MAX], file[2 * PATH_MAX];
  int rc = 0;

  if (!set)
    return err->code;
  snprintf(temporary, sizeof(temporary), "%.4000s.tmp%d", to, (int)getpid());
  if (mkdir(temporary, 0700))
    rc = dvm_error_errno(err, "cannot create the folder '%s'", temporary);
  for (size_t i = 0; i < set->member_count && !rc; i++) {
    snprintf(from, sizeof(from), "%s/%s", path, set->members[i].image);
    snprintf(file, sizeof(file), "%s/%s", temporary, set->members[i].image);
    rc = set->members[i].ended ? 0 : copy_image(from, file, folder, err);
  }
  if (!rc)
    rc = copy_others(set, path, temporary, err);
  if (!rc)
    rc = mpir_set_write(set, temporary, err);
  sync_folder(temporary);
  if (!rc && rename(temporary, to))
    rc = dvm_error_errno(err, "cannot rename '%s'", temporary);
  if (rc)
    mpir_set_remove(temporary);
  mpir_set_free(set);
  return rc;
}

static int copy_any(const char *path, const char *folder, struct dvm_error *err) {
  char to[PATH_MAX];
  int n = snprintf(to, sizeof(to), "%s/%s", folder, base_of(path));

  if (n < 0 || (size_t)n >= sizeof(to))
    return dvm_error_set(err, -ENAMETOOLONG, "the path of the copy in '%s' is too long", folder);
  if (!mpir_set_is(path))
    return copy_image(path, to, folder, err);
  if (mpir_set_is(to)) /* sets are never written twice under one name but by '-o' */
    mpir_set_remove(to);
  return copy_set(path, to, folder, err);
}

/* NAME-NUMBER.ckpt: the number, and the length of what comes before it; -1 for other names. */
static long number_of(const char *name, size_t *length) {
  const char *dash = strrchr(name, '-');
  char *end;
  long number;

  if (!dash)
    return -1;
  number = strtol(dash + 1, &end, 10);
  *length = (size_t)(dash + 1 - name);
  return end == dash + 1 || strcmp(end, ".ckpt") != 0 ? -1 : number;
}

static void remove_older(const char *path, const char *folder) {
  const char *name = base_of(path);
  char own[PATH_MAX], file[2 * PATH_MAX], copy[2 * PATH_MAX];
  size_t length, other;
  const long number = number_of(name, &length);
  DIR *dir = number < 0 ? NULL : opendir(folder);
  struct dirent *d;

  folder_of(path, own, sizeof(own));
  while (dir && (d = readdir(dir))) {
    const long older = number_of(d->d_name, &other);

    if (older < 0 || older >= number || other != length || strncmp(d->d_name, name, length) != 0)
      continue;
    snprintf(file, sizeof(file), "%s%s", own, d->d_name);
    snprintf(copy, sizeof(copy), "%s/%s", folder, d->d_name);
    if (!access(file, F_OK))
      continue;
    if (mpir_set_is(copy))
      mpir_set_remove(copy);
    else
      unlink(copy);
  }
  if (dir)
    closedir(dir);
}

int mpir_copy_to(const char *path, const char *folder, unsigned keep, struct dvm_error *err) {
  int rc = mpir_copy_check(folder, path, err);
  bool whole = true; /* else it, or an image that it needs, is damaged or gone */

  if (!rc) {
    rc = copy_any(path, folder, err);
    whole = rc != -ENOENT && rc != -EBADMSG;
  }
  if (rc)
    return dvm_error_wrap(err, whole ? "'%s' is complete, but has no copy" : "'%s' has no copy", path);
  sync_folder(folder);
  if (keep)
    remove_older(path, folder);
  return 0;
}
