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

enum { LOOKED_BYTES = 256 };
_Static_assert(sizeof(struct stat) <= LOOKED_BYTES && sizeof(struct statx) <= LOOKED_BYTES, "what is told of a file");
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

static bool is_of_system(const char *path) {
  return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5);
}

/* The program asks for it, as far as this thread's questions are in the log, or has written it. */
static bool is_asked(const char *path, const void *place) {
  return (replica_is_asked(place) && !is_of_system(path)) || replica_has_written(path);
}

/* Whether it is there, the main says: the program may be about to make it. */
static int open_to_read(int folder, const char *path, int flags, const void *place) {
  const bool has_name = folder == AT_FDCWD || *path == '/';
  uint64_t value;
  if (has_name && !(flags & (O_DIRECTORY | O_PATH)) && replica_has_written(path))
    return replica_read_open(folder, path, flags);
  if (!has_name || !is_asked(path, place))
    return replica_sys_open(folder, path, flags, 0);
  if (replica_door->follow(&value)) {
    errno = (int)value;
    return value ? -1 : replica_sys_open(folder, path, flags, 0);
  }
  int fd = replica_sys_open(folder, path, flags, 0), error = errno;
  replica_door->tell(fd < 0 ? (uint64_t)error : 0);
  errno = error;
  return fd;
}

static int open_either(int folder, const char *path, int flags, mode_t mode, const void *place) {
  bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (!replica_is_on() || is_of_system(path) || (writes && is_device(path))) {
    int fd = replica_sys_open(folder, path, flags, mode);
    if (!strncmp(path, "/dev/", 5))
      replica_random_is(fd);
    return fd;
  }
  if (!writes)
    return open_to_read(folder, path, flags, place);
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

/* What is said of a file depends on who asks when: the program may be about to make it. */
int replica_preload_look(replica_look *look, const char *path, void *to, size_t size, long how, const void *place) {
  uint64_t value, words[LOOKED_BYTES / sizeof(uint64_t)];
  const size_t n = size / sizeof(*words);
  if (!replica_is_on() || !is_asked(path, place))
    return look(path, to, how);
  if (replica_has_written(path))
    replica_put_before();
  if (!replica_door->follow(&value)) {
    int rc = look(path, to, how), error = errno;
    replica_door->tell(rc ? (uint64_t)error : 0);
    if (!rc && size)
      memcpy(words, to, size);
    for (size_t i = 0; !rc && i < n; i++)
      replica_door->tell(words[i]);
    errno = error;
    return rc;
  }
  int error = (int)value;
  for (size_t i = 0; !error && i < n; i++)
    if (!replica_door->follow(&words[i])) /* the main died before it had told all: this one leads, and has no shadow yet to tell */
      return look(path, to, how);
  if (!error && size)
    memcpy(to, words, size);
  errno = error ? error : errno;
  return error ? -1 : 0;
}

void replica_preload_refuse(const char *what, const char *name, const void *place) {
  if (replica_is_on() && !replica_door->forking)
    replica_door->refuse(what, name, place);
}
