/* Files that the program writes.  The leading replica writes them; a shadow writes into memory files in their places, and when it takes over, what is in
   them is written to the files themselves, over what its main has written of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/replica/preload_private.h"

static struct written *files;

/* Names under which the program has written: what is read from there is its own. */
static char **own;
static size_t nown;

bool replica_written_any(void) { return files != NULL; }
struct written *replica_written_first(void) { return files; }

void replica_written_drop(struct written *w) {
  struct written **at = &files;
  while (*at != w)
    at = &(*at)->next;
  *at = w->next;
  close(w->spool);
  if (w->first >= 0)
    close(w->first);
  free(w->path);
  free(w);
}

bool replica_written_is_open(const struct written *w, const int *fds, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (fds[i] != w->spool && replica_same_open_file(fds[i], w->spool))
      return true;
  return false;
}

void replica_written_forget(void) {
  static int fds[REPLICA_FDS_MAX];
  size_t n = files ? replica_fds(fds, REPLICA_FDS_MAX) : 0;
  for (struct written **at = &files; *at;)
    if (n == REPLICA_FDS_MAX || replica_written_is_open(*at, fds, n))
      at = &(*at)->next;
    else
      replica_written_drop(*at);
}

/* --- names --- */

static void note_own(const char *path) {
  if (replica_has_written(path))
    return;
  char **more = realloc(own, (nown + 1) * sizeof(*own));
  if (!more)
    abort();
  own = more;
  own[nown++] = replica_absolute(path);
}

bool replica_has_written(const char *path) {
  char *name = nown ? replica_absolute(path) : NULL;
  bool found = false;
  for (size_t i = 0; i < nown && !found; i++)
    found = !strcmp(own[i], name);
  free(name);
  return found;
}

static const char *moving_from, *moving_to;

void replica_written_moves(const char *from, const char *to) {
  moving_from = from;
  moving_to = to;
}

void replica_written_moved(const char *from, const char *to) {
  bool known = replica_has_written(from);
  for (struct written *w = files; w; w = w->next)
    if (to && w->path && !strcmp(w->path, to)) { /* what had the name before has none now */
      free(w->path);
      w->path = NULL;
    }
  for (struct written *w = files; w; w = w->next)
    if (w->path && !strcmp(w->path, from)) {
      free(w->path);
      w->path = to ? strdup(to) : NULL;
    }
  if (known && to)
    note_own(to);
}

/* --- memory files --- */

static int high_copy(int fd) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 512);
  return copy < 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : copy;
}

/* That stands at 'offset', with a hole before; the program's descriptor, and in '*w' ours. */
static int make_spool(struct written *w, off_t offset) {
  int spool = memfd_create("dvm-replica-file", MFD_CLOEXEC);
  w->spool = spool < 0 ? -1 : high_copy(spool);
  if (w->spool < 0 || ftruncate(spool, offset))
    return -1;
  lseek(spool, offset, SEEK_SET);
  return spool;
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

static struct written *add(char *path, int flags, off_t begin) {
  struct written *w = malloc(sizeof(*w)), **at = &files;
  if (!w)
    abort();
  *w = (struct written){NULL, path, flags & ~(O_CREAT | O_EXCL | O_TRUNC), -1, begin, -1, begin};
  while (*at)
    at = &(*at)->next;
  return *at = w;
}

/* --- opening --- */

/* What is there is read, too: the shadow must have it before its main changes it. */
static bool is_read_back(int flags) { return (flags & O_ACCMODE) == O_RDWR && !(flags & O_TRUNC); }

static bool is_written(int fd);
static char *name_of(int fd);

static uint64_t mix(uint64_t key, const void *data, size_t size) {
  for (const unsigned char *c = data; size--; c++)
    key = (key ^ *c) * 1099511628211u;
  return key;
}

/* The file, whatever its name: a new one that gets the place of a removed one was born later.  Where the file system does not tell when, the name counts. */
static uint64_t key_of(int fd, const char *name) {
  const uint64_t begin = 14695981039346656037u;
  struct statx s = {0};
  const bool is_told = !statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &s);
  const uint64_t place[] = {(uint64_t)s.stx_dev_major << 32 | s.stx_dev_minor, s.stx_ino},
                 born[] = {(uint64_t)s.stx_btime.tv_sec, s.stx_btime.tv_nsec};
  if (is_told && s.stx_mask & STATX_BTIME)
    return mix(mix(begin, place, sizeof(place)), born, sizeof(born));
  return mix(begin, name, strlen(name)) ^ (is_told ? s.stx_ino : 0);
}

/* One rank alone reads and writes a file: its shadow knows what that rank has written, no more. */
static void claim(int fd, const char *path, int flags) {
  struct stat s;
  char *name = fd >= 0 && !fstat(fd, &s) && S_ISREG(s.st_mode) ? realpath(path, NULL) : NULL;
  if (name && !replica_door->claim(key_of(fd, name), (flags & O_ACCMODE) == O_RDWR))
    replica_door->refuse("a file that several ranks use, one of them for reading and writing,", path, NULL);
  free(name);
}

/* Those that were there before the replicas were two. */
void replica_written_claim(void) {
  static int fds[REPLICA_FDS_MAX];
  size_t n = replica_fds(fds, REPLICA_FDS_MAX);
  for (size_t i = 0; i < n; i++) {
    char *name = is_written(fds[i]) ? name_of(fds[i]) : NULL;
    if (name)
      claim(fds[i], name, fcntl(fds[i], F_GETFL));
    free(name);
  }
}

static int open_in_memory(const char *path, int flags, off_t begin) {
  char *name = realpath(path, NULL);
  struct written *w = add(name ? name : replica_absolute(path), flags, begin);
  int fd = make_spool(w, begin);
  if (fd >= 0 && (is_read_back(flags) || !(flags & (O_TRUNC | O_APPEND))))
    fill(w, replica_sys_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
  if (fd >= 0 && !(flags & O_CLOEXEC))
    fcntl(fd, F_SETFD, 0);
  if (fd >= 0 && flags & O_APPEND && is_read_back(flags)) {
    fcntl(fd, F_SETFL, O_APPEND);
    lseek(fd, 0, SEEK_SET); /* where reading begins */
  }
  return fd;
}

/* This replica opens the file itself, and tells where it begins to write. */
static int open_first(int folder, const char *path, int flags, mode_t mode, bool follows) {
  int fd = replica_sys_open(folder, path, follows ? flags & ~O_EXCL : flags, mode);
  struct stat s;
  claim(fd, path, flags);
  off_t begin = fd >= 0 && flags & O_APPEND && !fstat(fd, &s) ? s.st_size : 0;
  int error = errno;
  replica_door->tell(fd < 0 ? (uint64_t)-error : (uint64_t)begin);
  if (fd >= 0 && is_read_back(flags)) {
    replica_door->tell(0);
    replica_door->await_shadow();
  }
  if (fd >= 0) {
    replica_written_forget();
    note_own(path);
  }
  if (fd >= 0 && replica_door->elsewhere) { /* it is put in place later */
    replica_sys_close(fd);
    return open_in_memory(path, flags, begin);
  }
  errno = error;
  return fd;
}

int replica_written_open(int folder, const char *path, int flags, mode_t mode) {
  bool follows = replica_door->is_shadow();
  uint64_t value;
  replica_put_before();
  if (!replica_door->follow(&value))
    return open_first(folder, path, flags, mode, follows);
  if ((int64_t)value < 0) {
    errno = (int)-(int64_t)value;
    return -1;
  }
  replica_written_forget();
  note_own(path);
  int fd = open_in_memory(path, flags, (off_t)value);
  if (is_read_back(flags))
    replica_door->follow(&value); /* what the main waits for */
  return fd;
}

/* The main goes on when its shadow has read all: what it writes there next is not for this reader. */
int replica_read_open(int folder, const char *path, int flags) {
  uint64_t value;
  replica_put_before();
  const struct written *w = replica_put_find(path);
  if (w) { /* it is not in place yet: both have it */
    int fd = memfd_create("dvm-replica-file", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    if (fd >= 0)
      copy(w->spool, fd);
    return fd;
  }
  if (!replica_door->follow(&value)) {
    int fd = replica_sys_open(folder, path, flags, 0), error = errno;
    replica_door->tell(fd < 0 ? (uint64_t)-error : 0);
    replica_door->tell(0);
    replica_door->await_shadow();
    errno = error;
    return fd;
  }
  int from = (int64_t)value < 0 ? -1 : replica_sys_open(folder, path, O_RDONLY | O_CLOEXEC, 0);
  int fd = from < 0 ? -1 : memfd_create("dvm-replica-file", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  if (fd >= 0)
    copy(from, fd);
  if (from >= 0)
    close(from);
  int error = (int64_t)value < 0 ? (int)-(int64_t)value : errno;
  replica_door->follow(&value); /* what the main waits for; if it does not live any more, there is nobody to tell */
  errno = error;
  return fd;
}

/* --- taking over --- */

/* The program was told that all is written. */
void replica_written_refuse(const struct written *w) {
  char what[256];
  snprintf(what, sizeof(what), "what does not go to its place (%s), the file", strerror(errno));
  replica_door->refuse(what, w->path, NULL);
}

/* The runs of bytes in which a piece differs from what was there first: ranks may write into one file, each its own bytes. */
static void put_changes(const struct written *w, int to, const char *now, const char *first, ssize_t n, off_t at) {
  for (ssize_t i = 0, end; i < n; i = end) {
    end = i + 1;
    if (now[i] == first[i])
      continue;
    while (end < n && now[end] != first[end])
      end++;
    if (pwrite(to, now + i, (size_t)(end - i), at + i) != end - i)
      replica_written_refuse(w);
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
    put_changes(w, to, now, first, n, at);
  }
  if (!fstat(w->spool, &s) && !fstat(to, &t) && s.st_size > t.st_size && ftruncate(to, s.st_size))
    return;
}

/* Of a file that is read, too: what its main has written beyond this one's place is not there yet. */
static void copy_whole(const struct written *w, int to) {
  struct stat s;
  copy(w->spool, to);
  if (fstat(w->spool, &s) || ftruncate(to, s.st_size))
    replica_door->refuse("what the main had written to", w->path, NULL);
}

/* One that appends has its main's bytes in front of its own, and nobody else's between them. */
static bool is_ours_alone(const struct written *w, int to) {
  static char mine[65536], there[65536];
  ssize_t n, m;
  for (off_t at = w->begin; (n = pread(w->spool, mine, sizeof(mine), at)) > 0 && (m = pread(to, there, sizeof(there), at)) > 0;
       at += n < m ? n : m)
    if (memcmp(mine, there, (size_t)(n < m ? n : m)))
      return false;
  return true;
}

int replica_written_open_again(const struct written *w) {
  int flags = w->flags & ~O_APPEND, fd;
  if (w->flags & O_APPEND && (flags & O_ACCMODE) == O_WRONLY)
    flags = (flags & ~O_ACCMODE) | O_RDWR; /* to look at what is there */
  fd = replica_sys_open(AT_FDCWD, w->path, flags, 0);
  if (fd < 0 && errno == EACCES)
    fd = replica_sys_open(AT_FDCWD, w->path, w->flags & ~O_APPEND, 0);
  if (fd < 0 && errno == ENOENT && moving_from && !strcmp(moving_from, w->path)) /* the main did that, and died before it told */
    return moving_to ? replica_sys_open(AT_FDCWD, moving_to, flags, 0) : -1;
  if (fd < 0)
    replica_door->refuse("what the main had written to", w->path, NULL);
  return fd;
}

void replica_written_out(const struct written *w, const int *fds, size_t n) {
  off_t stands = lseek(w->spool, 0, SEEK_CUR);
  int fd = replica_written_open_again(w);
  if (fd < 0)
    return;
  if (w->flags & O_APPEND && !is_ours_alone(w, fd))
    replica_door->refuse("a file that several ranks append to,", w->path, NULL);
  if ((w->flags & O_ACCMODE) == O_RDWR)
    copy_whole(w, fd);
  else
    copy_out(w, fd);
  lseek(fd, stands, SEEK_SET);
  if (w->flags & O_APPEND)
    fcntl(fd, F_SETFL, O_APPEND);
  for (size_t i = 0; i < n; i++)
    if (fds[i] != w->spool && replica_same_open_file(fds[i], w->spool))
      replica_put_in_place(fd, fds[i]);
  close(fd);
  lseek(w->spool, stands, SEEK_SET);
}

void replica_written_promote(void) {
  static int fds[REPLICA_FDS_MAX];
  for (const struct written *w = replica_door->elsewhere ? files : NULL; w; w = w->next) /* it may have been flushed */
    if (w->path)
      replica_written_out(w, NULL, 0);
  if (replica_door->elsewhere) /* what the program does with it next it does as its main did, and as a fresh replica of this one will */
    return;
  size_t n = replica_fds(fds, REPLICA_FDS_MAX);
  while (files) {
    if (files->path)
      replica_written_out(files, fds, n);
    replica_written_drop(files);
  }
}

/* --- a fresh shadow --- */

/* Its name, or NULL: it has none any more, or never had. */
static char *name_of(int fd) {
  char link[32], name[4096];
  struct stat s, t;
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, name, sizeof(name) - 1);
  name[n > 0 ? n : 0] = 0;
  return *name == '/' && !replica_sys_stat(name, &s) && !fstat(fd, &t) && s.st_ino == t.st_ino && s.st_dev == t.st_dev ? strdup(name)
                                                                                                                       : NULL;
}

static bool is_written(int fd) {
  struct stat s;
  int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY && !fstat(fd, &s) && S_ISREG(s.st_mode);
}

const char *replica_written_before(void) {
  static int fds[REPLICA_FDS_MAX];
  char *name = NULL;
  size_t n = replica_fds(fds, REPLICA_FDS_MAX);
  for (size_t i = 0; i < n && !name; i++)
    name = is_written(fds[i]) ? name_of(fds[i]) : NULL;
  return name;
}

bool replica_written_is(int fd) { return replica_is_on() && is_written(fd); }

/* 'fd' and all that share its position. */
static void take_to_memory(int fd, const int *fds, size_t n) {
  int flags = fcntl(fd, F_GETFL);
  struct stat s;
  off_t stands = flags & O_APPEND && !fstat(fd, &s) ? s.st_size : lseek(fd, 0, SEEK_CUR);
  char link[32];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  struct written *w = add(name_of(fd), flags, flags & O_APPEND ? stands : 0);
  int spool = make_spool(w, stands);
  if (spool < 0)
    _exit(1); /* no shadow; the main goes on, and makes another */
  if (!(flags & O_APPEND) || (flags & O_ACCMODE) == O_RDWR)
    fill(w, replica_sys_open(AT_FDCWD, w->path ? w->path : link, O_RDONLY | O_CLOEXEC, 0));
  int own_copy = high_copy(fd);
  for (size_t i = 0; i < n; i++)
    if (fds[i] != own_copy && replica_same_open_file(fds[i], own_copy))
      replica_put_in_place(spool, fds[i]);
  close(own_copy);
  close(spool);
}

void replica_written_clone(void) {
  static int fds[REPLICA_FDS_MAX];
  size_t n = replica_fds(fds, REPLICA_FDS_MAX);
  for (size_t i = 0; i < n; i++) {
    bool done = false;
    for (struct written *w = files; w && !done; w = w->next)
      done = fds[i] == w->spool || fds[i] == w->first || replica_same_open_file(fds[i], w->spool);
    if (!done && is_written(fds[i]))
      take_to_memory(fds[i], fds, n);
  }
}
