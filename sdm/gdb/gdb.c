/* The gdb back end: one gdb per server, spoken to in MI 3, asynchronously.  Every command has a token; replies find
 * their way by it, so that a command that takes long holds up nothing else. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "sdm/gdb/gdb_private.h"

static void on_error(void *arg, unsigned events);

struct gdb_pending *sdm_gdb_send(struct sdm_backend *b, struct sdm_call *call, gdb_reply_f fn, const char *fmt, ...) {
  struct gdb_pending *p = sdm_alloc(sizeof(*p));
  struct dvm_text t = DVM_TEXT_INIT;
  va_list ap;
  *p = (struct gdb_pending){.token = ++b->token, .fn = fn, .call = call};
  *b->last = p;
  b->last = &p->next;
  dvm_text_printf(&t, "%llu", (unsigned long long)p->token);
  va_start(ap, fmt);
  dvm_text_vprintf(&t, fmt, ap);
  va_end(ap);
  dvm_text_add(&t, "\n");
  /* gdb reads its commands at once; a full pipe would mean a gdb that hangs, and the write then fails. */
  for (size_t at = 0; b->to >= 0 && at < t.len;) {
    ssize_t n = write(b->to, t.s + at, t.len - at);
    if (n < 0 && errno != EINTR)
      break;
    at += n > 0 ? (size_t)n : 0;
  }
  dvm_text_fini(&t);
  return p;
}

void sdm_gdb_pending_free(struct gdb_pending *p) {
  dvm_text_fini(&p->text);
  json_decref(p->kept);
  free(p);
}

static void gdb_gone(struct sdm_backend *b) {
  int status = 0;
  if (b->pid <= 0)
    return;
  if (b->err_watch)
    on_error(b, 0); /* why, if it said so */
  sdm_watch_free(b->from_watch);
  sdm_watch_free(b->err_watch);
  close(b->to);
  close(b->from);
  close(b->err);
  b->to = -1;
  json_decref(b->returning);
  b->returning = NULL;
  b->python = b->python_checkpoint = false;
  sdm_gdb_facts_forget(b);
  kill(b->pid, SIGKILL);
  waitpid(b->pid, &status, 0);
  b->pid = 0;
  for (size_t i = 0; i < b->nbreaks; i++) {
    free(b->breaks[i].number);
    b->breaks[i].number = NULL;
  }
  sdm_gdb_checkpoint_gone(b);
  sdm_gdb_end_forget(b);
  while (b->first) {
    struct gdb_pending *p = b->first;
    b->first = p->next;
    if (!b->first)
      b->last = &b->first;
    if (p->call)
      sdm_call_fail(p->call, "gdb died%s%s", b->last_error.len ? ": " : "", dvm_text_str(&b->last_error));
    sdm_gdb_pending_free(p);
  }
}

static void on_output(void *arg, unsigned events) {
  struct sdm_backend *b = arg;
  char buf[65536];
  (void)events;
  ssize_t n = read(b->from, buf, sizeof(buf));
  if (n > 0)
    sdm_mi_feed(&b->mi, buf, (size_t)n, sdm_gdb_on_record, b);
  else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
    gdb_gone(b);
    b->host.event(b->host.arg, json_pack("{s:s}", "event", "debugger-died"));
  }
}

static void on_error(void *arg, unsigned events) {
  struct sdm_backend *b = arg;
  char buf[1024];
  (void)events;
  ssize_t n = read(b->err, buf, sizeof(buf));
  if (n <= 0) {
    sdm_watch_free(b->err_watch);
    b->err_watch = NULL;
    return;
  }
  dvm_text_clear(&b->last_error); /* the last words are enough */
  while (n && buf[n - 1] == '\n')
    n--;
  dvm_text_add_n(&b->last_error, buf, (size_t)n);
}

static void child(const char *path, int in, int out, int err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(in, 0);
  dup2(out, 1);
  dup2(err, 2);
  setpgid(0, 0); /* a signal from the user's terminal is the front end's business */
  sdm_gdb_preload();
  execlp(path, path, "-q", "-nx", "--interpreter=mi3", (char *)NULL);
  dprintf(2, "cannot run '%s': %s\n", path, strerror(errno));
  _exit(127);
}

static int spawn(struct sdm_backend *b) {
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
    return -errno;
  b->pid = fork();
  if (!b->pid)
    child(b->path, in[0], out[1], err[1]);
  close(in[0]);
  close(out[1]);
  close(err[1]);
  b->to = in[1];
  b->from = out[0];
  b->err = err[0];
  fcntl(b->from, F_SETFL, O_NONBLOCK);
  fcntl(b->err, F_SETFL, O_NONBLOCK);
  sdm_mi_fini(&b->mi);
  b->mi = (struct sdm_mi){0};
  b->from_watch = sdm_loop_watch(b->host.loop, b->from, SDM_READ, on_output, b);
  b->err_watch = sdm_loop_watch(b->host.loop, b->err, SDM_READ, on_error, b);
  static const char *const settings[] = {
      "mi-async on",
      "pagination off",
      "confirm off",
      "width 0",
      "height 0",
      "breakpoint pending on",
      "print thread-events off",
      "debuginfod enabled off",
      "print elements 200",
      "startup-with-shell on",
      "unwindonsignal on", /* a function that is called from here and does not end can be stopped */
  };
  for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
    sdm_gdb_send(b, NULL, NULL, "-gdb-set %s", settings[i]);
  if (!sdm_gdb_hardware_watchpoints())
    sdm_gdb_send(b, NULL, NULL, "-gdb-set can-use-hw-watchpoints 0");
  sdm_gdb_use_cache(b);
  return b->pid < 0 ? -errno : 0;
}

static struct sdm_backend *gdb_create(const struct sdm_backend_host *host, const char *path, struct dvm_error *err) {
  (void)err;
  struct sdm_backend *b = sdm_alloc(sizeof(*b));
  b->host = *host;
  b->path = sdm_strdup(path ? path : "gdb");
  b->last = &b->first;
  b->to = -1;
  return b;
}

/* It detaches what was attached, and kills what was started. */
static void end_gdb(struct sdm_backend *b, bool kills) {
  if (kills) /* what it has come back to as well; it fails where it is to leave a program that others have killed */
    sdm_gdb_send(b, NULL, NULL, "-interpreter-exec console kill");
  else
    sdm_gdb_checkpoint_leave(b);
  sdm_gdb_send(b, NULL, NULL, "-gdb-exit");
  for (int i = 0; i < 100 && waitpid(b->pid, NULL, WNOHANG) == 0; i++)
    usleep(10000);
}

static void gdb_destroy(struct sdm_backend *b) {
  if (b->pid > 0) {
    bool ours = sdm_gdb_checkpoint_kills(b);
    if (ours && (b->running || sdm_gdb_checkpoint_away(b)))
      kill(b->program, SIGKILL); /* gdb itself follows */
    else
      end_gdb(b, ours);
    sdm_gdb_checkpoint_forget(b);
  }
  gdb_gone(b);
  sdm_gdb_checkpoint_free(b);
  sdm_gdb_end_free(b);
  sdm_term_free(b->term);
  sdm_mi_fini(&b->mi);
  dvm_text_fini(&b->last_error);
  for (size_t i = 0; i < b->nbreaks; i++)
    json_decref(b->breaks[i].args);
  free(b->breaks);
  sdm_gdb_facts_forget(b);
  json_decref(b->ended);
  json_decref(b->returning);
  json_decref(b->handled);
  json_decref(b->place);
  free(b->path);
  free(b);
}

bool sdm_gdb_ready(struct sdm_backend *b, struct sdm_call *c) {
  if (b->pid > 0)
    return true;
  sdm_call_fail(c, "no program is being debugged");
  return false;
}

bool sdm_gdb_start(struct sdm_backend *b, struct sdm_call *c) {
  if (b->pid <= 0 && !dvm_path_executable(b->path)) {
    sdm_call_fail(c, "there is no '%s' on this host: install the package gdb, or name one with '--backend-path PATH'", b->path);
    return false;
  }
  if (b->pid <= 0 && spawn(b)) {
    sdm_call_fail(c, "cannot start '%s': %s", b->path, strerror(errno));
    return false;
  }
  return true;
}

/* The program was detached from; its controlling terminal is ours, and would be hung up.  gdb itself has done its work. */
static bool gdb_needed(struct sdm_backend *b) {
  gdb_gone(b);
  int fd = b->launched && b->program > 0 ? (int)syscall(SYS_pidfd_open, b->program, 0) : -1;
  struct pollfd p = {.fd = fd, .events = POLLIN};
  bool runs = fd >= 0 && poll(&p, 1, 0) == 0; /* not even a zombie that nobody wants */
  if (fd >= 0)
    close(fd);
  return runs;
}

/* The program may have input before it is started. */
static void gdb_input(struct sdm_backend *b, bool eof, const void *p, size_t len) {
  struct dvm_error err = DVM_ERROR_INIT;
  if (sdm_gdb_open_term(b, &err) == 0)
    sdm_term_input(b->term, eof, p, len);
}

static size_t gdb_pending_input(struct sdm_backend *b) { return b->term ? sdm_term_pending(b->term) : 0; }

static void gdb_resume(struct sdm_backend *b) {
  if (!b->term)
    return;
  sdm_term_resume(b->term);
  sdm_gdb_checkpoint_resume(b);
  if (!b->ended || !sdm_term_drain(b->term))
    return;
  json_t *e = b->ended;
  b->ended = NULL;
  b->host.event(b->host.arg, e);
}

const struct sdm_backend_ops sdm_backend_gdb = {
    .name = "gdb",
    .create = gdb_create,
    .destroy = gdb_destroy,
    .input = gdb_input,
    .pending_input = gdb_pending_input,
    .resume = gdb_resume,
    .needed = gdb_needed,
    .launch = sdm_gdb_launch,
    .attach = sdm_gdb_attach,
    .core = sdm_gdb_core,
    .detach = sdm_gdb_detach,
    .kill = sdm_gdb_kill,
    .break_insert = sdm_gdb_break,
    .break_delete = sdm_gdb_delete,
    .break_enable = sdm_gdb_enable,
    .break_disable = sdm_gdb_disable,
    .break_condition = sdm_gdb_condition,
    .break_ignore = sdm_gdb_ignore,
    .watch = sdm_gdb_watch,
    .cont = sdm_gdb_cont,
    .step = sdm_gdb_step,
    .next = sdm_gdb_next,
    .stepi = sdm_gdb_stepi,
    .nexti = sdm_gdb_nexti,
    .advance = sdm_gdb_advance,
    .finish = sdm_gdb_finish,
    .until = sdm_gdb_until,
    .interrupt = sdm_gdb_interrupt,
    .stack = sdm_gdb_stack,
    .variables = sdm_gdb_variables,
    .evaluate = sdm_gdb_evaluate,
    .type = sdm_gdb_type,
    .memory = sdm_gdb_memory,
    .registers = sdm_gdb_registers,
    .threads = sdm_gdb_threads,
    .handle = sdm_gdb_handle,
    .list = sdm_gdb_list,
    .raw = sdm_gdb_raw,
    .dvm = sdm_gdb_dvm,
    .inspect = sdm_gdb_inspect,
    .sources = sdm_gdb_sources,
    .checkpoint = sdm_gdb_save,
    .restart = sdm_gdb_restart,
    .images = sdm_gdb_images,
    .defer = sdm_gdb_checkpoint_defer,
};
