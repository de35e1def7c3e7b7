/* The descriptors of the image, made again in the process that will become the saved one. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "mpir/image/codec.h"
#include "mpir/restart/restart_private.h"
#include "mpir/restart/restart_sockets.h"

#ifndef TFD_IOC_SET_TICKS /* linux/timerfd.h, which clashes with sys/timerfd.h */
#define TFD_IOC_SET_TICKS _IOW('T', 0, uint64_t)
#endif
#define STATUS_FLAGS (O_APPEND | O_NONBLOCK | O_ASYNC | O_DIRECT | O_NOATIME)

struct maker {
  const struct mpir_image *image;
  const struct mpir_restart_options *options;
  struct restart_fds *fds;
  struct dvm_error *err;
};

typedef int (*make_f)(struct maker *m, size_t index); /* returns a descriptor or -E... with the text set */

static const char *file_name(const struct maker *m, const struct mpir_image_file *f) { return mpir_image_string(m->image, f->name); }

/* The value of a line of the saved /proc/PID/fdinfo text, or NULL. */
static const char *info_line(const struct maker *m, const struct mpir_image_file *f, const char *label) {
  const char *s = mpir_image_string(m->image, f->info);

  for (; s && *s; s = strchr(s, '\n')) {
    s += *s == '\n';
    if (strncmp(s, label, strlen(label)) == 0)
      return s + strlen(label);
  }
  return NULL;
}

static int fail_file(struct maker *m, const struct mpir_image_file *f, const char *what) {
  return dvm_error_errno(m->err, "descriptor %d: cannot %s '%s'", f->fd, what, file_name(m, f));
}

int mpir_restart_raise(const struct restart_fds *fds, int fd) {
  int high = fcntl(fd, F_DUPFD_CLOEXEC, fds->base);

  if (high < 0)
    return -errno;
  close(fd);
  return high;
}

int mpir_restart_content(const struct mpir_image *image, size_t index, int fd, bool at_offset) {
  void *space = malloc(MPIR_EXTENT_MAX);
  int rc = space ? 0 : -ENOMEM;

  for (size_t i = 0; i < image->extent_count && !rc; i++) {
    const struct mpir_image_extent *e = &image->extents[i];
    const char *content = e->file == (int64_t)index ? mpir_codec_expand(e, image->data + e->file_offset, space) : NULL;

    if (e->file != (int64_t)index)
      continue;
    for (uint64_t done = 0; content && done < e->length && !rc;) {
      ssize_t n = at_offset ? pwrite(fd, content + done, e->length - done, (off_t)(e->address + done))
                            : write(fd, content + done, e->length - done);

      if (n <= 0)
        rc = n ? -errno : -EIO;
      else
        done += (uint64_t)n;
    }
    if (!content)
      rc = -EBADMSG;
  }
  free(space);
  return rc;
}

/* "lock:\t1: POSIX  ADVISORY  WRITE 1234 fe:00:123 0 EOF": taken again; another holder is an error. */
static int take_locks(struct maker *m, const struct mpir_image_file *f, int fd) {
  const char *s = mpir_image_string(m->image, f->info);

  while ((s = strstr(s, "lock:"))) {
    char kind[16], mode[16], end[32];
    unsigned long long start;
    int rc = 0;

    if (sscanf(s, "lock: %*d: %15s %*s %15s %*d %*s %llu %31s", kind, mode, &start, end) == 4) {
      struct flock lock = {.l_type = strcmp(mode, "WRITE") == 0 ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = (off_t)start};

      lock.l_len = strcmp(end, "EOF") == 0 ? 0 : (off_t)(strtoull(end, NULL, 10) - start + 1);
      if (strcmp(kind, "POSIX") == 0)
        rc = fcntl(fd, F_SETLK, &lock);
      else if (strcmp(kind, "OFDLCK") == 0)
        rc = fcntl(fd, F_OFD_SETLK, &lock);
      else if (strcmp(kind, "LEASE") == 0)
        rc = fcntl(fd, F_SETLEASE, lock.l_type);
      else if (strcmp(kind, "FLOCK") == 0)
        rc = (int)syscall(SYS_flock, fd, (lock.l_type == F_WRLCK ? 2 : 1) | 4 /* LOCK_EX, LOCK_SH, LOCK_NB */);
    }
    if (rc)
      return fail_file(m, f, "reacquire the lock on");
    s += 5;
  }
  return 0;
}

static int make_regular(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  struct stat st;
  int fd = mpir_restart_regular(m->image, index, m->options, m->err);

  if (fd)
    return fd;
  fd = open(file_name(m, f), (int)(f->open_flags & (O_ACCMODE | O_SYNC | O_DSYNC)) | O_CLOEXEC);
  if (fd < 0)
    return fail_file(m, f, "open");
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
    close(fd);
    return dvm_error_set(m->err, -ESTALE, "descriptor %d: '%s' is not a regular file any more", f->fd, file_name(m, f));
  }
  if (m->options->truncate && (f->open_flags & O_ACCMODE) != O_RDONLY && (uint64_t)st.st_size > f->size && ftruncate(fd, (off_t)f->size)) {
    close(fd);
    return fail_file(m, f, "truncate");
  }
  if (lseek(fd, (off_t)f->position, SEEK_SET) < 0) {
    close(fd);
    return fail_file(m, f, "seek in");
  }
  return fd;
}

/* A folder that was removed: opened as one that is made for the moment. */
static int open_removed(const char *name) {
  int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;

  if (here >= 0 && !mpir_restart_folder(name))
    fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (here >= 0 && fchdir(here))
    fd = -1;
  if (here >= 0)
    close(here);
  return fd;
}

static int make_opened(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  int flags = (int)(f->open_flags & O_ACCMODE) | O_CLOEXEC | O_NOCTTY;
  int fd = open(file_name(m, f), flags | (f->kind == MPIR_FILE_DIRECTORY ? O_DIRECTORY : 0));

  if (fd < 0 && errno == ENOENT && f->kind == MPIR_FILE_DIRECTORY)
    fd = open_removed(file_name(m, f));
  if (fd < 0)
    return fail_file(m, f, "open");
  if (f->kind == MPIR_FILE_DIRECTORY)
    lseek(fd, (off_t)f->position, SEEK_SET);
  return fd;
}

/* What other members of the set have too: opened through the descriptor that was made for all.  -ENOENT: none was. */
static int open_object(struct maker *m, const struct mpir_image_file *f) {
  const int object = m->fds->group ? mpir_group_object(m->fds->group, f) : -1;
  char path[64];
  int fd;

  if (object < 0)
    return -ENOENT;
  snprintf(path, sizeof(path), "/proc/self/fd/%d", object);
  fd = open(path, (int)(f->open_flags & (O_ACCMODE | O_NONBLOCK)) | O_CLOEXEC);
  if (fd < 0)
    return fail_file(m, f, "open");
  if (f->kind == MPIR_FILE_MEMFD)
    lseek(fd, (off_t)f->position, SEEK_SET);
  return fd;
}

/* Packets are kept apart (O_DIRECT): each piece of the content is one. */
static bool keeps_packets(const struct mpir_image *image, const struct mpir_image_file *pipe) {
  for (size_t i = 0; i < image->file_count; i++)
    if (image->files[i].inode == pipe->inode && image->files[i].kind == MPIR_FILE_PIPE && (image->files[i].open_flags & O_ACCMODE) &&
        (image->files[i].open_flags & O_DIRECT))
      return true;
  return false;
}

int mpir_restart_pipe(const struct mpir_image *image, const struct mpir_image_file *f, bool packets, int side[2]) {
  const char *name = mpir_image_string(image, f->name);

  if (*name != '/')
    return pipe2(side, O_CLOEXEC | O_NONBLOCK | (packets ? O_DIRECT : 0));
  if (mkfifo(name, f->mode & 07777) && errno != EEXIST)
    return -1;
  side[0] = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  side[1] = side[0] < 0 ? -1 : open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (side[1] < 0 && side[0] >= 0)
    close(side[0]);
  return side[1] < 0 ? -1 : 0;
}

/* The first end met makes the pipe and keeps the other end for later. */
static int make_pipe(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  const int object = open_object(m, f);
  int side[2], writer = (f->open_flags & O_ACCMODE) == O_WRONLY, rc = 0;

  if (object != -ENOENT)
    return object;
  for (size_t i = 0; i < index; i++) { /* another end is there: open this one through it */
    const struct mpir_image_file *other = &m->image->files[i];
    char path[64];
    int fd;

    if (other->kind != MPIR_FILE_PIPE || other->inode != f->inode || other->device != f->device)
      continue;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", m->fds->file_fds[i]);
    fd = open(path, (int)(f->open_flags & (O_ACCMODE | O_NONBLOCK)) | O_CLOEXEC);
    return fd < 0 ? fail_file(m, f, "open the other end of") : fd;
  }
  if (mpir_restart_pipe(m->image, f, keeps_packets(m->image, f), side))
    return fail_file(m, f, "make"); /* nobody reads: what does not fit is an error */
  if (f->capacity)
    fcntl(side[1], F_SETPIPE_SZ, (int)f->capacity);
  for (size_t i = 0; i < m->image->file_count && !rc; i++)
    if (m->image->files[i].kind == MPIR_FILE_PIPE && m->image->files[i].inode == f->inode)
      rc = mpir_restart_content(m->image, i, side[1], false);
  close(side[!writer]);
  if (rc) {
    close(side[writer]);
    return dvm_error_set(m->err, rc, "descriptor %d: cannot fill the pipe: %s", f->fd, strerror(-rc));
  }
  return side[writer];
}

static int make_eventfd(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  const char *count = info_line(m, f, "eventfd-count:"), *semaphore = info_line(m, f, "eventfd-semaphore:");
  uint64_t value = count ? strtoull(count, NULL, 16) : 0;
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | (semaphore && strtol(semaphore, NULL, 10) ? EFD_SEMAPHORE : 0));

  if (fd < 0 || (value && write(fd, &value, sizeof(value)) != sizeof(value)))
    return fail_file(m, f, "make");
  return fd;
}

static int make_timerfd(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  const char *clock = info_line(m, f, "clockid:"), *ticks = info_line(m, f, "ticks:");
  const char *value = info_line(m, f, "it_value:"), *interval = info_line(m, f, "it_interval:");
  struct itimerspec setting = {{0, 0}, {0, 0}};
  uint64_t expired = ticks ? strtoull(ticks, NULL, 10) : 0;
  int fd = timerfd_create(clock ? atoi(clock) : CLOCK_MONOTONIC, TFD_CLOEXEC);

  if (fd < 0)
    return fail_file(m, f, "make");
  if (value)
    sscanf(value, " (%ld, %ld)", &setting.it_value.tv_sec, &setting.it_value.tv_nsec);
  if (interval)
    sscanf(interval, " (%ld, %ld)", &setting.it_interval.tv_sec, &setting.it_interval.tv_nsec);
  /* A timer that has expired shows no time left until the expiry is read; a repeating one goes on from now.  The expiries
   * that wait to be read are set apart. */
  if (expired && !setting.it_value.tv_sec && !setting.it_value.tv_nsec)
    setting.it_value = setting.it_interval;
  if (timerfd_settime(fd, 0, &setting, NULL) || (expired && ioctl(fd, TFD_IOC_SET_TICKS, &expired))) {
    close(fd);
    return fail_file(m, f, "set");
  }
  return fd;
}

static int make_epoll(struct maker *m, size_t index) {
  int fd = epoll_create1(EPOLL_CLOEXEC);

  return fd < 0 ? fail_file(m, &m->image->files[index], "make") : fd;
}

static int make_signalfd(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  const char *text = info_line(m, f, "sigmask:");
  uint64_t mask = text ? strtoull(text, NULL, 16) : 0;
  int fd = (int)syscall(SYS_signalfd4, -1, &mask, sizeof(mask), O_CLOEXEC);

  return fd < 0 ? fail_file(m, f, "make") : fd;
}

static int make_memfd(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  const char *name = file_name(m, f);
  bool memory = strncmp(name, "/memfd:", 7) == 0;
  char folder[4096], *slash;
  int fd = open_object(m, f), rc;

  if (fd != -ENOENT)
    return fd;
  if (memory) {
    snprintf(folder, sizeof(folder), "%s", name + 7);
    if ((slash = strstr(folder, " (deleted)")))
      *slash = '\0';
    fd = memfd_create(folder, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  } else { /* a deleted file: a new one without a name, in the same folder if that still exists */
    snprintf(folder, sizeof(folder), "%s", name);
    if ((slash = strrchr(folder, '/')))
      slash[slash == folder] = '\0';
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
      fd = memfd_create("deleted-file", MFD_CLOEXEC);
  }
  if (fd < 0 || ftruncate(fd, (off_t)f->size))
    return fail_file(m, f, "make");
  rc = mpir_restart_content(m->image, index, fd, true);
  if (rc) {
    close(fd);
    return dvm_error_set(m->err, rc, "descriptor %d: cannot fill '%s'", f->fd, name);
  }
  lseek(fd, (off_t)f->position, SEEK_SET);
  if (memory && (int64_t)f->capacity > 0)
    fcntl(fd, F_ADD_SEALS, (int)f->capacity);
  return fd;
}

/* A stream that led outside: the restarting command's stream of the number that it, or its twin, had. */
static int make_inherited(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  int number = f->fd, fd;

  for (size_t i = 0; i < m->image->file_count && number > 2; i++)
    if (m->image->files[i].fd <= 2 && m->image->files[i].inode == f->inode && m->image->files[i].device == f->device)
      number = m->image->files[i].fd;
  if (number > 2 || m->fds->standard[number] < 0)
    return dvm_error_set(m->err, -EBADF, "descriptor %d: the restarting command's stream %d is closed", f->fd, number);
  fd = fcntl(m->fds->standard[number], F_DUPFD_CLOEXEC, m->fds->base);
  return fd < 0 ? fail_file(m, f, "take over") : fd;
}

/* A descriptor that names its file, and opens nothing. */
static int make_path(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  int fd = open(file_name(m, f), O_PATH | O_NOFOLLOW | O_CLOEXEC);

  return fd < 0 ? fail_file(m, f, "find") : fd;
}

static int make_socket(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  const int made = mpir_sockets_find(m->fds->sockets, f);
  int fd = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, m->fds->base);

  return made < 0 ? dvm_error_set(m->err, -EBADMSG, "descriptor %d: the socket is not in the image", f->fd)
         : fd < 0 ? fail_file(m, f, "duplicate")
                  : fd;
}

static int make_pidfd(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  const char *number = info_line(m, f, "Pid:");
  int fd = (int)syscall(SYS_pidfd_open, number ? atoi(number) : 0, f->open_flags & O_NONBLOCK);

  return fd < 0 ? fail_file(m, f, "make") : fd;
}

static int make_queue(struct maker *m, size_t index) { return mpir_restart_queue(m->image, index, m->fds, m->err); }

struct watch {
  unsigned number, mask;
  char path[4096];
};

static int by_number(const void *a, const void *b) {
  const struct watch *x = a, *y = b;

  return x->number < y->number ? -1 : x->number > y->number;
}

/* Numbers are given one after the other: those between are taken and given back. */
static int add_watch(int fd, const struct watch *w) {
  const unsigned lasting = 0xfff | 0x04000000 | 0x80000000; /* events, IN_EXCL_UNLINK, IN_ONESHOT */
  int number;

  while ((number = inotify_add_watch(fd, w->path, w->mask & lasting)) >= 0 && (unsigned)number < w->number)
    inotify_rm_watch(fd, number);
  return number == (int)w->number ? 0 : -1;
}

/* "watch: NUMBER MASK PATH" lines. */
static int make_inotify(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  const char *s = mpir_image_string(m->image, f->info);
  struct watch *watches = NULL;
  int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), rc = fd < 0 ? -1 : 0;
  size_t count = 0;
  char events[8192];

  for (; !rc && (s = strstr(s, "watch: ")); s += 7) {
    struct watch *more = realloc(watches, (count + 1) * sizeof(*more));

    if (!more) {
      rc = -1;
      break;
    }
    watches = more;
    count += sscanf(s, "watch: %x %x %4095[^\n]", &watches[count].number, &watches[count].mask, watches[count].path) == 3;
  }
  if (count)
    qsort(watches, count, sizeof(*watches), by_number);
  for (size_t i = 0; i < count && !rc; i++)
    if ((rc = add_watch(fd, &watches[i])))
      dvm_error_errno(m->err, "descriptor %d: cannot watch '%s' again", f->fd, watches[i].path);
  while (!rc && read(fd, events, sizeof(events)) > 0) /* of those that were given back */
    ;
  if (!rc)
    fcntl(fd, F_SETFL, 0);
  else if (fd >= 0)
    close(fd);
  free(watches);
  return rc ? (m->err->code ? m->err->code : fail_file(m, f, "make")) : fd;
}

static const make_f makers[] = {
    [MPIR_FILE_REGULAR] = make_regular,   [MPIR_FILE_DIRECTORY] = make_opened,  [MPIR_FILE_DEVICE] = make_opened,
    [MPIR_FILE_PIPE] = make_pipe,         [MPIR_FILE_EVENTFD] = make_eventfd,   [MPIR_FILE_TIMERFD] = make_timerfd,
    [MPIR_FILE_EPOLL] = make_epoll,       [MPIR_FILE_SIGNALFD] = make_signalfd, [MPIR_FILE_MEMFD] = make_memfd,
    [MPIR_FILE_INHERIT] = make_inherited, [MPIR_FILE_SOCKET] = make_socket,     [MPIR_FILE_PIDFD] = make_pidfd,
    [MPIR_FILE_INOTIFY] = make_inotify,   [MPIR_FILE_QUEUE] = make_queue,
};

int mpir_restart_make(const struct mpir_image *image, size_t index, const struct mpir_restart_options *options, struct restart_fds *fds,
                      struct dvm_error *err) {
  struct maker m = {image, options, fds, err};
  const struct mpir_image_file *f = &image->files[index];
  int fd = f->open_flags & O_PATH ? make_path(&m, index) : makers[f->kind](&m, index), high;

  if (fd < 0)
    return fd;
  high = mpir_restart_raise(fds, fd);
  if (high < 0)
    return dvm_error_set(err, high, "descriptor %d: no number is free", f->fd);
  if (f->kind != MPIR_FILE_INHERIT) /* the restarting command's streams keep their own mode */
    fcntl(high, F_SETFL, (int)f->open_flags & STATUS_FLAGS);
  return high;
}

static int make_one(struct maker *m, size_t index) {
  const struct mpir_image_file *f = &m->image->files[index];
  int shared = m->fds->group ? mpir_group_shared(m->fds->group, f) : -1, high;
  const bool own =
      f->kind == MPIR_FILE_INHERIT && f->fd <= 2; /* on a terminal all three were one; the restarting command's may be redirected */

  if ((f->same_as >= 0 && !own) || shared >= 0) {
    high = fcntl(shared >= 0 ? shared : m->fds->file_fds[f->same_as], F_DUPFD_CLOEXEC, m->fds->base);
    return high < 0 ? fail_file(m, f, "duplicate") : high;
  }
  return mpir_restart_make(m->image, index, m->options, m->fds, m->err);
}

/* Whom the kernel signals: "owner: TYPE NUMBER SIGNAL" behind the text of fdinfo. */
static int give_owner(struct maker *m, const struct mpir_image_file *f) {
  const char *line = info_line(m, f, "owner:");
  struct f_owner_ex owner;
  int type, number, sig;

  if (!line || sscanf(line, "%d %d %d", &type, &number, &sig) != 3)
    return 0;
  owner.type = type;
  owner.pid = number;
  if (fcntl(f->fd, F_SETOWN_EX, &owner) || (sig && fcntl(f->fd, F_SETSIG, sig)))
    return fail_file(m, f, "restore the owner of");
  return 0;
}

/* "from: SOURCE NUMBER events: E data: D": what is descriptor SOURCE now was watched as NUMBER, which may be another one's. */
static int watch_moved(struct maker *m, const struct mpir_image_file *f) {
  const char *s = mpir_image_string(m->image, f->info);

  for (; (s = strstr(s, "from:")); s += 5) {
    struct epoll_event event = {0, {NULL}};
    unsigned long long data;
    int source, number, kept, flags, rc;
    unsigned events;

    if (sscanf(s, "from: %d %d events: %x data: %llx", &source, &number, &events, &data) != 4)
      continue;
    event.events = events;
    event.data.u64 = data;
    flags = fcntl(number, F_GETFD);
    kept = flags < 0 ? -1 : fcntl(number, F_DUPFD_CLOEXEC, m->fds->base);
    rc = (flags >= 0 && kept < 0) || dup2(source, number) < 0 ? -1 : epoll_ctl(f->fd, EPOLL_CTL_ADD, number, &event);
    if (rc)
      return dvm_error_errno(m->err, "descriptor %d: cannot resume watching what was descriptor %d", f->fd, number);
    if (kept >= 0)
      dup3(kept, number, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
    close(kept >= 0 ? kept : number);
  }
  return 0;
}

static int fill_epolls(struct maker *m) {
  for (size_t i = 0; i < m->image->file_count; i++) {
    const struct mpir_image_file *f = &m->image->files[i];
    const char *s = mpir_image_string(m->image, f->info);

    if (f->kind != MPIR_FILE_EPOLL || f->same_as >= 0)
      continue;
    while ((s = strstr(s, "tfd:"))) {
      struct epoll_event event = {0, {NULL}};
      unsigned long long data;
      unsigned events;
      int watched;

      if (sscanf(s, "tfd: %d events: %x data: %llx", &watched, &events, &data) == 3) {
        event.events = events;
        event.data.u64 = data;
        if (epoll_ctl(f->fd, EPOLL_CTL_ADD, watched, &event) && errno != EPERM)
          return dvm_error_errno(m->err, "descriptor %d: cannot resume watching descriptor %d", f->fd, watched);
      }
      s += 4;
    }
    if (watch_moved(m, f))
      return m->err->code;
  }
  return 0;
}

static int place_all(struct maker *m) {
  for (int fd = 0; fd < m->fds->base; fd++)
    close(fd);
  for (size_t i = 0; i < m->image->file_count; i++) {
    const struct mpir_image_file *f = &m->image->files[i];

    if (dup3(m->fds->file_fds[i], f->fd, f->close_on_exec ? O_CLOEXEC : 0) < 0)
      return dvm_error_errno(m->err, "cannot use descriptor number %d", f->fd);
  }
  /* Closed only now: closing a descriptor of a file drops this process's locks on it, so those are taken last. */
  for (size_t i = 0; i < m->image->file_count; i++)
    close(m->fds->file_fds[i]);
  if (fill_epolls(m))
    return m->err->code;
  for (size_t i = 0; i < m->image->file_count; i++) {
    const struct mpir_image_file *f = &m->image->files[i];
    int rc = f->kind == MPIR_FILE_REGULAR && f->same_as < 0 ? take_locks(m, f, f->fd) : 0;

    if (!rc && f->same_as < 0)
      rc = give_owner(m, f);
    if (rc)
      return rc;
  }
  return 0;
}

static int raise_limit(int base, size_t more) {
  struct rlimit limit;

  if (getrlimit(RLIMIT_NOFILE, &limit))
    return -errno;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur < (rlim_t)base + more ? -EMFILE : 0;
}

int mpir_restart_files(const struct mpir_image *image, const struct mpir_restart_options *options, struct restart_fds *fds,
                       struct dvm_error *err) {
  struct maker m = {image, options, fds, err};
  int rc = 0;

  if (raise_limit(fds->base, image->file_count + 64))
    return dvm_error_set(err, -EMFILE, "the limit of open files (ulimit -n) is too low for the image's descriptors");
  rc = mpir_restart_semaphores(image, err);
  if (!rc)
    rc = mpir_restart_mapped(image, options, err);
  if (rc)
    return rc;
  fds->file_fds = calloc(image->file_count + 1, sizeof(*fds->file_fds));
  if (!fds->file_fds)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  if (!fds->group && !(fds->sockets = mpir_sockets_make(&image, 1, fds, err)))
    return err->code;
  for (size_t i = 0; i < image->file_count && rc >= 0; i++)
    rc = fds->file_fds[i] = make_one(&m, i);
  if (rc >= 0)
    rc = place_all(&m);
  if (!fds->group)
    mpir_sockets_close(fds->sockets);
  return rc < 0 ? rc : 0;
}
