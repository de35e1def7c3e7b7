/* Queues of POSIX messages. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/restart/restart_private.h"

/* Messages as they lie in the image, one behind the other. */
static int send_all(int queue, const char *at, size_t left) {
  struct mpir_image_message head;

  while (left) {
    if (left < sizeof(head))
      return -EBADMSG;
    memcpy(&head, at, sizeof(head));
    at += sizeof(head);
    left -= sizeof(head);
    if (head.length > left)
      return -EBADMSG;
    if (mq_send(queue, at, head.length, head.priority))
      return -errno;
    at += head.length;
    left -= head.length;
  }
  return 0;
}

/* Into a queue that is open in both directions and does not block. */
static int fill(const struct mpir_image *image, size_t index, int queue) {
  int fd = memfd_create("checkpoint-messages", MFD_CLOEXEC), rc;
  struct stat st = {0};
  void *text;

  if (fd < 0)
    return -errno;
  rc = mpir_restart_content(image, index, fd, false);
  if (!rc && fstat(fd, &st))
    rc = -errno;
  if (!rc && st.st_size) {
    text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    rc = text == MAP_FAILED ? -errno : send_all(queue, text, (size_t)st.st_size);
    if (text != MAP_FAILED)
      munmap(text, (size_t)st.st_size);
  }
  close(fd);
  return rc;
}

/* One without a name, with the messages that it had; opened anew as 'flags' say. */
static int make_nameless(const struct mpir_image *image, size_t index, int flags, struct dvm_error *err) {
  const struct mpir_image_file *f = &image->files[index];
  struct mq_attr attributes = {.mq_maxmsg = (long)(f->capacity >> 32), .mq_msgsize = (long)(f->capacity & 0xffffffff)};
  char name[64], path[64];
  int both, fd, rc;

  snprintf(name, sizeof(name), "/dvm-restart-%d-%d", (int)getpid(), f->fd);
  both = mq_open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_CREAT | O_EXCL, f->mode & 07777, &attributes);
  if (both < 0)
    return dvm_error_errno(err, "descriptor %d: cannot make the message queue", f->fd);
  mq_unlink(name);
  rc = fill(image, index, both);
  snprintf(path, sizeof(path), "/proc/self/fd/%d", both);
  fd = rc ? -1 : open(path, flags);
  if (rc)
    dvm_error_set(err, rc, "descriptor %d: cannot fill the message queue: %s", f->fd, strerror(-rc));
  else if (fd < 0)
    rc = dvm_error_errno(err, "descriptor %d: cannot open the message queue again", f->fd);
  close(both);
  return rc ? rc : fd;
}

int mpir_restart_queue(const struct mpir_image *image, size_t index, const struct restart_fds *fds, struct dvm_error *err) {
  const struct mpir_image_file *f = &image->files[index];
  struct mq_attr attributes = {.mq_maxmsg = (long)(f->capacity >> 32), .mq_msgsize = (long)(f->capacity & 0xffffffff)};
  const int flags = (int)(f->open_flags & (O_ACCMODE | O_NONBLOCK)) | O_CLOEXEC;
  const char *name = mpir_image_string(image, f->name);
  char path[64];
  int fd;

  for (size_t i = 0; i < index; i++)
    if (image->files[i].kind == MPIR_FILE_QUEUE && image->files[i].inode == f->inode) {
      snprintf(path, sizeof(path), "/proc/self/fd/%d", fds->file_fds[i]);
      fd = open(path, flags);
      return fd < 0 ? dvm_error_errno(err, "descriptor %d: cannot open '%s' again", f->fd, name) : fd;
    }
  if (strstr(name, " (deleted)"))
    return make_nameless(image, index, flags, err);
  fd = mq_open(name, flags | O_CREAT, f->mode & 07777, &attributes);
  return fd < 0 ? dvm_error_errno(err, "descriptor %d: cannot make the message queue '%s'", f->fd, name) : fd;
}
