/* libdvmreplica, preloaded into the ranks of a replicated job: files that they write are written once (preload_files.c), and calls that cannot be
   replicated are refused. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mpir/replica/preload.h"
#include "mpir/replica/preload_private.h"

struct replica_door *replica_door;

extern volatile int MPIR_checkpoint_helper_tid __attribute__((weak)); /* the checkpointer's thread */

/* What the checkpointer does, its copy of the process included, is not the program's. */
bool replica_is_on(void) {
  return replica_door && replica_door->on && replica_door->pid == getpid() &&
         !(&MPIR_checkpoint_helper_tid && MPIR_checkpoint_helper_tid == gettid());
}

/* On another host it has in memory what its main has. */
static void clone_self(void) {
  if (!replica_door->elsewhere)
    replica_written_clone();
  replica_nature_clone();
}

/* The message layer, in MPI_Init: it may have been loaded late, and where nobody finds its symbols. */
void MPIR_dvm_replica_use(struct replica_door *door) {
  replica_door = door;
  door->promoted = replica_written_promote;
  door->forks = replica_nature_forks;
  door->cloned = clone_self;
  replica_nature_begin();
  const char *open_file = door->elsewhere ? replica_written_before() : NULL;
  if (!door->is_shadow())
    replica_written_claim();
  if (open_file)
    door->refuse("writing into the file", open_file, NULL);
}

/* What a shadow has in memory may be all that there is of a file, as long as its main has not ended. */
__attribute__((destructor)) static void end(void) {
  replica_put_all();
  if (replica_is_on() && replica_written_any())
    replica_door->wait_for_end();
}

int replica_sys_open(int folder, const char *path, int flags, mode_t mode) { return (int)syscall(SYS_openat, folder, path, flags, mode); }

int replica_sys_close(int fd) { return (int)syscall(SYS_close, fd); }

int replica_sys_stat(const char *path, struct stat *to) { return (int)syscall(SYS_newfstatat, AT_FDCWD, path, to, 0); }

static bool is_device(const char *path) {
  struct stat s;
  return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) || (!replica_sys_stat(path, &s) && !S_ISREG(s.st_mode));
}

char *replica_absolute(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."), *real = folder ? realpath(folder, NULL) : NULL,
       *all = NULL;
  free(folder);
  if (!real || asprintf(&all, "%s/%s", strcmp(real, "/") ? real : "", name) < 0)
    all = strdup(path);
  free(real);
  return all;
}

static int open_either(int folder, const char *path, int flags, mode_t mode, const void *place) {
  bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (!replica_is_on() || is_device(path)) {
    int fd = replica_sys_open(folder, path, flags, mode);
    if (!strncmp(path, "/dev/", 5))
      replica_random_is(fd);
    return fd;
  }
  if (!writes)
    return (folder == AT_FDCWD || *path == '/') && !(flags & (O_DIRECTORY | O_PATH)) && replica_has_written(path)
               ? replica_read_open(folder, path, flags)
               : replica_sys_open(folder, path, flags, mode);
  if (folder != AT_FDCWD && *path != '/')
    replica_door->refuse("openat in a folder", path, place);
  return replica_written_open(folder, path, flags, mode);
}

bool replica_preload_watches(const char *path) { return replica_is_on() && !is_device(path); }

/* A call that succeeds leaves errno alone, in both replicas: a program may send it. */
int replica_preload_open(int folder, const char *path, int flags, mode_t mode, const void *place) {
  int before = errno, fd = open_either(folder, path, flags, mode, place);
  if (fd >= 0)
    errno = before;
  return fd;
}

/* --- done once --- */

static int once(int (*act)(const char *, const char *, long), const char *a, const char *b, long n, int done) {
  uint64_t value;
  bool follows = replica_door->is_shadow();
  if (replica_door->follow(&value)) {
    replica_written_forget();
  } else {
    int rc = act(a, b, n);
    if (rc && follows && errno == done)
      rc = 0; /* the main did it, and died before it told */
    replica_door->tell(value = rc ? (uint64_t)errno : 0);
  }
  errno = (int)value;
  return value ? -1 : 0;
}

int replica_preload_once(int (*act)(const char *, const char *, long), const char *a, const char *b, long n, int done) {
  if (!replica_is_on())
    return act(a, b, n);
  replica_put_before();
  char *from = replica_absolute(a), *to = b ? replica_absolute(b) : NULL;
  replica_written_moves(from, to);
  int rc = once(act, a, b, n, done), error = errno;
  if (!rc && done == ENOENT)
    replica_written_moved(from, to);
  replica_written_moves(NULL, NULL);
  free(from);
  free(to);
  errno = error;
  return rc;
}

/* What is said of a file that the program has written: how long it is depends on who asks when. */
int replica_preload_stat(int (*look)(const char *, struct stat *), const char *path, struct stat *to) {
  if (!replica_is_on() || !replica_has_written(path))
    return look(path, to);
  uint64_t value, words[sizeof(*to) / sizeof(uint64_t)];
  replica_put_before();
  if (!replica_door->follow(&value)) {
    int rc = look(path, to), error = errno;
    replica_door->tell(rc ? (uint64_t)error : 0);
    memcpy(words, to, sizeof(words));
    for (size_t i = 0; !rc && i < sizeof(words) / sizeof(*words); i++)
      replica_door->tell(words[i]);
    errno = error;
    return rc;
  }
  int error = (int)value;
  for (size_t i = 0; !error && i < sizeof(words) / sizeof(*words); i++)
    if (!replica_door->follow(&words[i])) /* the main died before it had told all: this one leads, and has no shadow yet to tell */
      return look(path, to);
  if (!error)
    memcpy(to, words, sizeof(words));
  errno = error ? error : errno;
  return error ? -1 : 0;
}

int replica_preload_access(int (*look)(const char *, int), const char *path, int mode) {
  uint64_t value;
  if (!replica_is_on() || !replica_has_written(path))
    return look(path, mode);
  if (!replica_door->follow(&value))
    replica_door->tell(value = look(path, mode) ? (uint64_t)errno : 0);
  errno = value ? (int)value : errno;
  return value ? -1 : 0;
}

void replica_preload_refuse(const char *what, const char *name, const void *place) {
  if (replica_is_on() && !replica_door->forking)
    replica_door->refuse(what, name, place);
}
