/* Queues of POSIX messages.  Messages can only be looked at by taking them.  Those of a queue with a name stay where they are, since others may want
 * them; a queue without one is the process's own, and its messages are taken and put back in their order. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <string.h>
#include <sys/stat.h>
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/sys.h"

static const struct timespec now;

/* Somebody waits to be told of the next message: he would be told of one that is put back.  And if it is this process, it would not be told any more
 * as soon as any of its descriptors of the queue is closed; so it is asked through one that the program has. */
static bool is_watched(int fd) {
  char text[256];
  const long n = sys4(SYS_pread64, fd, text, sizeof(text) - 1, 0);
  const char *notify;

  text[n > 0 ? n : 0] = '\0';
  notify = strstr(text, "NOTIFY_PID:");
  return !notify || notify[strlen("NOTIFY_PID:")] != '0';
}

static int open_both_ways(int fd) {
  char path[64];
  struct plain_text t = PLAIN_TEXT(path);

  mpir_plain_add(&t, "/proc/thread-self/fd/");
  mpir_plain_add_dec(&t, fd);
  return (int)sys4(SYS_openat, AT_FDCWD, path, O_RDWR | O_NONBLOCK | O_CLOEXEC, 0);
}

/* Whether its messages can be taken and put back.  Other members of a set may have it, too; one that is open to be written alone tells nothing. */
static bool is_own(const struct crs_dump *d, const struct mpir_image_file *file) {
  return !(d->request->flags & CRS_MEMBER) && (file->open_flags & O_ACCMODE) != O_WRONLY && !is_watched(file->fd);
}

uint32_t mpir_dump_queue(struct crs_dump *d, struct mpir_image_file *file, const struct stat *st) {
  struct mq_attr attributes;

  if (sys3(SYS_mq_getsetattr, file->fd, NULL, &attributes) || (!st->st_nlink && d->request->flags & CRS_MEMBER) ||
      (!st->st_nlink && attributes.mq_curmsgs && !is_own(d, file)))
    return 0;
  if (st->st_nlink && attributes.mq_curmsgs)
    mpir_dump_notice(d, file->fd, "the messages are those that the queue has at the restart:", d->strings + file->name);
  file->capacity = (uint64_t)attributes.mq_maxmsg << 32 | (uint64_t)attributes.mq_msgsize;
  return MPIR_FILE_QUEUE;
}

/* One message behind the contents there are: its head, its text. */
static int take_message(struct crs_dump *d, unsigned index, int fd, uint32_t size) {
  struct mpir_image_message *head;
  long n;

  d->pipes_len = (d->pipes_len + 7) & ~7u;
  head = (struct mpir_image_message *)(d->pipes + d->pipes_len);
  if (d->pipes_len + sizeof(*head) + size > sizeof(d->pipes) || d->pipe_count == DUMP_PIPE_PIECES_MAX)
    return -E2BIG;
  n = sys5(SYS_mq_timedreceive, fd, head + 1, size, &head->priority, &now);
  if (n < 0)
    return n == -EAGAIN ? 0 : (int)n;
  head->length = (uint32_t)n;
  d->pipe_contents[d->pipe_count++] = (struct dump_pipe){index, d->pipes_len, (uint32_t)(sizeof(*head) + (size_t)n)};
  d->pipes_len += (uint32_t)(sizeof(*head) + (size_t)n);
  return 1;
}

/* From the piece 'first' on. */
static int put_back(struct crs_dump *d, int fd, unsigned first) {
  for (unsigned i = first; i < d->pipe_count; i++) {
    const struct mpir_image_message *head = (const struct mpir_image_message *)(d->pipes + d->pipe_contents[i].offset);
    const long rc = sys5(SYS_mq_timedsend, fd, head + 1, head->length, head->priority, &now);

    if (rc)
      return (int)rc;
  }
  return 0;
}

static bool is_first(const struct crs_dump *d, unsigned index) {
  for (unsigned i = 0; i < index; i++)
    if (d->files[i].kind == MPIR_FILE_QUEUE && d->files[i].inode == d->files[index].inode && d->files[i].device == d->files[index].device)
      return false;
  return true;
}

int mpir_dump_queue_content(struct crs_dump *d, unsigned index) {
  const struct mpir_image_file *file = &d->files[index];
  const unsigned first = d->pipe_count;
  struct mq_attr attributes;
  struct stat st;
  int fd, rc, put;

  if (sys2(SYS_fstat, file->fd, &st) || st.st_nlink || !is_first(d, index) || sys3(SYS_mq_getsetattr, file->fd, NULL, &attributes) ||
      !attributes.mq_curmsgs)
    return 0;
  fd = open_both_ways(file->fd);
  if (fd < 0)
    return mpir_dump_fail(d, fd, "the messages of a queue without a name cannot be read");
  while ((rc = take_message(d, index, fd, (uint32_t)file->capacity)) > 0)
    ;
  put = put_back(d, fd, first);
  sys1(SYS_close, fd);
  return rc || put
             ? mpir_dump_fail(d, rc ? rc : put, rc == -E2BIG ? "too many messages in queues" : "the messages of a queue cannot be copied")
             : 0;
}
