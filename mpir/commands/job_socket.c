#include "mpir/commands/job_socket.h"
#include "mpir/commands/job_client.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = JOB_SOCKET_POLLED - 2 };

struct mpir_job_socket {
  struct mpir_job_served served;
  int listen[2];
  int connections[CONNECTIONS]; /* -1: free */
  int lease;                    /* connection of the checkpoint under way, or -1 */
};

static int listen_at(const struct sockaddr_un *address, socklen_t size) {
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && (bind(fd, (const struct sockaddr *)address, size) || listen(fd, CONNECTIONS))) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

struct mpir_job_socket *mpir_job_socket_open(const char *name, const struct mpir_job_served *served, struct dvm_error *err) {
  struct mpir_job_socket *s = calloc(1, sizeof(*s));
  struct sockaddr_un address;
  s->served = *served;
  s->lease = s->listen[1] = -1;
  for (int i = 0; i < CONNECTIONS; i++)
    s->connections[i] = -1;
  s->listen[0] = listen_at(&address, mpir_job_address(&address, getpid(), NULL));
  if (s->listen[0] >= 0 && *name)
    s->listen[1] = listen_at(&address, mpir_job_address(&address, 0, name));
  if (s->listen[0] >= 0 && (!*name || s->listen[1] >= 0))
    return s;
  if (errno == EADDRINUSE && s->listen[0] >= 0)
    dvm_error_set(err, -EEXIST, "there is already a job with the name '%s'", name);
  else
    dvm_error_errno(err, "cannot create the job's socket");
  mpir_job_socket_close(s);
  return NULL;
}

int mpir_job_socket_poll(const struct mpir_job_socket *s, struct pollfd *fds) {
  int n = 0;
  for (int i = 0; i < 2; i++)
    if (s->listen[i] >= 0)
      fds[n++] = (struct pollfd){s->listen[i], POLLIN, 0};
  for (int i = 0; i < CONNECTIONS; i++)
    if (s->connections[i] >= 0)
      fds[n++] = (struct pollfd){s->connections[i], POLLIN, 0};
  return n;
}

/* Only the same user, or root, may look at a job, or stop it. */
static bool is_allowed(int fd) {
  struct ucred who;
  socklen_t size = sizeof(who);
  return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) && (who.uid == geteuid() || who.uid == 0);
}

static void take_connections(struct mpir_job_socket *s, int listener) {
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
    int i = 0;
    while (i < CONNECTIONS && s->connections[i] >= 0)
      i++;
    if (i < CONNECTIONS && is_allowed(fd))
      s->connections[i] = fd;
    else
      close(fd);
  }
}

static void drop(struct mpir_job_socket *s, int i) {
  if (s->lease == s->connections[i])
    s->lease = -1;
  close(s->connections[i]);
  s->connections[i] = -1;
}

static void answer(struct mpir_job_socket *s, int fd, int code) {
  static struct job_answer a;
  memset(&a, 0, sizeof(a));
  a.version = JOB_PROTOCOL_VERSION;
  a.code = code;
  s->served.describe(s->served.arg, &a);
  if (send(fd, &a, sizeof(a), MSG_NOSIGNAL) < 0)
    return; /* it is gone, which the next read tells */
}

static int begin(struct mpir_job_socket *s, int fd) {
  int rc = s->lease >= 0 ? -EBUSY : s->served.begins(s->served.arg);
  if (!rc)
    s->lease = fd;
  return rc;
}

/* Only a path follows, as a text. */
static bool is_whole(uint32_t what, const char *text, size_t size) {
  return what == JOB_SAVED ? size > 1 && memchr(text, 0, size) == text + size - 1 : size == 0;
}

/* What the one who leads a checkpoint says. */
static bool take_word(const struct mpir_job_socket *s, uint32_t what, const char *text) {
  switch (what) {
  case JOB_STANDS: s->served.stands(s->served.arg); return true;
  case JOB_ENDS: s->served.ends(s->served.arg); return true;
  case JOB_SAVED: s->served.saved(s->served.arg, text); return true;
  default: return false;
  }
}

static void serve_one(struct mpir_job_socket *s, int i) {
  int fd = s->connections[i];
  struct {
    uint32_t what;
    char text[PATH_MAX];
  } asked;
  ssize_t n = recv(fd, &asked, sizeof(asked), 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n < (ssize_t)sizeof(asked.what) || !is_whole(asked.what, asked.text, (size_t)n - sizeof(asked.what))) {
    drop(s, i);
    return;
  }
  if (asked.what == JOB_ASK || asked.what == JOB_BEGIN)
    answer(s, fd, asked.what == JOB_BEGIN ? begin(s, fd) : 0);
  else if (fd != s->lease || !take_word(s, asked.what, asked.text) || send(fd, "", 1, MSG_NOSIGNAL) != 1)
    drop(s, i);
}

void mpir_job_socket_serve(struct mpir_job_socket *s) {
  for (int i = 0; i < CONNECTIONS; i++)
    if (s->connections[i] >= 0)
      serve_one(s, i);
  for (int i = 0; i < 2; i++)
    if (s->listen[i] >= 0)
      take_connections(s, s->listen[i]);
}

bool mpir_job_socket_busy(const struct mpir_job_socket *s) { return s->lease >= 0; }

void mpir_job_socket_give_up(struct mpir_job_socket *s) {
  for (int i = 0; i < CONNECTIONS && s->lease >= 0; i++)
    if (s->connections[i] == s->lease)
      drop(s, i);
}

void mpir_job_socket_close(struct mpir_job_socket *s) {
  if (!s)
    return;
  for (int i = 0; i < CONNECTIONS; i++)
    if (s->connections[i] >= 0)
      close(s->connections[i]);
  for (int i = 0; i < 2; i++)
    if (s->listen[i] >= 0)
      close(s->listen[i]);
  free(s);
}
