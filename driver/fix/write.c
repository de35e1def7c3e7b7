#define _GNU_SOURCE
#include "driver/fix/write.h"
#include "driver/fix/spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_repaired(const struct fix_file *f) { return f->good.n != f->first.n || memcmp(f->good.s, f->first.s, f->good.n); }

static int write_all(int fd, const struct fix_text *t) {
  for (size_t done = 0; done < t->n;) {
    ssize_t n = write(fd, t->s + done, t->n - done);
    if (n < 0 && errno != EINTR)
      return -errno;
    done += n > 0 ? (size_t)n : 0;
  }
  return 0;
}

/* ---- differences ---------------------------------------------------------------------------------------------------------- */

static int put_text(const char *folder, const char *name, const struct fix_text *t, char path[PATH_MAX], struct dvm_error *err) {
  snprintf(path, PATH_MAX, "%s/%s", folder, name);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int rc = fd < 0 ? -errno : write_all(fd, t);
  if (fd >= 0 && close(fd) && !rc)
    rc = -errno;
  errno = -rc;
  return rc ? dvm_error_errno(err, "cannot write '%s'", path) : 0;
}

static int diff(const struct fix_file *f, const char *folder, struct dvm_error *err) {
  struct dvm_list command = DVM_LIST_INIT;
  char old[PATH_MAX], new[PATH_MAX];
  int status = 0;
  int rc = put_text(folder, "old", &f->first, old, err);
  if (!rc)
    rc = put_text(folder, "new", &f->good, new, err);
  if (rc)
    return rc;
  const char *const words[] = {"diff", "-u", "--label", f->name, "--label", f->name, old, new};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    dvm_list_add(&command, words[i]);
  rc = command.failed ? dvm_error_set(err, -ENOMEM, "out of memory")
                      : fix_spawn(&(struct fix_spawn){.command = &command, .options = getenv("DVM_OPTIONS")}, &status, err);
  dvm_list_fini(&command);
  if (!rc && (!WIFEXITED(status) || WEXITSTATUS(status) > 1))
    rc = dvm_error_set(err, -EIO, "'diff' failed");
  return rc;
}

int fix_write_diff(const struct fix_files *files, const char *folder, struct dvm_error *err) {
  int rc = 0;
  for (size_t i = 0; i < files->n && !rc; i++)
    if (is_repaired(&files->v[i]))
      rc = diff(&files->v[i], folder, err);
  return rc;
}

/* ---- in place -------------------------------------------------------------------------------------------------------------- */

/* Does the file still hold what was read? */
static bool is_unchanged(int fd, const struct fix_file *f) {
  struct stat st;
  char *now = malloc(f->first.n + 1);
  size_t n = 0;
  for (ssize_t got = 1; now && n <= f->first.n && got > 0; n += got > 0 ? (size_t)got : 0)
    got = read(fd, now + n, f->first.n + 1 - n);
  bool same =
      now && !fstat(fd, &st) && st.st_dev == f->st.st_dev && st.st_ino == f->st.st_ino && n == f->first.n && !memcmp(now, f->first.s, n);
  free(now);
  return same;
}

static int look(const struct fix_file *f, struct dvm_error *err) {
  if (access(f->path, W_OK))
    return dvm_error_errno(err, "cannot write '%s'", f->name);
  int fd = open(f->path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return dvm_error_errno(err, "cannot read '%s'", f->name);
  int rc = is_unchanged(fd, f) ? 0 : dvm_error_set(err, -ESTALE, "'%s' has changed in the meantime; nothing was written", f->name);
  close(fd);
  return rc;
}

static int fill(int fd, const struct fix_file *f, const char *name, struct dvm_error *err) {
  if (fchown(fd, f->st.st_uid, f->st.st_gid) || fchmod(fd, f->st.st_mode & 07777))
    return dvm_error_errno(err, "cannot give '%s' the owner and mode of '%s'", name, f->name);
  errno = -write_all(fd, &f->good);
  return errno || fsync(fd) ? dvm_error_errno(err, "cannot write '%s'", name) : 0;
}

/* A file beside it that takes its place; behind a link, the place of what that leads to. */
static int replace(const struct fix_file *f, struct dvm_error *err) {
  char path[PATH_MAX], name[PATH_MAX + 16];
  if (!realpath(f->path, path))
    return dvm_error_errno(err, "cannot write '%s'", f->name);
  snprintf(name, sizeof name, "%s.XXXXXX", path);
  int fd = mkostemp(name, O_CLOEXEC);
  if (fd < 0)
    return dvm_error_errno(err, "cannot create a file next to '%s'", f->name);
  int rc = fill(fd, f, name, err);
  if (close(fd) && !rc)
    rc = dvm_error_errno(err, "cannot write '%s'", name);
  if (!rc)
    rc = look(f, err);
  if (!rc && rename(name, path))
    rc = dvm_error_errno(err, "cannot write '%s'", f->name);
  if (rc)
    unlink(name);
  return rc;
}

int fix_write_files(const struct fix_files *files, struct dvm_error *err) {
  int rc = 0;
  for (size_t i = 0; i < files->n && !rc; i++)
    if (is_repaired(&files->v[i]))
      rc = look(&files->v[i], err);
  for (size_t i = 0; i < files->n && !rc; i++)
    if (is_repaired(&files->v[i]))
      rc = replace(&files->v[i], err);
  return rc;
}
