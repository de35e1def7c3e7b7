#define _GNU_SOURCE
#include "sdm/gdb/term.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "sdm/bytes.h"
#include "sdm/iolist.h"

struct sdm_term {
  bool (*output)(void *arg, unsigned stream, bool eof, const void *p, size_t len);
  void *arg;
  int pty, keep, err, err_keep; /* 'keep': our own hold on the program's side, so that the pty never hangs up */
  char name[128], pipe[64];
  struct sdm_watch *pty_watch, *err_watch;
  struct sdm_bytes in; /* waits to be typed */
  bool paused, eof, in_line, has_end; /* in_line: what was typed last does not end a line; has_end: byte 4 was */
};

static void set_events(struct sdm_term *t) {
  bool more = t->in.len || t->eof;
  sdm_watch_events(t->pty_watch, (t->paused ? 0u : SDM_READ) | (more ? SDM_WRITE : 0u));
  sdm_watch_events(t->err_watch, t->paused ? 0u : SDM_READ);
}

static bool copy_out(struct sdm_term *t, int fd, unsigned stream) {
  char buf[16384];
  ssize_t n = read(fd, buf, sizeof(buf));
  if (n > 0 && !t->output(t->arg, stream, false, buf, (size_t)n))
    t->paused = true;
  return n > 0;
}

/* The end of the input is a character; it means that only from here on, so that input may hold any byte before.
 * After an unfinished line the first one hands that over, the second one ends.  The kernel takes what is typed a
 * little later: an equal byte in the input must not be on its way any more. */
static void type_end(struct sdm_term *t) {
  static const char end[2] = {4, 4};
  size_t n = t->in_line ? 2 : 1;
  struct termios mode;
  if (t->has_end)
    usleep(20000);
  t->has_end = false;
  if (!tcgetattr(t->keep, &mode)) {
    mode.c_cc[VEOF] = (cc_t)end[0];
    tcsetattr(t->keep, TCSANOW, &mode);
  }
  t->eof = write(t->pty, end, n) != (ssize_t)n;
}

/* Longer input is typed piece by piece as the program reads; a terminal holds 4095 bytes. */
static void type_more(struct sdm_term *t) {
  ssize_t n = t->in.len ? write(t->pty, t->in.p, t->in.len < 1024 ? t->in.len : 1024) : 0;
  if (n > 0) {
    t->in_line = t->in.p[n - 1] != '\n';
    t->has_end |= memchr(t->in.p, 4, (size_t)n) != NULL;
    sdm_bytes_consume(&t->in, (size_t)n);
  }
  if (!t->in.len && t->eof)
    type_end(t);
}

static void on_pty(void *arg, unsigned events) {
  struct sdm_term *t = arg;
  if (events & SDM_READ)
    copy_out(t, t->pty, SDM_STDOUT);
  if (events & SDM_WRITE)
    type_more(t);
  set_events(t);
}

static void on_err(void *arg, unsigned events) {
  struct sdm_term *t = arg;
  (void)events;
  copy_out(t, t->err, SDM_STDERR);
  set_events(t);
}

static int open_pty(struct sdm_term *t) {
  struct termios mode;
  t->pty = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (t->pty < 0 || grantpt(t->pty) || unlockpt(t->pty) || ptsname_r(t->pty, t->name, sizeof(t->name)))
    return -errno;
  t->keep = open(t->name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (t->keep < 0 || tcgetattr(t->keep, &mode))
    return -errno;
  mode.c_oflag &= ~(tcflag_t)OPOST;                  /* no CR before LF */
  mode.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IXON | ISTRIP); /* what is typed arrives as it is */
  mode.c_lflag &= ~(tcflag_t)(ECHO | ISIG | IEXTEN);
  static const int keys[] = {VEOF, VEOL, VEOL2, VERASE, VKILL}; /* these edit a line: data is not edited */
  for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
    mode.c_cc[keys[i]] = _POSIX_VDISABLE;
  return tcsetattr(t->keep, TCSANOW, &mode) ? -errno : 0;
}

/* The program opens our pipe by its name in /proc: nothing is left over when we are killed. */
static int open_pipe(struct sdm_term *t) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return -errno;
  t->err = ends[0];
  t->err_keep = ends[1];
  snprintf(t->pipe, sizeof(t->pipe), "/proc/%d/fd/%d", (int)getpid(), t->err_keep);
  return fcntl(t->err, F_SETFL, O_NONBLOCK) ? -errno : 0;
}

struct sdm_term *sdm_term_new(struct sdm_loop *loop, bool (*output)(void *arg, unsigned stream, bool eof, const void *p, size_t len),
                              void *arg, struct dvm_error *err) {
  struct sdm_term *t = sdm_alloc(sizeof(*t));
  *t = (struct sdm_term){.output = output, .arg = arg, .pty = -1, .keep = -1, .err = -1, .err_keep = -1};
  int rc = open_pty(t);
  if (!rc)
    rc = open_pipe(t);
  if (rc) {
    dvm_error_set(err, rc, "cannot create a terminal for the program: %s", strerror(-rc));
    sdm_term_free(t);
    return NULL;
  }
  t->pty_watch = sdm_loop_watch(loop, t->pty, SDM_READ, on_pty, t);
  t->err_watch = sdm_loop_watch(loop, t->err, SDM_READ, on_err, t);
  return t;
}

void sdm_term_free(struct sdm_term *t) {
  if (!t)
    return;
  sdm_watch_free(t->pty_watch);
  sdm_watch_free(t->err_watch);
  int fds[] = {t->pty, t->keep, t->err, t->err_keep};
  for (int i = 0; i < 4; i++)
    if (fds[i] >= 0)
      close(fds[i]);
  sdm_bytes_fini(&t->in);
  free(t);
}

const char *sdm_term_name(const struct sdm_term *t) { return t->name; }
const char *sdm_term_stderr(const struct sdm_term *t) { return t->pipe; }

size_t sdm_term_pending(const struct sdm_term *t) { return t->in.len; }

void sdm_term_input(struct sdm_term *t, bool eof, const void *p, size_t len) {
  sdm_bytes_add(&t->in, p, len);
  t->eof |= eof;
  set_events(t);
}

/* The kernel hands on what was written to a terminal some time later.  A mark that we write ourselves on the program's
 * side arrives after all of it. */
static void drain_pty(struct sdm_term *t) {
  static uint64_t serial;
  char mark[48];
  int n = snprintf(mark, sizeof(mark), "\001sdm:%d:%llx\002", (int)getpid(), (unsigned long long)++serial * 0x9e3779b97f4a7c15u);
  struct sdm_bytes all = {0};
  uint8_t *at = NULL;
  struct pollfd full = {.fd = t->keep, .events = POLLOUT}, p = {.fd = t->pty, .events = POLLIN};
  if (poll(&full, 1, 0) != 1 || write(t->keep, mark, (size_t)n) != n)
    n = 0; /* the terminal is full: what is in it comes as it is read */
  while (n && !at && poll(&p, 1, 2000) == 1) {
    ssize_t got = read(t->pty, sdm_bytes_grow(&all, 16384), 16384);
    all.len -= (size_t)(16384 - (got > 0 ? got : 0));
    at = all.len ? memmem(all.p, all.len, mark, (size_t)n) : NULL;
  }
  if (at) {
    memmove(at, at + n, all.len - (size_t)(at - all.p) - (size_t)n);
    all.len -= (size_t)n;
  }
  if (all.len && !t->output(t->arg, SDM_STDOUT, false, all.p, all.len))
    t->paused = true;
  sdm_bytes_fini(&all);
}

bool sdm_term_drain(struct sdm_term *t) {
  struct pollfd room = {.fd = t->keep, .events = POLLOUT};
  for (int i = 0; !t->paused && i < 64 && poll(&room, 1, 0) == 0; i++) /* no room for a mark */
    copy_out(t, t->pty, SDM_STDOUT);
  if (!t->paused)
    drain_pty(t);
  while (!t->paused && copy_out(t, t->err, SDM_STDERR))
    ;
  set_events(t);
  return !t->paused;
}

void sdm_term_resume(struct sdm_term *t) {
  t->paused = false;
  set_events(t);
}
