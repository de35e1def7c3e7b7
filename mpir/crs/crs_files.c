/* The open descriptors: what they are, where they stand, and whether a restart could make them again. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/sys.h"

#define KCMP_FILE 0
#define MESSAGE_QUEUE_MAGIC 0x19800202
#define NAMESPACE_MAGIC 0x6e736673
#define TIMER_NAPS 2            /* of 1 ms each */
#define TIMER_NAPS_REPEATING 50

static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", NULL};

static const struct {
  const char *link;
  uint32_t kind;
} anonymous[] = {
    {"anon_inode:[eventfd]", MPIR_FILE_EVENTFD},
    {"anon_inode:[timerfd]", MPIR_FILE_TIMERFD},
    {"anon_inode:[eventpoll]", MPIR_FILE_EPOLL},
    {"anon_inode:[signalfd]", MPIR_FILE_SIGNALFD},
    {"anon_inode:inotify", MPIR_FILE_INOTIFY},
    {"anon_inode:[pidfd]", MPIR_FILE_PIDFD},
    {"pipe:[", MPIR_FILE_PIPE},
    {"/memfd:", MPIR_FILE_MEMFD},
};

static bool is_terminal_device(const struct stat *st) {
  unsigned device = major(st->st_rdev);

  return device >= 136 && device <= 143 ? true : device == 4 || device == 5;
}

static bool is_on(int fd, long file_system) {
  struct statfs fs;

  return !sys2(SYS_fstatfs, fd, &fs) && fs.f_type == file_system;
}

/* 0: cannot be restored. */
static uint32_t file_classify(int fd, const char *link, const struct stat *st) {
  for (unsigned i = 0; i < sizeof(anonymous) / sizeof(anonymous[0]); i++)
    if (mpir_plain_starts(link, anonymous[i].link))
      return anonymous[i].kind;
  if (S_ISREG(st->st_mode) && (is_on(fd, NAMESPACE_MAGIC) || is_on(fd, MESSAGE_QUEUE_MAGIC) || mpir_plain_starts(link, "/secretmem")))
    return 0;
  if (S_ISREG(st->st_mode))
    return st->st_nlink ? MPIR_FILE_REGULAR : MPIR_FILE_MEMFD; /* a deleted file lives on in the image */
  if (S_ISDIR(st->st_mode))
    return MPIR_FILE_DIRECTORY;
  for (unsigned i = 0; S_ISCHR(st->st_mode) && devices[i]; i++)
    if (strcmp(link, devices[i]) == 0)
      return MPIR_FILE_DEVICE;
  if (fd > 2 && S_ISFIFO(st->st_mode))
    return MPIR_FILE_PIPE; /* with a name */
  if (fd <= 2 && (S_ISSOCK(st->st_mode) || S_ISFIFO(st->st_mode) || (S_ISCHR(st->st_mode) && is_terminal_device(st))))
    return MPIR_FILE_INHERIT;
  return 0;
}

static void file_refuse(struct crs_dump *d, const struct mpir_image_file *file, const char *what) {
  mpir_plain_add(&d->why, "descriptor ");
  mpir_plain_add_dec(&d->why, file->fd);
  mpir_plain_add(&d->why, ": ");
  mpir_plain_add(&d->why, what);
  mpir_plain_add(&d->why, " '");
  mpir_plain_add(&d->why, d->strings + file->name);
  mpir_plain_add(&d->why, "'\n");
}

/* Whom the kernel signals when there is something to read: "owner: TYPE NUMBER SIGNAL" behind the text of fdinfo. */
static void add_owner(char *text, size_t size, int fd) {
  struct {
    int type, number;
  } owner = {0, 0};
  struct plain_text t = {text, size, strlen(text)};
  long sig = sys3(SYS_fcntl, fd, F_GETSIG, 0);

  if (sys3(SYS_fcntl, fd, F_GETOWN_EX, &owner) || !owner.number)
    return;
  mpir_plain_add(&t, "owner:\t");
  mpir_plain_add_dec(&t, owner.type);
  mpir_plain_add(&t, " ");
  mpir_plain_add_dec(&t, owner.number);
  mpir_plain_add(&t, " ");
  mpir_plain_add_dec(&t, sig > 0 ? sig : 0);
  mpir_plain_add(&t, "\n");
}

/* When a regular file was written last: a restart tells whether it has been since. */
static void add_written(char *text, size_t size, const struct stat *st) {
  struct plain_text t = {text, size, strlen(text)};

  if (!S_ISREG(st->st_mode))
    return;
  mpir_plain_add(&t, "written:\t");
  mpir_plain_add_dec(&t, st->st_mtim.tv_sec * 1000000000ll + st->st_mtim.tv_nsec);
  mpir_plain_add(&t, "\n");
}

static uint32_t file_info(struct crs_dump *d, int fd, const struct stat *st) {
  char path[64];
  struct plain_text t = PLAIN_TEXT(path);

  mpir_plain_add(&t, "/proc/thread-self/fdinfo/");
  mpir_plain_add_dec(&t, fd);
  if (mpir_crs_read_file(path, (char *)d->copy, sizeof(d->copy)) < 0)
    return 0;
  add_owner((char *)d->copy, sizeof(d->copy), fd);
  if (st)
    add_written((char *)d->copy, sizeof(d->copy), st);
  return mpir_dump_string(d, (const char *)d->copy);
}

/* The process itself, or, where they are saved too, a child of it: its number is there at the restart. */
static bool is_known_process(const struct crs_dump *d, const char *number) {
  char path[64], stat[512];
  struct plain_text t = PLAIN_TEXT(path);
  const char *s = number;
  const int64_t pid = s && *s != '-' ? (int64_t)mpir_plain_dec(&s) : 0;

  if (pid == crs.pid)
    return true;
  if (pid <= 0 || !(d->request->flags & CRS_MEMBER))
    return false;
  mpir_plain_add(&t, "/proc/");
  mpir_plain_add_dec(&t, pid);
  mpir_plain_add(&t, "/stat");
  s = mpir_crs_read_file(path, stat, sizeof(stat)) > 0 ? strrchr(stat, ')') : NULL; /* ") S PPID" */
  if (!s || strlen(s) < 5)
    return false;
  s += 4;
  return (int64_t)mpir_plain_dec(&s) == crs.pid;
}

static int add_file(struct crs_dump *d, int fd) {
  struct mpir_image_file *file = &d->files[d->file_count];
  char path[64], link[CRS_PATH_MAX];
  struct plain_text t = PLAIN_TEXT(path);
  struct stat st;
  long n;

  if (d->file_count == DUMP_FILES_MAX)
    return mpir_dump_fail(d, -E2BIG, "too many descriptors");
  mpir_plain_add(&t, "/proc/thread-self/fd/");
  mpir_plain_add_dec(&t, fd);
  n = sys4(SYS_readlinkat, AT_FDCWD, path, link, sizeof(link) - 1);
  if (n < 0 || sys2(SYS_fstat, fd, &st))
    return 0;
  link[n] = '\0';
  memset(file, 0, sizeof(*file));
  file->fd = fd;
  file->same_as = -1;
  file->open_flags = (uint32_t)sys3(SYS_fcntl, fd, F_GETFL, 0);
  file->close_on_exec = (uint32_t)sys3(SYS_fcntl, fd, F_GETFD, 0) & FD_CLOEXEC;
  file->mode = st.st_mode;
  file->size = (uint64_t)st.st_size;
  file->device = st.st_dev;
  file->inode = st.st_ino;
  file->name = mpir_dump_string(d, link);
  file->kind = file_classify(fd, link, &st);
  if ((file->open_flags & O_PATH) && st.st_nlink && *link == '/') /* a place, whatever stands there; it is not opened */
    file->kind = MPIR_FILE_DEVICE;
  if (!file->kind && S_ISREG(st.st_mode) && is_on(fd, MESSAGE_QUEUE_MAGIC))
    file->kind = mpir_dump_queue(d, file, &st);
  n = sys3(SYS_lseek, fd, 0, SEEK_CUR);
  file->position = n < 0 ? 0 : (uint64_t)n;
  file->info = file_info(d, fd, &st);
  if (file->kind == MPIR_FILE_PIDFD && !is_known_process(d, mpir_plain_line(d->strings + file->info, "Pid:")))
    file->kind = 0;
  if (file->kind == MPIR_FILE_PIPE)
    file->capacity = (uint64_t)sys3(SYS_fcntl, fd, F_GETPIPE_SZ, 0);
  else if (file->kind == MPIR_FILE_MEMFD)
    file->capacity = (uint64_t)sys3(SYS_fcntl, fd, F_GET_SEALS, 0);
  else if (file->kind == MPIR_FILE_REGULAR && !(file->open_flags & O_PATH))
    file->capacity = mpir_dump_keeps_file(d, link, file->size) ? MPIR_FILE_KEPT : 0;
  d->file_count++;
  return 0;
}

/* A timer that shows neither time left nor expiries is disarmed, or has expired and the kernel is not yet there to count it. */
static bool timer_rests(const struct crs_dump *d, const struct mpir_image_file *file, bool *repeats) {
  const char *info = d->strings + file->info, *interval = mpir_plain_line(info, "it_interval:");
  const char *ticks = mpir_plain_line(info, "ticks:"), *value = mpir_plain_line(info, "it_value:");

  *repeats = interval && !mpir_plain_starts(interval, "(0, 0)");
  return file->kind == MPIR_FILE_TIMERFD && value && mpir_plain_starts(value, "(0, 0)") && ticks && !mpir_plain_dec(&ticks);
}

/* The interrupt may be late, on a virtual machine by milliseconds.  Few programs leave an interval in a timer that they disarm, so those
 * are looked at longest. */
static void settle_timers(struct crs_dump *d) {
  static const struct {
    long sec, nsec;
  } nap = {0, 1000000};
  bool again = true, repeats;

  for (unsigned round = 0; again; round++) {
    again = false;
    for (unsigned i = 0; i < d->file_count; i++) {
      struct mpir_image_file *file = &d->files[i];

      if (!timer_rests(d, file, &repeats))
        continue;
      if (round)
        file->info = file_info(d, file->fd, NULL);
      again = again || round < (repeats ? TIMER_NAPS_REPEATING : TIMER_NAPS);
    }
    if (again)
      sys2(SYS_nanosleep, &nap, NULL);
  }
}

/* Descriptors of one open file description, found by the kernel's own comparison. */
static void find_duplicates(struct crs_dump *d) {
  for (unsigned i = 1; i < d->file_count; i++)
    for (unsigned k = 0; k < i && d->files[i].same_as < 0; k++) {
      const struct mpir_image_file *a = &d->files[k], *b = &d->files[i];

      if (a->same_as < 0 && a->inode == b->inode && a->device == b->device &&
          sys5(SYS_kcmp, crs.pid, crs.pid, KCMP_FILE, a->fd, b->fd) == 0)
        d->files[i].same_as = (int32_t)k;
    }
}

static bool pipe_has_end(const struct crs_dump *d, uint64_t inode, uint32_t access) {
  for (unsigned i = 0; i < d->file_count; i++) {
    uint32_t have = d->files[i].open_flags & O_ACCMODE;

    if (d->files[i].inode == inode && (have == access || have == O_RDWR) && S_ISFIFO(d->files[i].mode))
      return true;
  }
  return false;
}

/* Reads the copy of a pipe; each read gives one packet where the pipe keeps them apart, else all. */
static int pipe_read(struct crs_dump *d, unsigned index, int from, long size) {
  long got = 0;

  while (got < size) {
    const long step = sys3(SYS_read, from, d->pipes + d->pipes_len, size - got);

    if (step <= 0)
      return mpir_dump_fail(d, -EIO, "cannot copy a pipe's content");
    if (d->pipe_count == DUMP_PIPE_PIECES_MAX)
      return mpir_dump_fail(d, -E2BIG, "too many packets in pipes");
    d->pipe_contents[d->pipe_count++] = (struct dump_pipe){index, d->pipes_len, (uint32_t)step};
    d->pipes_len += (uint32_t)step;
    got += step;
  }
  return 0;
}

/* Copies what stands in a pipe without taking it out. */
static int pipe_content(struct crs_dump *d, unsigned index) {
  const struct mpir_image_file *file = &d->files[index];
  int waiting = 0, side[2], rc;

  sys3(SYS_ioctl, file->fd, FIONREAD, &waiting);
  if (waiting <= 0)
    return 0;
  if (d->pipes_len + (unsigned)waiting > sizeof(d->pipes))
    return mpir_dump_fail(d, -E2BIG, "too much data in pipes");
  if (sys2(SYS_pipe2, side, O_CLOEXEC | O_NONBLOCK))
    return mpir_dump_fail(d, -EMFILE, "no descriptor is free to read a pipe's content");
  sys3(SYS_fcntl, side[1], F_SETPIPE_SZ, file->capacity);
  rc = sys4(SYS_tee, file->fd, side[1], waiting, 2 /* SPLICE_F_NONBLOCK */) == waiting
           ? pipe_read(d, index, side[0], waiting)
           : mpir_dump_fail(d, -EIO, "cannot copy a pipe's content");
  sys1(SYS_close, side[0]);
  sys1(SYS_close, side[1]);
  return rc;
}

/* Of a small file that is to be kept: as of a pipe. */
static void small_content(struct crs_dump *d, unsigned index) {
  struct mpir_image_file *file = &d->files[index];
  char path[64];
  struct plain_text t = PLAIN_TEXT(path);
  const bool is_own = (file->open_flags & O_ACCMODE) != O_WRONLY;
  int fd;

  if (dump_is_copied_later(d, file))
    return;
  if (d->pipes_len + file->size > sizeof(d->pipes) || d->pipe_count == DUMP_PIPE_PIECES_MAX ||
      (!is_own && sys3(SYS_fcntl, file->fd, F_GETLEASE, 0) != F_UNLCK)) {
    file->capacity = 0;
    return;
  }
  if (is_own) { /* opening it anew would break a lease */
    fd = file->fd;
  } else {
    mpir_plain_add(&t, "/proc/thread-self/fd/");
    mpir_plain_add_dec(&t, file->fd);
    fd = (int)sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  }
  if (fd < 0 || (file->size && sys4(SYS_pread64, fd, d->pipes + d->pipes_len, file->size, 0) != (long)file->size)) {
    file->capacity = 0;
  } else if (file->size) {
    d->pipe_contents[d->pipe_count++] = (struct dump_pipe){index, d->pipes_len, (uint32_t)file->size};
    d->pipes_len += (uint32_t)file->size;
  }
  if (!is_own)
    sys1(SYS_close, fd);
}

static bool is_standard_object(const struct crs_dump *d, const struct mpir_image_file *file) {
  for (unsigned i = 0; i < d->file_count && d->files[i].fd <= 2; i++)
    if (d->files[i].inode == file->inode && d->files[i].device == file->device)
      return true;
  return false;
}

/* A pipe whose other end nobody has any more: what stands in it, then its end. */
static bool pipe_is_dead(const struct mpir_image_file *file) {
  struct pollfd poll = {.fd = file->fd, .events = 0};
  static const struct {
    long sec, nsec;
  } now = {0, 0};
  const bool reads = (file->open_flags & O_ACCMODE) == O_RDONLY;

  if (sys5(SYS_ppoll, &poll, 1, &now, NULL, 8) != 1)
    return false;
  return reads ? poll.revents & POLLHUP : file->fd > 2 && (poll.revents & POLLERR); /* a new reader may come for a standard stream */
}

/* Opened again by its name, as others will who want to talk with us. */
static bool is_named(const struct crs_dump *d, const struct mpir_image_file *file) {
  struct stat st;

  return file->kind == MPIR_FILE_PIPE && d->strings[file->name] == '/' && !sys2(SYS_stat, d->strings + file->name, &st) &&
         st.st_ino == file->inode && st.st_dev == file->device;
}

/* A pipe with both ends here is ours; one that leads out is left to the restarting command if it is a standard stream
 * (or the same object as one), else refused. */
static void settle_outside(struct crs_dump *d, unsigned *refused) {
  for (unsigned i = 0; i < d->file_count; i++) {
    struct mpir_image_file *file = &d->files[i];
    const uint32_t object = mpir_dump_object(d, S_ISSOCK(file->mode) ? 0 : file->device, file->inode);
    const char *socket = NULL;
    bool inside = file->kind == MPIR_FILE_PIPE &&
                  ((object & CRS_OBJECT_INSIDE) || (pipe_has_end(d, file->inode, O_RDONLY) && pipe_has_end(d, file->inode, O_WRONLY)) ||
                   is_named(d, file) || pipe_is_dead(file));

    if (inside || (file->kind && file->kind != MPIR_FILE_PIPE && !S_ISSOCK(file->mode)))
      continue;
    if (S_ISSOCK(file->mode)) {
      socket = mpir_dump_socket(d, file);
      if (!socket)
        continue;
    }
    if ((object & CRS_OBJECT_STANDARD) || is_standard_object(d, file)) {
      file->kind = MPIR_FILE_INHERIT;
      continue;
    }
    if (!(d->request->flags & CRS_IGNORE_FILES)) {
      file_refuse(d, file,
                  socket                         ? socket
                  : file->kind == MPIR_FILE_PIPE ? "the pipe's other end is in a process that is not saved:"
                                                 : "cannot be restored:");
      ++*refused;
    } else {
      mpir_dump_notice(d, file->fd, "left out:", d->strings + file->name);
    }
    file->kind = 0;
  }
}

static int list_files(struct crs_dump *d) {
  int dir = (int)sys4(SYS_openat, AT_FDCWD, "/proc/thread-self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  char buf[8192];
  int rc = 0;
  long n;

  if (dir < 0)
    return mpir_dump_fail(d, dir, "cannot read /proc/thread-self/fd");
  while (!rc && (n = sys3(SYS_getdents64, dir, buf, sizeof(buf))) > 0) {
    for (long at = 0; at < n && !rc;) {
      const char *name = buf + at + 19;
      unsigned short length;
      int fd;

      memcpy(&length, buf + at + 16, 2);
      at += length;
      if (*name < '0' || *name > '9')
        continue;
      fd = (int)mpir_plain_dec(&name);
      if (fd != dir && !mpir_dump_owns_fd(d, fd))
        rc = add_file(d, fd);
    }
  }
  sys1(SYS_close, dir);
  return rc;
}

int mpir_dump_files(struct crs_dump *d) {
  unsigned refused = 0, kept = 0;
  int rc = list_files(d);

  if (rc)
    return rc;
  settle_outside(d, &refused);
  if (refused)
    return -EOPNOTSUPP;
  for (unsigned i = 0; i < d->file_count; i++) /* those without a kind are left out */
    if (d->files[i].kind)
      d->files[kept++] = d->files[i];
  d->file_count = kept;
  settle_timers(d);
  find_duplicates(d);
  rc = mpir_dump_epolls(d);
  if (!rc)
    rc = mpir_dump_inotify(d);
  for (unsigned i = 0; i < d->file_count && !rc; i++) {
    const struct mpir_image_file *file = &d->files[i];
    bool first = true;

    if (file->kind == MPIR_FILE_SOCKET && file->same_as < 0 && !mpir_dump_is_others(d, 0, file->inode))
      rc = mpir_dump_socket_content(d, i);
    if (!rc && file->kind == MPIR_FILE_QUEUE)
      rc = mpir_dump_queue_content(d, i);
    if (!rc && file->kind == MPIR_FILE_REGULAR && file->capacity && file->same_as < 0)
      small_content(d, i);
    if (file->kind != MPIR_FILE_PIPE || (file->open_flags & O_ACCMODE) == O_WRONLY || mpir_dump_is_others(d, file->device, file->inode))
      continue;
    for (unsigned k = 0; k < d->pipe_count; k++)
      first = first && d->files[d->pipe_contents[k].file].inode != file->inode;
    rc = first ? pipe_content(d, i) : 0;
  }
  return rc;
}
