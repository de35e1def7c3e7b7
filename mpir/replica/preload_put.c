/* Files that are put in place when they are closed: see preload_private.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/replica/preload.h"
#include "mpir/replica/preload_private.h"

static bool is_used(void) { return replica_is_on() && replica_door->elsewhere; }

/* The main goes on when its shadow has come as far: all that was before is told of to all hosts, and will be as it is. */
static void meet(void) {
  uint64_t value;
  if (replica_door->follow(&value))
    return;
  replica_door->tell(0);
  replica_door->await_shadow();
}

/* Into its place, by the one that leads; by a shadow that comes to lead here, once more. */
static void put(struct written *w, const int *fds, size_t n) {
  uint64_t value;
  meet();
  if (!replica_door->follow(&value)) {
    if (w->path)
      replica_written_out(w, fds, n);
    replica_door->tell(0);
  }
  replica_written_drop(w);
}

static struct written *next_closed(const int *fds, size_t n) {
  for (struct written *w = replica_written_first(); w && n < REPLICA_FDS_MAX; w = w->next)
    if (!replica_written_is_open(w, fds, n))
      return w;
  return NULL;
}

static void put_closed(void) {
  static int fds[REPLICA_FDS_MAX];
  const size_t n = replica_fds(fds, REPLICA_FDS_MAX);
  for (struct written *w; (w = next_closed(fds, n));)
    put(w, fds, n);
}

void replica_put_before(void) {
  if (!is_used())
    return;
  if (replica_written_any())
    put_closed();
  meet();
}

struct written *replica_put_find(const char *path) {
  char *name = is_used() && replica_written_any() ? replica_absolute(path) : NULL;
  struct written *w = name ? replica_written_first() : NULL;
  while (w && (!w->path || strcmp(w->path, name) != 0))
    w = w->next;
  free(name);
  return w;
}

static struct written *find_open(int fd) {
  struct written *w = is_used() ? replica_written_first() : NULL;
  while (w && !replica_same_open_file(fd, w->spool))
    w = w->next;
  return w;
}

/* What has come to it since the last time; what was changed before that is put in place with the rest. */
static void put_new(const struct written *w) {
  char piece[65536];
  const int fd = replica_written_open_again(w);
  ssize_t n;
  for (off_t at = w->put; fd >= 0 && (n = pread(w->spool, piece, sizeof(piece), at)) > 0; at += n)
    if (pwrite(fd, piece, (size_t)n, at) != n)
      replica_written_refuse(w);
  if (fd >= 0)
    replica_sys_close(fd);
}

static void flush(struct written *w) {
  struct stat s;
  if (fstat(w->spool, &s) || s.st_size <= w->put)
    return;
  meet();
  if (!replica_door->is_shadow() && w->path)
    put_new(w);
  w->put = s.st_size;
}

void replica_put_flushed(int fd) {
  const int error = errno;
  if (fd >= 0) {
    struct written *w = find_open(fd);
    if (w)
      flush(w);
  } else if (is_used()) {
    for (struct written *w = replica_written_first(); w; w = w->next)
      flush(w);
  }
  errno = error;
}

bool replica_put_closes(int fd) { return find_open(fd); }

void replica_put_closed(void) {
  const int error = errno;
  put_closed();
  errno = error;
}

void replica_put_all(void) {
  static int fds[REPLICA_FDS_MAX];
  if (!is_used())
    return;
  fflush(NULL);
  const size_t n = replica_fds(fds, REPLICA_FDS_MAX);
  while (replica_written_any())
    put(replica_written_first(), fds, n);
}
