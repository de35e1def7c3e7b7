/* The calls of libc that libdvmreplica takes over. */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mpir/replica/preload.h"
#include "mpir/replica/preload_private.h"
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#pragma clang diagnostic ignored "-Wreserved-identifier"

#define PLACE __builtin_return_address(0)
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static mode_t mode_of(int flags, va_list more) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; }

#define OPEN(name)                                                                                                                         \
  int name(const char *path, int flags, ...) {                                                                                             \
    va_list more;                                                                                                                          \
    va_start(more, flags);                                                                                                                 \
    mode_t mode = mode_of(flags, more);                                                                                                    \
    va_end(more);                                                                                                                          \
    return replica_preload_open(AT_FDCWD, path, flags, mode, PLACE);                                                                       \
  }
#define OPENAT(name)                                                                                                                       \
  int name(int folder, const char *path, int flags, ...) {                                                                                 \
    va_list more;                                                                                                                          \
    va_start(more, flags);                                                                                                                 \
    mode_t mode = mode_of(flags, more);                                                                                                    \
    va_end(more);                                                                                                                          \
    return replica_preload_open(folder, path, flags, mode, PLACE);                                                                         \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* As code that was compiled with _FORTIFY_SOURCE calls them: never with a mode. */
int __open_2(const char *path, int flags) { return replica_preload_open(AT_FDCWD, path, flags, 0, PLACE); }
int __open64_2(const char *path, int flags) { return replica_preload_open(AT_FDCWD, path, flags, 0, PLACE); }
int __openat_2(int folder, const char *path, int flags) { return replica_preload_open(folder, path, flags, 0, PLACE); }
int __openat64_2(int folder, const char *path, int flags) { return replica_preload_open(folder, path, flags, 0, PLACE); }

int creat(const char *path, mode_t mode) { return replica_preload_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode, PLACE); }
int creat64(const char *path, mode_t mode) { return replica_preload_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode, PLACE); }

static FILE *open_stream(const char *path, const char *mode, const void *place) {
  int access = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
  int flags = access | (*mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT | O_APPEND : 0);
  flags |= (strchr(mode, 'x') ? O_EXCL : 0) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
  int fd = replica_preload_open(AT_FDCWD, path, flags, 0666, place);
  if (fd < 0)
    return NULL;
  FILE *f = !strncmp(path, "/dev/", 5) && replica_random_is(fd) ? replica_random_stream(fd, mode) : fdopen(fd, mode);
  if (!f)
    close(fd);
  return f;
}

FILE *fopen(const char *path, const char *mode) { return open_stream(path, mode, PLACE); }
FILE *fopen64(const char *path, const char *mode) { return open_stream(path, mode, PLACE); }

/* In place of the stream's own file; libc's opens what it is given by itself. */
static FILE *open_stream_again(FILE *(*next)(const char *, const char *, FILE *), const char *path, const char *mode, FILE *f,
                               const void *place) {
  FILE *new = path &&replica_preload_watches(path) ? open_stream(path, mode, place) : NULL;
  if (!path || !replica_preload_watches(path))
    return next(path, mode, f);
  f = next("/dev/null", mode, f);
  if (new && f)
    dup2(fileno(new), fileno(f));
  if (new)
    fclose(new);
  else if (f)
    fclose(f);
  return new ? f : NULL;
}

FILE *freopen(const char *path, const char *mode, FILE *f) { return open_stream_again(NEXT(freopen), path, mode, f, PLACE); }
FILE *freopen64(const char *path, const char *mode, FILE *f) { return open_stream_again(NEXT(freopen64), path, mode, f, PLACE); }

/* --- questions --- */

static int sys_stat(const char *path, void *to, long flags) { return (int)syscall(SYS_newfstatat, AT_FDCWD, path, to, flags); }
static int sys_access(const char *path, void *unused, long mode) {
  (void)unused;
  return (int)syscall(SYS_access, path, mode);
}
/* 'how': flags, and the mask above them. */
static int sys_statx(const char *path, void *to, long how) {
  return (int)syscall(SYS_statx, AT_FDCWD, path, how & 0xffffffff, (unsigned long)how >> 32, to);
}

static int look_at(const char *path, struct stat *to, int flags, const void *place) {
  return replica_preload_look(sys_stat, path, to, sizeof(*to), flags, place);
}

int stat(const char *path, struct stat *to) { return look_at(path, to, 0, PLACE); }
int stat64(const char *path, struct stat64 *to) { return look_at(path, (struct stat *)to, 0, PLACE); }
int lstat(const char *path, struct stat *to) { return look_at(path, to, AT_SYMLINK_NOFOLLOW, PLACE); }
int lstat64(const char *path, struct stat64 *to) { return look_at(path, (struct stat *)to, AT_SYMLINK_NOFOLLOW, PLACE); }

/* As programs call them that were linked with libc before 2.33. */
#define OLD(name, type, flags)                                                                                                             \
  int name(int version, const char *path, type *to) {                                                                                      \
    (void)version;                                                                                                                         \
    return look_at(path, (struct stat *)to, flags, PLACE);                                                                                 \
  }
OLD(__xstat, struct stat, 0)
OLD(__xstat64, struct stat64, 0)
OLD(__lxstat, struct stat, AT_SYMLINK_NOFOLLOW)
OLD(__lxstat64, struct stat64, AT_SYMLINK_NOFOLLOW)

/* Of a name that means the same everywhere. */
static bool has_name(int folder, const char *path, int flags) {
  return *path && !(flags & AT_EMPTY_PATH) && (folder == AT_FDCWD || *path == '/');
}

static int look_below(int folder, const char *path, struct stat *to, int flags, const void *place) {
  return has_name(folder, path, flags) ? look_at(path, to, flags, place) : (int)syscall(SYS_newfstatat, folder, path, to, flags);
}
int fstatat(int folder, const char *path, struct stat *to, int flags) { return look_below(folder, path, to, flags, PLACE); }
int fstatat64(int folder, const char *path, struct stat64 *to, int flags) {
  return look_below(folder, path, (struct stat *)to, flags, PLACE);
}
int __fxstatat(int version, int folder, const char *path, struct stat *to, int flags) {
  (void)version;
  return look_below(folder, path, to, flags, PLACE);
}
int __fxstatat64(int version, int folder, const char *path, struct stat64 *to, int flags) {
  (void)version;
  return look_below(folder, path, (struct stat *)to, flags, PLACE);
}
int statx(int folder, const char *path, int flags, unsigned mask, struct statx *to) {
  if (!has_name(folder, path, flags))
    return (int)syscall(SYS_statx, folder, path, flags, mask, to);
  return replica_preload_look(sys_statx, path, to, sizeof(*to), (long)((unsigned long)mask << 32 | (unsigned)flags), PLACE);
}

int access(const char *path, int mode) { return replica_preload_look(sys_access, path, NULL, 0, mode, PLACE); }
int faccessat(int folder, const char *path, int mode, int flags) {
  if (flags || !has_name(folder, path, 0))
    return NEXT(faccessat)(folder, path, mode, flags);
  return replica_preload_look(sys_access, path, NULL, 0, mode, PLACE);
}

/* --- on different hosts a file is in place when it is closed or flushed --- */

/* Called often, and at places where dlsym(3) may not be. */
#define PASS_ON(name, fd)                                                                                                                  \
  static __typeof__(&name) next;                                                                                                           \
  if (!next)                                                                                                                               \
    next = NEXT(name);                                                                                                                     \
  return next(fd)
static int close_next(int fd) { PASS_ON(close, fd); }

int close(int fd) {
  const bool counts = replica_put_closes(fd);
  int rc = close_next(fd);
  if (counts)
    replica_put_closed();
  return rc;
}

int fclose(FILE *f) {
  const bool counts = replica_put_closes(fileno(f));
  int rc = NEXT(fclose)(f);
  if (counts)
    replica_put_closed();
  return rc;
}

int fflush(FILE *f) {
  int rc = NEXT(fflush)(f), fd = f ? fileno(f) : -1;
  if (!f || fd >= 0)
    replica_put_flushed(fd);
  return rc;
}

int fsync(int fd) {
  replica_put_flushed(fd);
  PASS_ON(fsync, fd);
}

int fdatasync(int fd) {
  replica_put_flushed(fd);
  PASS_ON(fdatasync, fd);
}

#define ONCE(name, done, act, ...)                                                                                                         \
  static int do_##name(const char *a, const char *b, long n) {                                                                             \
    (void)a, (void)b, (void)n;                                                                                                             \
    return act;                                                                                                                            \
  }                                                                                                                                        \
  int name(__VA_ARGS__)
ONCE(unlink, ENOENT, (int)syscall(SYS_unlink, a), const char *path) { return replica_preload_once(do_unlink, path, NULL, 0, ENOENT); }
ONCE(rmdir, ENOENT, (int)syscall(SYS_rmdir, a), const char *path) { return replica_preload_once(do_rmdir, path, NULL, 0, ENOENT); }
ONCE(rename, ENOENT, (int)syscall(SYS_rename, a, b), const char *from, const char *to) {
  return replica_preload_once(do_rename, from, to, 0, ENOENT);
}
ONCE(mkdir, EEXIST, (int)syscall(SYS_mkdir, a, n), const char *path, mode_t mode) {
  return replica_preload_once(do_mkdir, path, NULL, mode, EEXIST);
}
ONCE(symlink, EEXIST, (int)syscall(SYS_symlink, a, b), const char *to, const char *path) {
  return replica_preload_once(do_symlink, to, path, 0, EEXIST);
}
ONCE(link, EEXIST, (int)syscall(SYS_link, a, b), const char *from, const char *to) {
  return replica_preload_once(do_link, from, to, 0, EEXIST);
}
ONCE(truncate, 0, (int)syscall(SYS_truncate, a, n), const char *path, off_t size) {
  return replica_preload_once(do_truncate, path, NULL, size, 0);
}
int remove(const char *path) {
  struct stat s;
  return !look_at(path, &s, 0, PLACE) && S_ISDIR(s.st_mode) ? rmdir(path) : unlink(path);
}

/* --- what cannot be done twice --- */

int socket(int family, int type, int protocol) {
  replica_preload_refuse("socket", "", PLACE);
  return (int)syscall(SYS_socket, family, type, protocol);
}

pid_t fork(void) {
  replica_preload_refuse("fork", "", PLACE);
  return NEXT(fork)();
}

pid_t vfork(void) {
  replica_preload_refuse("vfork", "", PLACE);
  return NEXT(fork)(); /* a wrapper's frame would be gone in the child of a vfork */
}

/* What is written there would be seen nowhere: no call tells of it. */
static void refuse_mapping(int protection, int flags, int fd, const void *place) {
  if (fd >= 0 && flags & MAP_SHARED && protection & PROT_WRITE && replica_written_is(fd))
    replica_preload_refuse("a file that is mapped for writing", "", place);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  refuse_mapping(protection, flags, fd, PLACE);
  return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}
void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  refuse_mapping(protection, flags, fd, PLACE);
  return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

int msgsnd(int queue, const void *message, size_t size, int flags) {
  replica_preload_refuse("msgsnd", "", PLACE);
  return NEXT(msgsnd)(queue, message, size, flags);
}

int system(const char *command) {
  replica_preload_refuse("system", command ? command : "", PLACE);
  return NEXT(system)(command);
}

FILE *popen(const char *command, const char *mode) {
  replica_preload_refuse("popen", command, PLACE);
  return NEXT(popen)(command, mode);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                char *const argv[], char *const envp[]) {
  replica_preload_refuse("posix_spawn", path, PLACE);
  return NEXT(posix_spawn)(pid, path, actions, attributes, argv, envp);
}
