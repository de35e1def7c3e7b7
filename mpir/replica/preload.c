/* libdvmreplica, preloaded into the ranks of a replicated job: files that they write are written once, and calls that cannot be replicated are refused.
   A shadow writes into memory files; when it takes over, what is in them is written to the files themselves, over what its main has written of it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mpir/replica/door.h"
#include "mpir/replica/preload.h"

#define PLACE __builtin_return_address(0)

/* A file that is open for writing, in both replicas. */
struct written {
  struct written *next;
  char *path;
  int fd, flags; /* flags: to open it again, where it goes on */
  int spool; /* of a shadow: the memory file a second time, since the program may close its own; else -1 */
  ino_t inode; /* of what 'fd' was */
  off_t begin; /* of a spool: what is before is not in it */
  int first; /* of a spool: what was in the file when this one began, or -1 */
};
static struct written *files;

extern volatile int MPIR_checkpoint_helper_tid __attribute__((weak)); /* the checkpointer's thread */

/* What the checkpointer does, its copy of the process included, is not the program's. */
static bool on(void) {
  return &MPIR_dvm_replica && MPIR_dvm_replica.on && MPIR_dvm_replica.pid == getpid() &&
         !(&MPIR_checkpoint_helper_tid && MPIR_checkpoint_helper_tid == gettid());
}

static int sys_open(int folder, const char *path, int flags, mode_t mode) { return (int)syscall(SYS_openat, folder, path, flags, mode); }

static ino_t inode_of(int fd) {
  struct stat s;
  return fstat(fd, &s) ? 0 : s.st_ino;
}

static bool is_device(const char *path) {
  struct stat s;
  return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) || (!stat(path, &s) && !S_ISREG(s.st_mode));
}

static void drop(struct written *w) {
  if (w->spool >= 0)
    close(w->spool);
  if (w->spool >= 0 && w->first >= 0)
    close(w->first);
  w->spool = w->first = -1;
}

/* Those that the program has closed, when its main is known to have closed them, too. */
static void forget_closed(void) {
  for (struct written **at = &files; *at;) {
    struct written *w = *at;
    if (inode_of(w->fd) == w->inode) {
      at = &w->next;
      continue;
    }
    *at = w->next;
    drop(w);
    free(w->path);
    free(w);
  }
}

/* The same for all names of a file that need not be there.  The caller frees it. */
static char *absolute(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."), *real = folder ? realpath(folder, NULL) : NULL,
       *all = NULL;
  free(folder);
  if (!real || asprintf(&all, "%s/%s", strcmp(real, "/") ? real : "", name) < 0)
    all = strdup(path);
  free(real);
  return all;
}

static void remember(const char *path, int fd, int flags, int spool, off_t begin) {
  struct written *w = malloc(sizeof(*w)), **at = &files;
  if (!w)
    abort();
  *w = (struct written){NULL, realpath(path, NULL), fd, flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_APPEND), spool, inode_of(fd), begin, -1};
  if (!w->path)
    w->path = absolute(path);
  while (*at)
    at = &(*at)->next;
  *at = w;
}

/* A memory file in the place of 'fd' (-1: of a new one), which stands at 'offset'. */
static int make_spool(int fd, off_t offset, int *second) {
  int spool = memfd_create("dvm-replica-file", MFD_CLOEXEC);
  if (spool < 0)
    return -1;
  *second = fcntl(spool, F_DUPFD_CLOEXEC, 512);
  if (*second < 0)
    *second = fcntl(spool, F_DUPFD_CLOEXEC, 3);
  if (ftruncate(spool, offset)) /* one that appends begins there; what is before is a hole */
    return -1;
  lseek(spool, offset, SEEK_SET);
  if (fd < 0)
    return spool;
  dup3(spool, fd, fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
  close(spool);
  return fd;
}

/* This replica opens the file itself, and tells where it begins to write. */
static int open_first(int folder, const char *path, int flags, mode_t mode, bool follows) {
  int fd = sys_open(folder, path, follows ? flags & ~O_EXCL : flags, mode);
  struct stat s;
  off_t begin = fd >= 0 && flags & O_APPEND && !fstat(fd, &s) ? s.st_size : 0;
  int error = errno;
  MPIR_dvm_replica.tell(fd < 0 ? (uint64_t)-error : (uint64_t)begin);
  if (fd >= 0) {
    forget_closed();
    remember(path, fd, flags, -1, 0);
  }
  errno = error;
  return fd;
}

static void copy(int from, int to) {
  char piece[65536];
  ssize_t n;
  for (off_t at = 0; (n = pread(from, piece, sizeof(piece), at)) > 0; at += n)
    if (pwrite(to, piece, (size_t)n, at) != n)
      return;
}

/* What the file has now, of which this one changes a part. */
static void fill(struct written *w, int now) {
  w->first = now >= 0 ? memfd_create("dvm-replica-file", MFD_CLOEXEC) : -1;
  if (w->first < 0)
    return;
  copy(now, w->first);
  copy(w->first, w->spool);
  close(now);
}

static struct written *last_file(void) {
  struct written *w = files;
  while (w->next)
    w = w->next;
  return w;
}

static int open_either(int folder, const char *path, int flags, mode_t mode, const void *place) {
  bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (!on() || !writes || is_device(path))
    return sys_open(folder, path, flags, mode);
  if ((flags & O_ACCMODE) != O_WRONLY)
    MPIR_dvm_replica.refuse("a file that is open for reading and writing", path, place);
  if (folder != AT_FDCWD && *path != '/')
    MPIR_dvm_replica.refuse("openat in a folder", path, place);
  bool follows = MPIR_dvm_replica.is_shadow();
  uint64_t value;
  if (!MPIR_dvm_replica.follow(&value))
    return open_first(folder, path, flags, mode, follows);
  if ((int64_t)value < 0) {
    errno = (int)-(int64_t)value;
    return -1;
  }
  forget_closed();
  int spool, fd = make_spool(-1, (off_t)value, &spool);
  if (fd >= 0)
    remember(path, fd, flags, spool, (off_t)value);
  if (fd >= 0 && !(flags & (O_TRUNC | O_APPEND)))
    fill(last_file(), sys_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
  return fd;
}

/* A call that succeeds leaves errno alone, in both replicas: a program may send it. */
int replica_preload_open(int folder, const char *path, int flags, mode_t mode, const void *place) {
  int before = errno, fd = open_either(folder, path, flags, mode, place);
  if (fd >= 0)
    errno = before;
  return fd;
}

/* The runs of bytes in which a piece differs from what was there first: ranks may write into one file, each its own bytes. */
static void put_changes(int to, const char *now, const char *first, ssize_t n, off_t at) {
  for (ssize_t i = 0, end; i < n; i = end) {
    end = i + 1;
    if (now[i] == first[i])
      continue;
    while (end < n && now[end] != first[end])
      end++;
    if (pwrite(to, now + i, (size_t)(end - i), at + i) < 0)
      return;
  }
}

static void copy_out(const struct written *w, int to) {
  static char now[65536], first[65536];
  struct stat s, t;
  ssize_t n;
  for (off_t at = lseek(w->spool, w->begin, SEEK_DATA); at >= 0 && (n = pread(w->spool, now, sizeof(now), at)) > 0; at += n) {
    ssize_t had = w->first >= 0 ? pread(w->first, first, (size_t)n, at) : 0;
    had = had > 0 ? had : 0;
    memset(first + had, 0, (size_t)(n - had));
    put_changes(to, now, first, n, at);
  }
  if (!fstat(w->spool, &s) && !fstat(to, &t) && s.st_size > t.st_size && ftruncate(to, s.st_size))
    return;
}

/* A file that gets another name (or none) in the call that is made now. */
static char *moving_from, *moving_to;

static int open_again(const struct written *w) {
  int fd = sys_open(AT_FDCWD, w->path, w->flags, 0);
  if (fd < 0 && errno == ENOENT && moving_from && !strcmp(moving_from, w->path)) /* the main did that, and died before it told */
    return moving_to ? sys_open(AT_FDCWD, moving_to, w->flags, 0) : -1;
  if (fd < 0)
    MPIR_dvm_replica.refuse("what the main had written to", w->path, NULL);
  return fd;
}

/* What this one has written in memory is written where it belongs. */
static void promoted(void) {
  for (struct written *w = files; w; w = w->next) {
    if (w->spool < 0)
      continue;
    off_t stands = lseek(w->spool, 0, SEEK_CUR); /* of the program's descriptor, which is the same file */
    int fd = open_again(w);
    if (fd < 0)
      continue;
    copy_out(w, fd);
    if (inode_of(w->fd) == w->inode) {
      lseek(fd, stands, SEEK_SET);
      dup3(fd, w->fd, fcntl(w->fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
      w->inode = inode_of(w->fd);
    }
    close(fd);
    drop(w);
  }
}

static off_t stands_at(int fd) {
  struct stat s;
  return fcntl(fd, F_GETFL) & O_APPEND && !fstat(fd, &s) ? s.st_size : lseek(fd, 0, SEEK_CUR);
}

/* A clone shares the positions of its main's files. */
static void cloned(void) {
  forget_closed();
  for (struct written *w = files; w; w = w->next) {
    int now = sys_open(AT_FDCWD, w->path, O_RDONLY | O_CLOEXEC, 0);
    make_spool(w->fd, stands_at(w->fd), &w->spool);
    w->inode = inode_of(w->fd);
    w->begin = 0;
    fill(w, now);
  }
}

__attribute__((constructor)) static void begin(void) {
  if (&MPIR_dvm_replica) {
    MPIR_dvm_replica.promoted = promoted;
    MPIR_dvm_replica.cloned = cloned;
  }
}

/* What a shadow has in memory may be all that there is of a file, as long as its main has not ended. */
__attribute__((destructor)) static void end(void) {
  for (struct written *w = files; w && on(); w = w->next)
    if (w->spool >= 0) {
      MPIR_dvm_replica.wait_for_end();
      return;
    }
}

/* --- done once --- */

static int once(int (*act)(const char *, const char *, long), const char *a, const char *b, long n, int done) {
  uint64_t value;
  bool follows = MPIR_dvm_replica.is_shadow();
  if (MPIR_dvm_replica.follow(&value)) {
    forget_closed();
  } else {
    int rc = act(a, b, n);
    if (rc && follows && errno == done)
      rc = 0; /* likewise */
    MPIR_dvm_replica.tell(value = rc ? (uint64_t)errno : 0);
  }
  errno = (int)value;
  return value ? -1 : 0;
}

static void rename_written(const char *from, const char *to) {
  for (struct written *w = files; w; w = w->next)
    if (!strcmp(w->path, from)) {
      free(w->path);
      w->path = strdup(to);
    }
}

int replica_preload_once(int (*act)(const char *, const char *, long), const char *a, const char *b, long n, int done) {
  if (!on())
    return act(a, b, n);
  moving_from = absolute(a);
  moving_to = b ? absolute(b) : NULL;
  int rc = once(act, a, b, n, done), error = errno;
  if (!rc && b && done == ENOENT)
    rename_written(moving_from, moving_to);
  free(moving_from);
  free(moving_to);
  moving_from = moving_to = NULL;
  errno = error;
  return rc;
}

void replica_preload_refuse(const char *what, const char *name, const void *place) {
  if (on() && !MPIR_dvm_replica.forking)
    MPIR_dvm_replica.refuse(what, name, place);
}
