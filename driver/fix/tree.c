#define _GNU_SOURCE
#include "driver/fix/tree.h"
#include "driver/fix/spawn.h"
#include "driver/folder.h"
#include "driver/plan.h"
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *fix_tree_root(const char *folder) {
  char *root = realpath(folder, NULL);
  for (char *end = root ? root + strlen(root) : NULL; end && end > root; end = memrchr(root, '/', (size_t)(end - root))) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/.git", (int)(end - root), root);
    if (!access(path, F_OK)) {
      *end = 0;
      break;
    }
  }
  return root;
}

static bool is_source(const char *name) {
  const char *dot = strrchr(name, '.');
  return cc_language_of_file(name) == CC_C || cc_is_fortran(name) || (dot && !strcmp(dot, ".h"));
}

static int copy_bytes(int in, int out) {
  char block[65536];
  ssize_t n;
  while ((n = read(in, block, sizeof block)) > 0)
    for (ssize_t done = 0, w; done < n; done += w)
      if ((w = write(out, block + done, (size_t)(n - done))) < 0)
        return -errno;
  return n < 0 ? -errno : 0;
}

static int copy_file(const char *from, const char *to, const struct stat *st) {
  const struct timespec times[2] = {st->st_atim, st->st_mtim};
  int in = open(from, O_RDONLY | O_CLOEXEC);
  if (in < 0)
    return -errno;
  int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int rc = out < 0 ? -errno : copy_bytes(in, out);
  close(in);
  if (!rc && (fchmod(out, st->st_mode & 0777) || (!is_source(from) && futimens(out, times))))
    rc = -errno;
  if (out >= 0 && close(out) && !rc)
    rc = -errno;
  return rc;
}

static int copy_link(const char *from, const char *to) {
  char target[PATH_MAX];
  ssize_t n = readlink(from, target, sizeof target - 1);
  if (n < 0)
    return -errno;
  target[n] = 0;
  return symlink(target, to) ? -errno : 0;
}

/* One entry.  Folders are writable as long as the copy lives. */
static int copy_entry(const FTSENT *e, const char *to) {
  switch (e->fts_info) {
  case FTS_D: return mkdir(to, (e->fts_statp->st_mode & 0777) | 0700) ? -errno : 0;
  case FTS_F: return copy_file(e->fts_accpath, to, e->fts_statp);
  case FTS_SL:
  case FTS_SLNONE: return copy_link(e->fts_accpath, to);
  case FTS_DNR:
  case FTS_ERR:
  case FTS_NS: return -e->fts_errno;
  default: return 0;
  }
}

static bool is_same(const struct stat *a, const struct stat *b) { return a->st_dev == b->st_dev && a->st_ino == b->st_ino; }

int fix_tree_copy(const char *from, const char *to, struct dvm_error *err) {
  char *const paths[] = {(char *)(uintptr_t)from, NULL};
  char folder[PATH_MAX], path[PATH_MAX];
  struct stat ours;
  size_t n = strlen(from);
  int rc = 0;
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(to, '/') - to), to);
  cc_folder_remove(to);
  FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  if (!fts || stat(folder, &ours)) {
    if (fts)
      fts_close(fts);
    return dvm_error_errno(err, "cannot read '%s'", from);
  }
  for (FTSENT *e; !rc && !fix_spawn_stopped() && (e = fts_read(fts));) {
    if (e->fts_info == FTS_D && is_same(e->fts_statp, &ours)) {
      fts_set(fts, e, FTS_SKIP);
      continue;
    }
    snprintf(path, sizeof path, "%s%s", to, e->fts_path + n);
    errno = -(rc = copy_entry(e, path));
    if (rc)
      dvm_error_errno(err, "cannot copy '%s' to '%s'", e->fts_path, path);
  }
  fts_close(fts);
  return rc ? rc : fix_spawn_stopped() ? dvm_error_set(err, -EINTR, "stopped") : 0;
}
