/* Commands that the back end runs beside gdb: they save a program, and start it again. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "sdm/gdb/gdb_checkpoint.h"
#include "sdm/iolist.h"

#define OUTPUT_MAX (1u << 20) /* bytes kept */

struct gdb_child {
  struct sdm_backend *b;
  pid_t pid;
  int from, process;
  struct sdm_watch *from_watch, *process_watch;
  struct dvm_text rest, output; /* a line without its end; all that it said */
  bool forward, paused;         /* the program's from now on */
  bool (*line)(struct sdm_backend *b, const char *text);
  void (*end)(struct sdm_backend *b, int status, const char *output);
};

/* The program's terminal becomes its own, as of a program that gdb starts. */
static _Noreturn void become(const char *command, const char *terminal, int to) {
  int in = open(terminal ? terminal : "/dev/null", O_RDWR | O_NOCTTY);
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGTERM); /* the restart command passes it on to the program */
  if (terminal)
    ioctl(in, TIOCSCTTY, 0);
  dup2(in, 0);
  dup2(terminal ? in : to, 1);
  dup2(to, 2);
  close_range(3, ~0u, 0);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(127);
}

static void take_line(struct gdb_child *c, const char *p, size_t len) {
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_add_n(&t, p, len);
  c->forward = c->line && c->line(c->b, dvm_text_str(&t));
  if (c->output.len < OUTPUT_MAX)
    dvm_text_printf(&c->output, "%s%s", c->output.len ? "\n" : "", dvm_text_str(&t));
  dvm_text_fini(&t);
}

static void take(struct gdb_child *c, const char *p, size_t len) {
  while (len && !c->forward) {
    const char *nl = memchr(p, '\n', len);
    size_t n = nl ? (size_t)(nl - p) : len;
    dvm_text_add_n(&c->rest, p, n);
    p += n + (nl != NULL);
    len -= n + (nl != NULL);
    if (nl) {
      take_line(c, dvm_text_str(&c->rest), c->rest.len);
      dvm_text_clear(&c->rest);
    }
  }
  if (len && !c->b->host.output(c->b->host.arg, SDM_STDERR, false, p, len)) {
    c->paused = true;
    sdm_watch_events(c->from_watch, 0);
  }
}

static void close_output(struct gdb_child *c) {
  sdm_watch_free(c->from_watch);
  c->from_watch = NULL;
  if (c->from >= 0)
    close(c->from);
  c->from = -1;
}

static void on_output(void *arg, unsigned events) {
  struct gdb_child *c = arg;
  char block[4096];
  (void)events;
  ssize_t n = read(c->from, block, sizeof(block));
  if (n > 0)
    take(c, block, (size_t)n);
  else if (n == 0 || (errno != EAGAIN && errno != EINTR))
    close_output(c);
}

static void on_end(void *arg, unsigned events) {
  struct gdb_child *c = arg;
  struct pollfd more = {.fd = c->from, .events = POLLIN};
  int status = 0;
  (void)events;
  while (c->from >= 0 && !c->paused && poll(&more, 1, 0) == 1)
    on_output(c, SDM_READ);
  if (c->rest.len)
    take_line(c, dvm_text_str(&c->rest), c->rest.len);
  waitpid(c->pid, &status, 0);
  c->pid = 0;
  sdm_watch_free(c->process_watch);
  c->process_watch = NULL;
  c->end(c->b, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), dvm_text_str(&c->output));
}

struct gdb_child *sdm_gdb_child_start(struct sdm_backend *b, const char *command, bool terminal,
                                      bool (*line)(struct sdm_backend *b, const char *text),
                                      void (*end)(struct sdm_backend *b, int status, const char *output)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return NULL;
  struct gdb_child *c = sdm_alloc(sizeof(*c));
  *c = (struct gdb_child){.b = b, .from = ends[0], .line = line, .end = end, .process = -1};
  fcntl(c->from, F_SETFL, O_NONBLOCK);
  c->pid = fork();
  if (!c->pid)
    become(command, terminal ? sdm_term_name(b->term) : NULL, ends[1]);
  close(ends[1]);
  c->process = c->pid > 0 ? (int)syscall(SYS_pidfd_open, c->pid, 0) : -1;
  if (c->process < 0) {
    sdm_gdb_child_free(c);
    return NULL;
  }
  fcntl(c->process, F_SETFD, FD_CLOEXEC);
  c->from_watch = sdm_loop_watch(b->host.loop, c->from, SDM_READ, on_output, c);
  c->process_watch = sdm_loop_watch(b->host.loop, c->process, SDM_READ, on_end, c);
  return c;
}

void sdm_gdb_child_interrupt(struct gdb_child *c) {
  if (c->pid > 0)
    kill(-c->pid, SIGTERM); /* of its session, with what the shell has started */
}

void sdm_gdb_child_resume(struct gdb_child *c) {
  if (!c || !c->paused)
    return;
  c->paused = false;
  if (c->from_watch)
    sdm_watch_events(c->from_watch, SDM_READ);
}

void sdm_gdb_child_free(struct gdb_child *c) {
  if (!c)
    return;
  sdm_watch_free(c->process_watch);
  close_output(c);
  if (c->pid > 0) {
    bool gone = false;
    kill(-c->pid, SIGTERM);
    for (int i = 0; i < 100 && !(gone = waitpid(c->pid, NULL, WNOHANG) != 0); i++)
      usleep(10000);
    if (!gone) {
      kill(c->pid, SIGKILL);
      waitpid(c->pid, NULL, 0);
    }
  }
  if (c->process >= 0)
    close(c->process);
  dvm_text_fini(&c->rest);
  dvm_text_fini(&c->output);
  free(c);
}
