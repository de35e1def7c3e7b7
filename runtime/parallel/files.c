/* Files by number, and calls on names of files: in the sequential part rank 0 makes them for all, the others have numbers that lead nowhere. */
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/output.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/stream.h"
#include "runtime/parallel/texts.h"
#include "runtime/export.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int told(int used, int result) {
  if (used && dvmp_stream_one())
    dvmp_stream_share(&result, sizeof(result));
  return result;
}

/* ---- opening --------------------------------------------------------------------------------------------------------------------- */

/* What is only read may be mapped into memory, too: it is opened where it is. */
static int open_beside(const char *name, int flags) {
  int kept = errno, fd = -1;
  if (name && (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY)
    fd = open(name, flags);
  if (fd < 0)
    fd = open("/dev/null", O_RDWR | (flags & O_CLOEXEC));
  errno = kept;
  return fd;
}

/* 'fd' of rank 0: what the others have for it. */
static int share_file(int fd, const char *name, int flags) {
  bool is_open = fd >= 0;
  dvmp_stream_share(&is_open, sizeof(is_open));
  if (!is_open)
    return -1;
  if (!dvmp_job_first())
    fd = open_beside(name, flags);
  dvmp_stream_opened(fd);
  return fd;
}

DVMRT_EXPORT int __dvmp_open(const char *name, int flags, ...);
int __dvmp_open(const char *name, int flags, ...) {
  DVMP_PROFILE_IO;
  va_list args;
  va_start(args, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
  va_end(args);
  if (!dvmp_stream_one())
    return open(name, flags, mode);
  return share_file(!dvmp_job_first() ? -1 : open(name, flags, mode), name, flags);
}

DVMRT_EXPORT int __dvmp_creat(const char *name, mode_t mode);
int __dvmp_creat(const char *name, mode_t mode) { return __dvmp_open(name, O_CREAT | O_WRONLY | O_TRUNC, mode); }

DVMRT_EXPORT int __dvmp_mkstemp(char *name);
int __dvmp_mkstemp(char *name) {
  DVMP_PROFILE_IO;
  if (!dvmp_stream_one())
    return mkstemp(name);
  int fd = share_file(!dvmp_job_first() ? -1 : mkstemp(name), NULL, O_RDWR);
  dvmp_stream_spread(name, strlen(name) + 1);
  return fd;
}

DVMRT_EXPORT char *__dvmp_mkdtemp(char *name);
char *__dvmp_mkdtemp(char *name) {
  DVMP_PROFILE_IO;
  if (!dvmp_stream_one())
    return mkdtemp(name);
  bool is_made = dvmp_job_first() && mkdtemp(name);
  dvmp_stream_share(&is_made, sizeof(is_made));
  dvmp_stream_spread(name, strlen(name) + 1);
  return is_made ? name : NULL;
}

DVMRT_EXPORT int __dvmp_close(int used, int fd);
int __dvmp_close(int used, int fd) {
  DVMP_PROFILE_IO;
  return told(used, close(fd));
}

/* ---- reading and writing --------------------------------------------------------------------------------------------------------- */

static void need(int fd, const char *what) {
  if (fd > STDERR_FILENO)
    dvmp_stream_need_number(fd, what);
}

DVMRT_EXPORT ssize_t __dvmp_pread(int fd, void *p, size_t n, off_t at);
DVMRT_EXPORT ssize_t __dvmp_read_file(int fd, void *p, size_t n);

static ssize_t take(int fd, void *p, size_t n, const off_t *at) { return at ? pread(fd, p, n, *at) : read(fd, p, n); }

static ssize_t take_for_all(int fd, void *p, size_t n, const off_t *at) {
  DVMP_PROFILE_IO;
  need(fd, "read");
  if (!dvmp_stream_one())
    return take(fd, p, n, at);
  ssize_t result = !dvmp_job_first() ? 0 : take(fd, p, n, at);
  dvmp_stream_share(&result, sizeof(result));
  if (result > 0)
    dvmp_stream_spread(p, (size_t)result);
  return result;
}

ssize_t __dvmp_read_file(int fd, void *p, size_t n) { return take_for_all(fd, p, n, NULL); }
ssize_t __dvmp_pread(int fd, void *p, size_t n, off_t at) { return take_for_all(fd, p, n, &at); }

DVMRT_EXPORT ssize_t __dvmp_pwrite(int used, int fd, const void *p, size_t n, off_t at);
DVMRT_EXPORT ssize_t __dvmp_write(int used, int fd, const void *p, size_t n);

static ssize_t put(int fd, const void *p, size_t n, const off_t *at) { return at ? pwrite(fd, p, n, *at) : write(fd, p, n); }

static ssize_t put_for_all(int used, int fd, const void *p, size_t n, const off_t *at) {
  DVMP_PROFILE_IO;
  need(fd, "write");
  if (dvmp_job.edges)
    return (ssize_t)n;
  if (!dvmp_stream_one())
    return put(fd, p, n, at);
  void *copy = dvmp_stream_collect(p, n);
  ssize_t result = !dvmp_job_first() ? 0 : put(fd, copy ? copy : p, n, at);
  free(copy);
  if (used)
    dvmp_stream_share(&result, sizeof(result));
  return result;
}

ssize_t __dvmp_write(int used, int fd, const void *p, size_t n) { return put_for_all(used, fd, p, n, NULL); }
ssize_t __dvmp_pwrite(int used, int fd, const void *p, size_t n, off_t at) { return put_for_all(used, fd, p, n, &at); }

DVMRT_EXPORT int __dvmp_vdprintf(int used, int fd, const char *format, va_list args) __attribute__((format(printf, 3, 0)));
int __dvmp_vdprintf(int used, int fd, const char *format, va_list args) {
  DVMP_PROFILE_IO;
  struct dvmp_texts texts;
  need(fd, "dprintf");
  if (dvmp_job.edges)
    return 0;
  if (!dvmp_stream_one())
    return vdprintf(fd, format, args);
  dvmp_texts_collect(&texts, format, args);
  int result = !dvmp_job_first() ? 0 : vdprintf(fd, format, args);
  dvmp_texts_free(&texts);
  return told(used, result);
}

DVMRT_EXPORT int __dvmp_dprintf(int used, int fd, const char *format, ...) __attribute__((format(printf, 3, 4)));
int __dvmp_dprintf(int used, int fd, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int result = __dvmp_vdprintf(used, fd, format, args);
  va_end(args);
  return result;
}

DVMRT_EXPORT off_t __dvmp_lseek(int fd, off_t at, int from);
off_t __dvmp_lseek(int fd, off_t at, int from) {
  DVMP_PROFILE_IO;
  need(fd, "lseek");
  if (!dvmp_stream_one())
    return lseek(fd, at, from);
  off_t result = !dvmp_job_first() ? 0 : lseek(fd, at, from);
  dvmp_stream_share(&result, sizeof(result));
  return result;
}

/* ---- what rank 0 does once, or finds ---------------------------------------------------------------------------------------------- */

/* Nothing is told where the program does not look at the result. */
#define ONCE(NAME, PARAMS, ARGS)                                                                                                           \
  DVMRT_EXPORT int __dvmp_##NAME PARAMS;                                                                                                   \
  int __dvmp_##NAME PARAMS {                                                                                                               \
    DVMP_PROFILE_IO;                                                                                                                       \
    return told(used, dvmp_stream_one() && !dvmp_job_first() ? 0 : NAME ARGS);                                                             \
  }
ONCE(mkdir, (int used, const char *name, mode_t mode), (name, mode))
ONCE(rmdir, (int used, const char *name), (name))
ONCE(link, (int used, const char *from, const char *to), (from, to))
ONCE(symlink, (int used, const char *from, const char *to), (from, to))
ONCE(chmod, (int used, const char *name, mode_t mode), (name, mode))
ONCE(truncate, (int used, const char *name, off_t n), (name, n))
ONCE(ftruncate, (int used, int fd, off_t n), (fd, n))
ONCE(fsync, (int used, int fd), (fd))
ONCE(access, (int used, const char *name, int how), (name, how))
ONCE(isatty, (int used, int fd), (fd))

#define FINDS(NAME, TYPE)                                                                                                                  \
  DVMRT_EXPORT int __dvmp_##NAME(TYPE of, struct stat *s);                                                                                 \
  int __dvmp_##NAME(TYPE of, struct stat *s) {                                                                                             \
    DVMP_PROFILE_IO;                                                                                                                       \
    if (!dvmp_stream_one())                                                                                                                \
      return NAME(of, s);                                                                                                                  \
    int result = !dvmp_job_first() ? 0 : NAME(of, s);                                                                                      \
    dvmp_stream_share(&result, sizeof(result));                                                                                            \
    if (!result)                                                                                                                           \
      dvmp_stream_spread(s, sizeof(*s));                                                                                                   \
    return result;                                                                                                                         \
  }
FINDS(stat, const char *)
FINDS(lstat, const char *)
FINDS(fstat, int)
