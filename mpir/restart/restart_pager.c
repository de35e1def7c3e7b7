/* Lazy restart: memory is given to the process when it is touched, by a process of its own (userfaultfd(2)), which verifies each piece before
 * the program sees it.  A piece that is damaged ends the program; the checkpointer's own thread gets an error instead. */
#include "mpir/restart/restart_pager.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpir/image/crc32c.h"
#include "mpir/restart/restart_private.h"

#define SPACES_MAX 4096
#define WAITING_MAX 4096 /* faults that cannot be served yet */

#ifndef UFFD_FEATURE_POISON /* Linux 6.6 */
#define UFFD_FEATURE_POISON (1 << 14)
struct uffdio_poison {
  struct uffdio_range range;
  uint64_t mode;
  int64_t updated;
};
#define UFFDIO_POISON _IOWR(UFFDIO, 0x08, struct uffdio_poison)
#endif
#define FEATURES                                                                                                                           \
  (UFFD_FEATURE_EVENT_FORK | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE | UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_THREAD_ID)

/* Memory that has not been given yet; 'source' is its address in the image, which differs when it was moved since. */
struct piece {
  uint64_t start, end, source;
};

/* One process: the restarted one, or a child that it has forked since. */
struct space {
  int fd;
  struct piece *pieces;
  size_t count, room;
};

struct fault {
  size_t space;
  uint64_t address;
  pid_t thread; /* as the process counts */
};

struct pager {
  const struct mpir_image *image;
  const struct mpir_image_extent **extents; /* of memory, by address */
  size_t extent_count, space_count, waiting_count;
  struct space spaces[SPACES_MAX];
  bool filling; /* the process is to be saved: all is to be given */
  bool ending; /* all of the first has been given, and it still changes its mappings */
  bool done; /* all of the first has been given, and it has been told */
  struct fault waiting[WAITING_MAX];
  unsigned char *buffer;
  int socket;
  bool poison;
  pid_t process, helper;
};

int mpir_pager_open(void) {
  struct uffdio_api api = {.api = UFFD_API, .features = FEATURES | UFFD_FEATURE_POISON};
  int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

  if (fd >= 0 && ioctl(fd, UFFDIO_API, &api)) {
    close(fd);
    fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    api = (struct uffdio_api){.api = UFFD_API, .features = FEATURES};
    if (fd >= 0 && ioctl(fd, UFFDIO_API, &api)) {
      close(fd);
      fd = -1;
    }
  }
  return fd < 0 ? -errno : fd;
}

int mpir_pager_tell(int socket, int fd, const struct restorer_region *regions, size_t count) {
  struct pager_list head = {count};
  char control[CMSG_SPACE(sizeof(int))] = "";
  struct iovec part = {&head, sizeof(head)};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
  struct cmsghdr *c = CMSG_FIRSTHDR(&message);

  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(c), &fd, sizeof(fd));
  if (sendmsg(socket, &message, MSG_NOSIGNAL) != sizeof(head))
    return -EIO;
  for (size_t i = 0; i < count; i++) {
    const uint64_t range[2] = {regions[i].start, regions[i].start + regions[i].size};

    if (send(socket, range, sizeof(range), MSG_NOSIGNAL) != sizeof(range))
      return -EIO;
  }
  return 0;
}

static int add_piece(struct space *s, struct piece p) {
  if (s->count == s->room) {
    size_t room = s->room ? 2 * s->room : 64;
    struct piece *more = realloc(s->pieces, room * sizeof(*more));

    if (!more)
      return -ENOMEM;
    s->pieces = more;
    s->room = room;
  }
  s->pieces[s->count++] = p;
  return 0;
}

/* Takes [start, end) out of what is still to be given. */
static int subtract(struct space *s, uint64_t start, uint64_t end) {
  const size_t count = s->count;
  int rc = 0;

  for (size_t i = 0; i < count && !rc; i++) {
    struct piece *p = &s->pieces[i], rest = *p;

    if (p->end <= start || p->start >= end)
      continue;
    if (p->end > end && p->start < start) {
      rest.source += end - rest.start;
      rest.start = end;
      p->end = start;
      rc = add_piece(s, rest);
    } else if (p->end > end) {
      p->source += end - p->start;
      p->start = end;
    } else {
      p->end = p->start < start ? start : p->start;
    }
  }
  for (size_t i = 0; i < s->count;)
    if (s->pieces[i].start == s->pieces[i].end)
      s->pieces[i] = s->pieces[--s->count];
    else
      i++;
  return rc;
}

static int move(struct space *s, uint64_t from, uint64_t to, uint64_t size) {
  struct space moved = {0};
  int rc = 0;

  for (size_t i = 0; i < s->count && !rc; i++) {
    const struct piece *p = &s->pieces[i];
    const uint64_t start = p->start > from ? p->start : from, end = p->end < from + size ? p->end : from + size;

    if (start < end)
      rc = add_piece(&moved, (struct piece){start - from + to, end - from + to, p->source + (start - p->start)});
  }
  if (!rc)
    rc = subtract(s, from, from + size);
  for (size_t i = 0; i < moved.count && !rc; i++)
    rc = add_piece(s, moved.pieces[i]);
  free(moved.pieces);
  return rc;
}

static const struct mpir_image_extent *extent_at(const struct pager *p, uint64_t address) {
  size_t low = 0, high = p->extent_count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (p->extents[middle]->address + p->extents[middle]->length <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < p->extent_count && p->extents[low]->address <= address ? p->extents[low] : NULL;
}

/* Into the buffer, where nobody changes it any more. */
static bool read_extent(struct pager *p, const struct mpir_image_extent *e) {
  for (uint64_t done = 0; done < e->length;) {
    ssize_t n = pread(p->image->fd, p->buffer + done, e->length - done, (off_t)(e->file_offset + done));

    if (n <= 0)
      return false;
    done += (uint64_t)n;
  }
  return mpir_crc32c(0, p->buffer, e->length) == e->crc;
}

static void tell_damage(const struct mpir_image_extent *e, uint64_t address, const char *what) {
  fprintf(stderr, "dvm restart: error: the image is damaged: data of address %#llx, %llu bytes at offset %llu, fail their checksum; %s\n",
          (unsigned long long)(e ? e->address : address), (unsigned long long)(e ? e->length : 0),
          (unsigned long long)(e ? e->file_offset : 0), what);
}

/* The thread gets nothing: with its process it ends before it could run on. */
static void damaged(struct pager *p, const struct fault *f, const struct mpir_image_extent *e) {
  struct uffdio_poison poison = {{f->address & ~(uint64_t)(MPIR_PAGE - 1), MPIR_PAGE}, 0, 0};

  tell_damage(e, f->address, "the process, which was about to use them, is ended");
  kill(p->process, SIGKILL);
  if (p->poison)
    ioctl(p->spaces[f->space].fd, UFFDIO_POISON, &poison);
  if (f->space) /* a child of the process */
    kill(f->thread, SIGKILL);
}

/* Copies until all is there; what has been given, or been unmapped, by then is no error. */
static int give(const struct space *s, uint64_t to, const unsigned char *from, uint64_t size) {
  while (size) {
    struct uffdio_copy copy = {.dst = to, .src = (uint64_t)from, .len = size};
    uint64_t done;

    if (ioctl(s->fd, UFFDIO_COPY, &copy) == 0)
      return 0;
    if (copy.copy == -EAGAIN)
      return -EAGAIN;
    done = copy.copy > 0 ? (uint64_t)copy.copy : errno == EEXIST || errno == ENOENT ? MPIR_PAGE : size;
    to += done;
    from += done;
    size -= done;
  }
  return 0;
}

static int give_zeros(const struct space *s, uint64_t address) {
  struct uffdio_zeropage zero = {.range = {address & ~(uint64_t)(MPIR_PAGE - 1), MPIR_PAGE}};

  if (ioctl(s->fd, UFFDIO_ZEROPAGE, &zero) == 0)
    return 0;
  if (errno == EAGAIN)
    return -EAGAIN;
  ioctl(s->fd, UFFDIO_WAKE, &zero.range);
  return 0;
}

/* Returns 0, -EAGAIN when the process's mappings are being changed, -EBADMSG when '*bad', or nothing, of the image is there, or -E.... */
static int serve(struct pager *p, const struct fault *f, const struct mpir_image_extent **bad) {
  struct space *s = &p->spaces[f->space];
  const struct mpir_image_extent *e;
  struct piece piece = {0, 0, 0};
  uint64_t source, start, end;
  int rc;

  for (size_t i = 0; i < s->count && !piece.end; i++)
    if (s->pieces[i].start <= f->address && s->pieces[i].end > f->address)
      piece = s->pieces[i];
  if (!piece.end)
    return give_zeros(s, f->address); /* given before and given back since, or another thread was served */
  source = piece.source + (f->address - piece.start);
  e = extent_at(p, source);
  if (!e || !read_extent(p, e)) {
    *bad = e;
    return -EBADMSG;
  }
  start = e->address > piece.source ? e->address : piece.source;
  end =
      e->address + e->length < piece.source + (piece.end - piece.start) ? e->address + e->length : piece.source + (piece.end - piece.start);
  rc = give(s, piece.start + (start - piece.source), p->buffer + (start - e->address), end - start);
  return rc ? rc : subtract(s, piece.start + (start - piece.source), piece.start + (end - piece.source));
}

/* A child has what its parent had when it was made. */
static int fork_space(struct pager *p, const struct space *parent, int fd) {
  struct space *s = NULL;

  for (size_t i = 1; i < p->space_count && !s; i++) {
    struct uffdio_zeropage probe = {.range = {0, MPIR_PAGE}};

    if (p->spaces[i].fd >= 0 && ioctl(p->spaces[i].fd, UFFDIO_ZEROPAGE, &probe) && errno == ESRCH) {
      close(p->spaces[i].fd); /* it has ended */
      p->spaces[i].fd = -1;
    }
    if (p->spaces[i].fd < 0)
      s = &p->spaces[i];
  }
  if (!s && p->space_count < SPACES_MAX)
    s = &p->spaces[p->space_count++];
  if (!s || parent->count == 0) {
    close(fd); /* nothing is left to be given: it needs us no more */
    if (s)
      s->fd = -1;
    return s ? 0 : -E2BIG;
  }
  s->fd = fd;
  s->count = 0;
  for (size_t i = 0; i < parent->count; i++)
    if (add_piece(s, parent->pieces[i]))
      return -ENOMEM;
  return 0;
}

static int take_event(struct pager *p, size_t space, const struct uffd_msg *m) {
  struct space *s = &p->spaces[space];

  switch (m->event) {
  case UFFD_EVENT_PAGEFAULT:
    if (p->waiting_count == WAITING_MAX)
      return -E2BIG;
    p->waiting[p->waiting_count++] = (struct fault){space, m->arg.pagefault.address, (pid_t)m->arg.pagefault.feat.ptid};
    return 0;
  case UFFD_EVENT_FORK: return fork_space(p, s, (int)m->arg.fork.ufd);
  case UFFD_EVENT_REMAP: return move(s, m->arg.remap.from, m->arg.remap.to, m->arg.remap.len);
  case UFFD_EVENT_UNMAP:
  case UFFD_EVENT_REMOVE: return subtract(s, m->arg.remove.start, m->arg.remove.end);
  default: return 0;
  }
}

/* The kernel hands out faults before the changes of mappings that they may depend on: all is read before any is served, and while a change is
 * under way serving fails. */
static int take_all(struct pager *p) {
  const struct mpir_image_extent *bad = NULL;
  struct uffd_msg m;
  int rc = 0;

  for (size_t i = 0; i < p->space_count && !rc; i++)
    while (!rc && p->spaces[i].fd >= 0 && read(p->spaces[i].fd, &m, sizeof(m)) == sizeof(m))
      rc = take_event(p, i, &m);
  for (size_t i = 0; i < p->waiting_count && !rc;) {
    rc = serve(p, &p->waiting[i], &bad);
    if (rc == -EBADMSG) {
      damaged(p, &p->waiting[i], bad);
      rc = 0;
    }
    if (rc == -EAGAIN) {
      rc = 0;
      i++;
    } else {
      p->waiting[i] = p->waiting[--p->waiting_count];
    }
  }
  return rc;
}

/* Gives one piece that nobody has asked for. */
static int fill(struct pager *p) {
  const struct mpir_image_extent *bad = NULL;

  for (size_t i = 0; i < p->space_count; i++)
    if (p->spaces[i].fd >= 0 && p->spaces[i].count) {
      const struct fault f = {i, p->spaces[i].pieces[0].start, p->helper};
      int rc = serve(p, &f, &bad);

      if (rc == -EBADMSG) {
        tell_damage(bad, f.address, "they cannot be saved");
        p->filling = false;
        return send(p->socket, PAGER_DAMAGED, 1, MSG_NOSIGNAL) == 1 ? 0 : -EPIPE;
      }
      return rc == -EAGAIN ? 0 : rc;
    }
  p->filling = false;
  return 0;
}

/* Up to the next mapping, since the program may have let this one grow since it was read: half of one would be another mapping, for which
 * mremap(2) fails.  What the program has put between may be of a kind for which that is refused. */
static void let_go_of(const struct pager *p, struct uffdio_range range, unsigned long long next) {
  struct uffdio_range grown = {range.start, next - range.start};

  if (ioctl(p->spaces[0].fd, UFFDIO_UNREGISTER, &grown))
    ioctl(p->spaces[0].fd, UFFDIO_UNREGISTER, &range);
}

/* Lets go of the mappings that still report to us, each as a whole. */
static void let_go(const struct pager *p) {
  struct uffdio_range range = {0, 0};
  bool reports = false;
  unsigned long long start, end;
  char path[64], *line = NULL;
  size_t room = 0;
  FILE *f;

  snprintf(path, sizeof(path), "/proc/%d/smaps", p->process);
  f = fopen(path, "re");
  while (f && getline(&line, &room, f) > 0)
    if (sscanf(line, "%llx-%llx ", &start, &end) == 2) {
      if (reports)
        let_go_of(p, range, start);
      range = (struct uffdio_range){start, end - start};
      reports = false;
    } else if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " um")) {
      reports = true;
    }
  if (reports)
    let_go_of(p, range, range.start + range.len);
  free(line);
  if (f)
    fclose(f);
}

/* Whether a thread still is about to report a change of its mappings, which it does after having made it: until then nothing can be given. */
static bool is_changing(const struct space *s) {
  struct uffdio_zeropage probe = {.range = {0, MPIR_PAGE}};

  return ioctl(s->fd, UFFDIO_ZEROPAGE, &probe) && errno == EAGAIN;
}

/* The process holds its descriptor, too, and what its forks report must be read until it has closed that.  A fork that is under way keeps the
 * descriptor open in the child that it makes, so that nobody would ever wake it once we were gone: it is waited for. */
static void end_first(struct pager *p) {
  let_go(p);
  p->ending = is_changing(&p->spaces[0]);
  if (p->ending)
    return;
  p->done = true;
  if (send(p->socket, PAGER_DONE, 1, MSG_NOSIGNAL) != 1)
    _exit(0);
}

static void close_done(struct pager *p) {
  if (!p->done && !p->spaces[0].count && !p->waiting_count)
    end_first(p);
  for (size_t i = 1; i < p->space_count; i++)
    if (p->spaces[i].fd >= 0 && !p->spaces[i].count && !p->waiting_count) {
      close(p->spaces[i].fd);
      p->spaces[i].fd = -1;
    }
}

static void run(struct pager *p) {
  static struct pollfd fds[SPACES_MAX + 1];

  for (;;) {
    size_t open = 0;
    char heard;

    close_done(p);
    fds[0] = (struct pollfd){p->socket, POLLIN, 0};
    for (size_t i = 0; i < p->space_count; i++) {
      fds[i + 1] = (struct pollfd){p->spaces[i].fd, POLLIN, 0};
      open += p->spaces[i].fd >= 0;
    }
    if (!open)
      _exit(0);
    if (poll(fds, p->space_count + 1, p->filling ? 0 : p->waiting_count || p->ending ? 1 : -1) < 0 && errno != EINTR)
      _exit(1);
    if (fds[0].revents && recv(p->socket, &heard, 1, MSG_DONTWAIT) == 1) {
      if (heard == PAGER_FILL) {
        p->filling = true;
      } else if (p->spaces[0].fd >= 0) {
        close(p->spaces[0].fd);
        p->spaces[0].fd = -1;
      }
    } else if (fds[0].revents & (POLLHUP | POLLERR)) { /* the process, and whoever it has forked, has ended */
      _exit(0);
    }
    if (take_all(p) || (p->filling && fill(p))) {
      fprintf(stderr, "dvm restart: error: no memory to serve the pages of the lazily restarted process, which is ended\n");
      kill(p->process, SIGKILL);
      _exit(1);
    }
  }
}

static int by_address(const void *a, const void *b) {
  const struct mpir_image_extent *x = *(const struct mpir_image_extent *const *)a, *y = *(const struct mpir_image_extent *const *)b;

  return x->address < y->address ? -1 : x->address > y->address;
}

static bool read_list(struct pager *p) {
  struct pager_list head;
  char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
  struct iovec part = {&head, sizeof(head)};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
  struct ucred sender;
  uint64_t range[2];

  p->spaces[0].fd = -1;
  if (recvmsg(p->socket, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC) != sizeof(head))
    return false;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
    if (c->cmsg_type == SCM_RIGHTS) {
      memcpy(&p->spaces[0].fd, CMSG_DATA(c), sizeof(int));
    } else if (c->cmsg_type == SCM_CREDENTIALS) {
      memcpy(&sender, CMSG_DATA(c), sizeof(sender));
      p->process = sender.pid; /* as we count */
    }
  for (uint64_t i = 0; i < head.count; i++)
    if (recv(p->socket, range, sizeof(range), MSG_WAITALL) != sizeof(range) ||
        add_piece(&p->spaces[0], (struct piece){range[0], range[1], range[0]}))
      return false;
  p->space_count = 1;
  return p->spaces[0].fd >= 0 && p->process > 0;
}

static _Noreturn void pager_main(const struct mpir_image *image, int socket, bool poison) {
  static struct pager pager;
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

  pager.image = image;
  pager.socket = socket;
  pager.poison = poison;
  pager.helper = image->threads[image->thread_count - 1].tid;
  pager.buffer = malloc(MPIR_EXTENT_MAX);
  pager.extents = calloc(image->extent_count + 1, sizeof(*pager.extents));
  for (int sig = 1; sig < 32; sig++)
    signal(sig, sig == SIGSEGV || sig == SIGBUS || sig == SIGABRT ? SIG_DFL : SIG_IGN); /* it lives as long as the process */
  setsid();
  if (null >= 0)
    dup2(null, 0), dup2(null, 1);
  if (!pager.buffer || !pager.extents)
    _exit(1);
  for (size_t i = 0; i < image->extent_count; i++)
    if (image->extents[i].file < 0 && !(image->extents[i].flags & MPIR_EXTENT_VIEW))
      pager.extents[pager.extent_count++] = &image->extents[i];
  qsort(pager.extents, pager.extent_count, sizeof(*pager.extents), by_address);
  if (!read_list(&pager))
    _exit(0); /* nothing was restarted */
  run(&pager);
  _exit(0);
}

int mpir_pager_start(const struct mpir_image *image, struct dvm_error *err) {
  struct uffdio_api api = {.api = UFFD_API, .features = FEATURES | UFFD_FEATURE_POISON};
  const int on = 1;
  int probe = (int)syscall(SYS_userfaultfd, O_CLOEXEC), sockets[2];
  bool poison;
  pid_t pid;

  if (probe < 0)
    return dvm_error_errno(err, "userfaultfd(2)");
  poison = ioctl(probe, UFFDIO_API, &api) == 0;
  close(probe);
  probe = mpir_pager_open();
  if (probe < 0)
    return dvm_error_set(err, probe, "userfaultfd(2): %s", strerror(-probe));
  close(probe);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
    return dvm_error_errno(err, "cannot create a pair of sockets");
  setsockopt(sockets[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)); /* before anything is sent: it tells the process's number as we count */
  pid = fork();
  if (pid == 0) { /* no child of the command, whose one child is the process */
    close(sockets[0]);
    if (fork() == 0)
      pager_main(image, sockets[1], poison);
    _exit(0);
  }
  close(sockets[1]);
  if (pid > 0 && waitpid(pid, NULL, 0) == pid)
    return sockets[0];
  close(sockets[0]);
  return dvm_error_errno(err, "cannot create a process");
}
