/* What inotify descriptors watch: the kernel tells numbers of files, their names are noted when they are given. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/sys.h"

#define EXPORT __attribute__((visibility("default")))
#define NAMES_MAX 4096

static struct {
  uint64_t device, inode;
  char *path;
} names[NAMES_MAX];
static unsigned next_name;

static void note(uint64_t device, uint64_t inode, const char *path) {
  char *copy = strdup(path), *old;
  unsigned i = 0;

  if (!copy)
    return;
  dvmcr_enter();
  mpir_crs_descriptors_lock(); /* fork(2) takes it too: a child does not find it held */
  while (i < NAMES_MAX && names[i].path && (names[i].inode != inode || names[i].device != device))
    i++;
  i = i == NAMES_MAX ? next_name++ % NAMES_MAX : i;
  old = names[i].path;
  names[i].device = device;
  names[i].inode = inode;
  names[i].path = copy;
  mpir_crs_descriptors_unlock();
  dvmcr_leave();
  free(old);
}

/* The whole name of what 'path' means just now: its length, or -1. */
static long find_whole(const char *path, uint32_t mask, struct stat *st, char *whole) {
  const uint32_t no_follow = 0x02000000; /* IN_DONT_FOLLOW */
  char link[64];
  struct plain_text t = PLAIN_TEXT(link);
  long n;
  int fd;

  mpir_crs_descriptors_lock();
  fd = (int)sys4(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC | (mask & no_follow ? O_NOFOLLOW : 0), 0);
  mpir_plain_add(&t, "/proc/thread-self/fd/");
  mpir_plain_add_dec(&t, fd);
  n = fd < 0 || sys2(SYS_fstat, fd, st) ? -1 : sys4(SYS_readlinkat, AT_FDCWD, link, whole, CRS_PATH_MAX - 1);
  if (fd >= 0)
    sys1(SYS_close, fd);
  mpir_crs_descriptors_unlock();
  return n;
}

static void note_path(const char *path, uint32_t mask) {
  char whole[CRS_PATH_MAX];
  struct stat st;
  const long n = find_whole(path, mask, &st, whole);

  if (n < 0)
    return;
  whole[n] = '\0';
  note(st.st_dev, st.st_ino, whole);
}

EXPORT int inotify_add_watch(int fd, const char *path, uint32_t mask) {
  const long rc = sys3(SYS_inotify_add_watch, fd, path, mask);

  if (rc >= 0) {
    note_path(path, mask);
    return (int)rc;
  }
  errno = (int)-rc;
  return -1;
}

static const char *name_of(uint64_t device, uint64_t inode) {
  struct stat st;

  for (unsigned i = 0; i < NAMES_MAX && names[i].path; i++)
    if (names[i].inode == inode && names[i].device == device && !sys4(SYS_newfstatat, AT_FDCWD, names[i].path, &st, AT_SYMLINK_NOFOLLOW) &&
        st.st_ino == inode && st.st_dev == device)
      return names[i].path;
  return NULL;
}

static uint64_t value_of(const char *line, const char *label) {
  const char *s = strstr(line, label);

  s = s ? s + strlen(label) : "";
  return mpir_plain_hex(&s);
}

/* "inotify wd:W ino:I sdev:D mask:M ..." becomes "watch: W M PATH". */
static int name_watches(struct crs_dump *d, struct mpir_image_file *file) {
  const char *text = d->strings + file->info;
  struct plain_text t = {(char *)d->copy, sizeof(d->copy), 0};

  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const uint64_t device = value_of(line, " sdev:");
    const char *name;

    if (!mpir_plain_starts(line, "inotify "))
      continue;
    name = name_of(makedev(device >> 20, device & 0xfffff), value_of(line, " ino:"));
    if (!name) {
      mpir_plain_add(&d->why, "descriptor ");
      mpir_plain_add_dec(&d->why, file->fd);
      return mpir_dump_fail(d, -EOPNOTSUPP, ": watches a file (inotify) whose name is unknown or now belongs to another file");
    }
    mpir_plain_add(&t, "watch: ");
    mpir_plain_add_hex(&t, value_of(line, " wd:"));
    mpir_plain_add(&t, " ");
    mpir_plain_add_hex(&t, value_of(line, " mask:"));
    mpir_plain_add(&t, " ");
    mpir_plain_add(&t, name);
    mpir_plain_add(&t, "\n");
  }
  d->copy[t.len] = '\0';
  file->info = mpir_dump_string(d, (const char *)d->copy);
  return 0;
}

int mpir_dump_inotify(struct crs_dump *d) {
  int rc = 0, waiting;

  for (unsigned i = 0; i < d->file_count && !rc; i++) {
    if (d->files[i].kind != MPIR_FILE_INOTIFY || d->files[i].same_as >= 0)
      continue;
    waiting = 0;
    if (!sys3(SYS_ioctl, d->files[i].fd, FIONREAD, &waiting) && waiting > 0)
      mpir_dump_notice(d, d->files[i].fd, "events of inotify that were not read yet are lost", NULL);
    rc = name_watches(d, &d->files[i]);
  }
  return rc;
}
