#include "sdm/iof.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "sdm/net/ctx_private.h"

struct sdm_iof {
  int in, out;
  sdm_iof_handler_f fn;
  struct sdm_watch *watch;
};

int sdm_iof_copy(int fd_in, int fd_out) {
  char buf[16384];
  ssize_t n = read(fd_in, buf, sizeof(buf));
  if (n < 0)
    return errno == EAGAIN || errno == EINTR ? 1 : -errno;
  for (ssize_t at = 0; at < n;) {
    ssize_t done = write(fd_out, buf + at, (size_t)(n - at));
    if (done < 0 && errno == EAGAIN) { /* the reader is slow: so is the program then */
      struct pollfd p = {.fd = fd_out, .events = POLLOUT};
      poll(&p, 1, 1000);
    } else if (done < 0 && errno != EINTR)
      return -errno;
    at += done > 0 ? done : 0;
  }
  return (int)n;
}

static void on_ready(void *arg, unsigned events) {
  struct sdm_iof *f = arg;
  (void)events;
  if (f->fn(f->in, f->out) <= 0) {
    sdm_watch_free(f->watch);
    f->watch = NULL;
  }
}

static int set_handler(struct sdm_ctx *c, unsigned stream, int in, int out, sdm_iof_handler_f fn) {
  struct sdm_iof *f = c->iof[stream];
  if (f) {
    sdm_watch_free(f->watch);
    free(f);
    c->iof[stream] = NULL;
  }
  if (in < 0)
    return 0;
  f = sdm_alloc(sizeof(*f));
  *f = (struct sdm_iof){in, out, fn ? fn : sdm_iof_copy, NULL};
  c->iof[stream] = f;
  f->watch = sdm_loop_watch(c->loop, in, SDM_READ, on_ready, f);
  if (f->watch)
    return 0;
  if (errno != EPERM)
    return -EINVAL;
  while (f->fn(in, out) > 0) /* a plain file: epoll does not take it, and it is always ready */
    ;
  return 0;
}

int sdm_iof_set_stdin_handler(struct sdm_ctx *c, int fd_in, int fd_out, sdm_iof_handler_f handler) {
  return set_handler(c, SDM_STDIN, fd_in, fd_out, handler);
}
int sdm_iof_set_stdout_handler(struct sdm_ctx *c, int fd_in, int fd_out, sdm_iof_handler_f handler) {
  return set_handler(c, SDM_STDOUT, fd_in, fd_out, handler);
}
int sdm_iof_set_stderr_handler(struct sdm_ctx *c, int fd_in, int fd_out, sdm_iof_handler_f handler) {
  return set_handler(c, SDM_STDERR, fd_in, fd_out, handler);
}
