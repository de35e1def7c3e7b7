#include "runtime/parallel/live.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int fd = -1;
static bool steps;

void dvmp_live_end(void) {
  if (fd >= 0)
    close(fd);
  fd = -1;
}

static bool send_all(const void *p, size_t n) {
  const char *at = p;
  while (n && fd >= 0) {
    ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0) {
      dvmp_live_end();
      return false;
    }
    at += sent;
    n -= (size_t)sent;
  }
  return fd >= 0;
}

bool dvmp_live_answer(void *answer, size_t n) {
  char *at = answer;
  while (n && fd >= 0) {
    ssize_t got = recv(fd, at, n, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      dvmp_live_end();
      return false;
    }
    at += got;
    n -= (size_t)got;
  }
  return fd >= 0;
}

bool dvmp_live_send(const void *chunk, size_t bytes, enum dvmt_live_asks asks) {
  const struct dvmt_live_head head = {(uint32_t)bytes, asks};
  return send_all(&head, sizeof(head)) && send_all(chunk, bytes);
}

bool dvmp_live_wanted(void) { return fd >= 0; }
bool dvmp_live_steps(void) { return steps; }

void dvmp_live_begin(const char *path, bool by_steps) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  const struct dvmt_live_hello hello = {DVMT_LIVE_MAGIC, (uint32_t)dvmp_job.rank, (uint32_t)dvmp_job.size};
  if (!strcmp(path, DVMT_LIVE_REFERENCE))
    dvmp_fail_here(1, NULL, "the reference of 'dvm compare --live' is the sequential program: compile it with 'dvmcc -fdvm=trace'");
  if (strlen(path) >= sizeof(at.sun_path))
    dvmp_fail_here(1, NULL, "the socket of 'dvm compare --live' has a name that is too long: '%s'", path);
  strcpy(at.sun_path, path);
  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (const struct sockaddr *)&at, sizeof(at)))
    dvmp_fail_here(1, NULL, "rank %d cannot reach 'dvm compare --live' at '%s': %s (all ranks must run on its host)", dvmp_job.rank, path,
                   strerror(errno));
  steps = by_steps;
  send_all(&hello, sizeof(hello));
}
