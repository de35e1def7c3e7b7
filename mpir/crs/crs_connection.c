/* The command's end: the socket on which requests come, and the answer to one. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_helper.h"
#include "mpir/crs/crs_hooks.h"
#include "mpir/crs/plain.h"

#define LISTEN_FD_TOP 1000 /* our socket's number: high, out of the way of programs that count on low ones */

static int connection = -1; /* that is being served */

static int write_all(int fd, const void *from, size_t size) {
  const char *p = from;

  while (size) {
    ssize_t n = send(fd, p, size, MSG_NOSIGNAL);

    if (n < 0 && errno == EINTR) /* with a time limit also by a debugger that comes or goes */
      continue;
    if (n <= 0)
      return -EIO;
    p += n;
    size -= (size_t)n;
  }
  return 0;
}

/* The request came while a debugger held us, and whoever sent it has not waited that long. */
static bool peer_has_left(int fd) {
  char c;

  return recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static int read_request(int fd, struct crs_request *request) {
  struct timeval limit = {5, 0};
  char *p = (char *)request;
  size_t left = sizeof(*request);

  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  while (left) {
    ssize_t n = recv(fd, p, left, 0);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return -EIO;
    p += n;
    left -= (size_t)n;
  }
  request->path[sizeof(request->path) - 1] = '\0';
  if (request->version != CRS_PROTOCOL_VERSION)
    return -EPROTO;
  return peer_has_left(fd) ? -EPIPE : 0;
}

/* Requests of others than the process's own user and root are not answered. */
static bool peer_may_ask(int fd, pid_t *requester) {
  struct ucred peer;
  socklen_t size = sizeof(peer);

  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
    return false;
  *requester = peer.pid;
  return peer.uid == geteuid() || peer.uid == 0;
}

void mpir_crs_connection_listen(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct plain_text t = {address.sun_path + 1, sizeof(address.sun_path) - 1, 0};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), high;
  struct stat st;

  crs.listen_fd = -1;
  if (fd < 0)
    return;
  mpir_plain_add(&t, "dvm-checkpoint.");
  mpir_plain_add_dec(&t, stat("/proc/thread-self/ns/pid", &st) ? 0 : (int64_t)st.st_ino);
  mpir_plain_add(&t, ".");
  mpir_plain_add_dec(&t, crs.pid);
  if (bind(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + t.len)) || listen(fd, 8)) {
    close(fd);
    return;
  }
  high = fcntl(fd, F_DUPFD_CLOEXEC, LISTEN_FD_TOP);
  if (high >= 0)
    close(fd);
  crs.listen_fd = high >= 0 ? high : fd;
}

void mpir_crs_connection_listen_again(void) {
  mpir_crs_descriptors_lock();
  mpir_crs_connection_listen();
  mpir_crs_descriptors_unlock();
}

void mpir_crs_connection_serve(void) {
  static struct crs_request request;
  static struct crs_reply reply;
  pid_t requester = 0;
  int fd, rc;

  mpir_crs_descriptors_lock();
  fd = connection = accept4(crs.listen_fd, NULL, NULL, SOCK_CLOEXEC);
  rc = errno;
  mpir_crs_descriptors_unlock();
  errno = rc;
  if (fd < 0) {
    if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) /* the program closed our descriptor */
      mpir_crs_connection_listen_again();
    return;
  }
  rc = peer_may_ask(fd, &requester) ? read_request(fd, &request) : -EPERM;
  if (!rc) {
    if (!request.keep)
      request.keep = mpir_crs_defaults.request.keep;
    if (!request.whole_every)
      request.whole_every = mpir_crs_defaults.request.whole_every;
    request.flags |= mpir_crs_defaults.request.flags; /* what the program was started with holds for every image */
    rc = mpir_crs_run(&request, &reply, fd, requester);
    if (rc == 1) { /* another life: the connection was not restored */
      connection = -1;
      mpir_crs_tickets_restarted();
      return;
    }
  } else {
    memset(&reply, 0, sizeof(reply));
    reply.version = CRS_PROTOCOL_VERSION;
    reply.code = rc;
    strcpy(reply.text, rc == -EPERM ? "the process belongs to another user\n" : "the request is not understood\n");
  }
  write_all(fd, &reply, sizeof(reply));
  mpir_crs_descriptors_lock();
  close(fd);
  connection = -1;
  mpir_crs_descriptors_unlock();
  MPIR_checkpoint_served++;
  mpir_crs_signal_done(&request, rc);
  mpir_crs_save_reap();
}

void mpir_crs_connection_after_fork(void) {
  if (crs.listen_fd >= 0)
    close(crs.listen_fd);
  if (connection >= 0)
    close(connection);
  crs.listen_fd = connection = -1;
}

void mpir_crs_connection_restarted(void) { connection = -1; }
