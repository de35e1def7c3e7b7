/* The gdb back end: one gdb per server, spoken to in MI 3, asynchronously.  Every command has a token; replies find
 * their way by it, so that a command that takes long holds up nothing else. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdm/backend.h"
#include "sdm/bytes.h"
#include "sdm/iolist.h"
#include "sdm/mi.h"
#include "sdm/term.h"

struct pending;
/* A reply has come: 'r' is NULL when gdb died before it. */
typedef void (*reply_f)(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r);

struct pending {
  uint64_t token;
  reply_f fn;
  struct sdm_call *call; /* may be NULL */
  struct dvm_text text;  /* console output while it ran */
  json_t *kept;          /* of an earlier step */
  struct pending *next;
};

struct breakpoint {
  long long id; /* the front end's; 0: deleted */
  char *number; /* gdb's; NULL: a new gdb does not have it yet */
  json_t *args; /* how it was asked for, kept up to date, for a new gdb; NULL: not to be set again */
};

struct sdm_backend {
  struct sdm_backend_host host;
  char *path;
  pid_t pid;
  int to, from, err;
  struct sdm_watch *from_watch, *err_watch;
  struct sdm_mi mi;
  uint64_t token;
  struct pending *first, **last;
  struct breakpoint *breaks;
  size_t nbreaks;
  struct sdm_term *term;
  bool interrupting; /* we asked for the next stop */
  int thread; /* of the last stop: gdb wants it named beside a frame */
  struct dvm_text last_error;
};

static void on_record(void *arg, const struct sdm_mi_record *r);
static void on_error(void *arg, unsigned events);

static struct pending *send_mi(struct sdm_backend *b, struct sdm_call *call, reply_f fn, const char *fmt, ...)
  __attribute__((format(printf, 4, 5)));

static struct pending *send_mi(struct sdm_backend *b, struct sdm_call *call, reply_f fn, const char *fmt, ...) {
  struct pending *p = sdm_alloc(sizeof(*p));
  struct dvm_text t = DVM_TEXT_INIT;
  va_list ap;
  *p = (struct pending){ .token = ++b->token, .fn = fn, .call = call };
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

static void pending_free(struct pending *p) {
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
  kill(b->pid, SIGKILL);
  waitpid(b->pid, &status, 0);
  b->pid = 0;
  for (size_t i = 0; i < b->nbreaks; i++) {
    free(b->breaks[i].number);
    b->breaks[i].number = NULL;
  }
  while (b->first) {
    struct pending *p = b->first;
    b->first = p->next;
    if (!b->first)
      b->last = &b->first;
    if (p->call)
      sdm_call_fail(p->call, "gdb died%s%s", b->last_error.len ? ": " : "", dvm_text_str(&b->last_error));
    pending_free(p);
  }
}

static void on_output(void *arg, unsigned events) {
  struct sdm_backend *b = arg;
  char buf[65536];
  (void)events;
  ssize_t n = read(b->from, buf, sizeof(buf));
  if (n > 0)
    sdm_mi_feed(&b->mi, buf, (size_t)n, on_record, b);
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
  b->mi = (struct sdm_mi){ 0 };
  b->from_watch = sdm_loop_watch(b->host.loop, b->from, SDM_READ, on_output, b);
  b->err_watch = sdm_loop_watch(b->host.loop, b->err, SDM_READ, on_error, b);
  static const char *const settings[] = {
    "mi-async on", "pagination off", "confirm off", "width 0", "height 0", "breakpoint pending on",
    "print thread-events off", "debuginfod enabled off", "print elements 200", "startup-with-shell on",
  };
  for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
    send_mi(b, NULL, NULL, "-gdb-set %s", settings[i]);
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

static void gdb_destroy(struct sdm_backend *b) {
  if (b->pid > 0) {
    send_mi(b, NULL, NULL, "-gdb-exit"); /* detaches what was attached, kills what was started */
    for (int i = 0; i < 100 && waitpid(b->pid, NULL, WNOHANG) == 0; i++)
      usleep(10000);
  }
  gdb_gone(b);
  sdm_term_free(b->term);
  sdm_mi_fini(&b->mi);
  dvm_text_fini(&b->last_error);
  for (size_t i = 0; i < b->nbreaks; i++)
    json_decref(b->breaks[i].args);
  free(b->breaks);
  free(b->path);
  free(b);
}

/* Records of gdb. */
static const char *field(const json_t *j, const char *key) { return json_string_value(json_object_get(j, key)); }

static const char *base_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

static void put_text(json_t *to, const char *key, const char *s) {
  if (s)
    json_object_set_new(to, key, json_string(s));
}

/* Function, file and line are the same on all ranks; the address may not be, and stays out. */
static void put_place(json_t *to, const json_t *frame) {
  const char *line = field(frame, "line");
  put_text(to, "func", field(frame, "func"));
  put_text(to, "file", base_name(field(frame, "file")));
  put_text(to, "path", field(frame, "fullname"));
  if (line)
    json_object_set_new(to, "line", json_integer(atoi(line)));
  if (!field(frame, "func"))
    put_text(to, "lib", base_name(field(frame, "from")));
}

static long long break_id(const struct sdm_backend *b, const char *number) {
  for (size_t i = 0; number && i < b->nbreaks; i++) /* "2.1" is a place of breakpoint 2 */
    if (b->breaks[i].number && !strncmp(b->breaks[i].number, number, strcspn(number, ".")) && strcspn(number, ".") == strlen(b->breaks[i].number))
      return b->breaks[i].id;
  return 0;
}

static struct breakpoint *find_break(const struct sdm_backend *b, long long id) {
  for (size_t i = 0; i < b->nbreaks && id; i++)
    if (b->breaks[i].id == id)
      return &b->breaks[i];
  return NULL;
}

static void stopped_details(json_t *e, const json_t *r) {
  const char *signal = field(r, "signal-name"), *code = field(r, "exit-code"), *ret = field(r, "return-value");
  put_text(e, "signal", signal);
  put_text(e, "return", ret);
  if (code)
    json_object_set_new(e, "code", json_integer(strtol(code, NULL, 8)));
  const json_t *v = json_object_get(r, "value"), *w = json_object_get(r, "wpt");
  if (w)
    put_text(e, "expression", field(w, "exp"));
  put_text(e, "old", field(v, "old"));
  put_text(e, "new", field(v, "new"));
}

static void on_stopped(struct sdm_backend *b, const json_t *r) {
  const char *reason = field(r, "reason"), *thread = field(r, "thread-id"), *number = field(r, "bkptno");
  json_t *e = json_object();
  bool ended = reason && !strncmp(reason, "exited", 6);
  const char *signal = field(r, "signal-name");
  /* -exec-interrupt shows as SIGINT, or as no signal at all */
  if (signal && (!strcmp(signal, "0") || (b->interrupting && !strcmp(signal, "SIGINT"))))
    reason = "interrupted";
  b->interrupting = false;
  json_object_set_new(e, "event", json_string(ended ? "exited" : "stopped"));
  json_object_set_new(e, "reason", json_string(reason ? reason : "stopped"));
  stopped_details(e, r);
  if (!number && json_object_get(r, "wpt"))
    number = field(json_object_get(r, "wpt"), "number");
  if (number && break_id(b, number))
    json_object_set_new(e, "bp", json_integer(break_id(b, number)));
  if (thread) {
    b->thread = atoi(thread);
    json_object_set_new(e, "thread", json_integer(b->thread));
  }
  if (json_object_get(r, "frame"))
    put_place(e, json_object_get(r, "frame"));
  if (b->term)
    sdm_term_drain(b->term); /* what the program wrote before comes before */
  b->host.event(b->host.arg, e);
}

static struct pending *take_pending(struct sdm_backend *b, uint64_t token) {
  for (struct pending **p = &b->first; *p; p = &(*p)->next)
    if ((*p)->token == token) {
      struct pending *found = *p;
      *p = found->next;
      if (!*p)
        b->last = p;
      return found;
    }
  return NULL;
}

static void on_record(void *arg, const struct sdm_mi_record *r) {
  struct sdm_backend *b = arg;
  if (r->kind == SDM_MI_RESULT) {
    struct pending *p = take_pending(b, r->token);
    if (!p)
      return;
    if (!strcmp(r->name, "error") && p->call) {
      const char *msg = field(r->results, "msg");
      sdm_call_fail(p->call, "%s", msg && *msg ? msg : "gdb gives no reason");
    } else if (p->fn)
      p->fn(b, p, r);
    else if (p->call)
      sdm_call_done(p->call, NULL, NULL);
    pending_free(p);
  } else if (r->kind == SDM_MI_EXEC && !strcmp(r->name, "stopped"))
    on_stopped(b, r->results);
  else if (r->kind == SDM_MI_EXEC && !strcmp(r->name, "running"))
    b->host.event(b->host.arg, json_pack("{s:s}", "event", "running"));
  else if (r->kind == SDM_MI_CONSOLE && b->first)
    dvm_text_add(&b->first->text, r->text); /* gdb works through its commands in order */
}

/* Thread and frame options of a command. */
static void put_where(const struct sdm_backend *b, struct dvm_text *t, const struct sdm_call *c) {
  long long thread = sdm_call_number(c, "thread", 0), frame = sdm_call_number(c, "frame", -1);
  if (frame >= 0 && thread <= 0)
    thread = b->thread ? b->thread : 1;
  if (thread > 0)
    dvm_text_printf(t, " --thread %lld", thread);
  if (frame >= 0)
    dvm_text_printf(t, " --frame %lld", frame);
}

static bool ready(struct sdm_backend *b, struct sdm_call *c) {
  if (b->pid > 0)
    return true;
  sdm_call_fail(c, "no program is being debugged");
  return false;
}

static bool start_gdb(struct sdm_backend *b, struct sdm_call *c) {
  if (b->pid <= 0 && spawn(b)) {
    sdm_call_fail(c, "cannot start '%s': %s", b->path, strerror(errno));
    return false;
  }
  return true;
}

static void put_shell_word(struct dvm_text *t, const char *s) {
  dvm_text_add(t, "'");
  for (; *s; s++)
    if (*s == '\'')
      dvm_text_add(t, "'\\''");
    else
      dvm_text_add_n(t, s, 1);
  dvm_text_add(t, "'");
}

static bool term_output(void *arg, unsigned stream, bool eof, const void *p, size_t len) {
  struct sdm_backend *b = arg;
  return b->host.output(b->host.arg, stream, eof, p, len);
}

static void restore_breaks(struct sdm_backend *b);

static void gdb_launch(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text args = DVM_TEXT_INIT, prog = DVM_TEXT_INIT;
  struct dvm_error err = DVM_ERROR_INIT;
  const json_t *list = json_object_get(sdm_call_args(c), "args");
  const json_t *word;
  size_t i;
  bool load = sdm_call_number(c, "load", 0); /* only made ready, for breakpoints */
  if (!start_gdb(b, c))
    return;
  if (!b->term && !(b->term = sdm_term_new(b->host.loop, term_output, b, &err))) {
    sdm_call_fail(c, "%s", err.text);
    return;
  }
  json_array_foreach((json_t *)list, i, word) {
    dvm_text_add(&args, " ");
    put_shell_word(&args, json_string_value(word) ? json_string_value(word) : "");
  }
  dvm_text_printf(&args, " 2>%s", sdm_term_stderr(b->term));
  sdm_mi_quote(&prog, sdm_call_text(c, "program", ""));
  send_mi(b, NULL, NULL, "-inferior-tty-set %s", sdm_term_name(b->term));
  send_mi(b, NULL, NULL, "-exec-arguments%s", dvm_text_str(&args));
  send_mi(b, load ? c : NULL, NULL, "-file-exec-and-symbols %s", dvm_text_str(&prog));
  restore_breaks(b);
  if (!load)
    send_mi(b, c, NULL, "-exec-run%s", sdm_call_number(c, "stop", 1) ? " --start" : "");
  dvm_text_fini(&args);
  dvm_text_fini(&prog);
}

static void gdb_attach(struct sdm_backend *b, struct sdm_call *c) {
  if (!start_gdb(b, c))
    return;
  send_mi(b, c, NULL, "-target-attach %lld", sdm_call_number(c, "pid", 0));
  restore_breaks(b);
}

static void gdb_core(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text prog = DVM_TEXT_INIT;
  const char *core = sdm_call_text(c, "file", "");
  if (!*core || strpbrk(core, "\r\n")) {
    sdm_call_fail(c, "no core file is named");
    return;
  }
  if (!start_gdb(b, c))
    return;
  sdm_mi_quote(&prog, sdm_call_text(c, "program", ""));
  if (*sdm_call_text(c, "program", ""))
    send_mi(b, NULL, NULL, "-file-exec-and-symbols %s", dvm_text_str(&prog));
  send_mi(b, c, NULL, "-target-select core %s", core); /* the rest of the line is the name: no quotes */
  dvm_text_fini(&prog);
}

static void got_break(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r) {
  const json_t *k = json_object_get(r->results, "bkpt");
  if (!k)
    k = json_object_get(r->results, "wpt");
  if (!k)
    k = json_object_get(r->results, "hw-rwpt");
  if (json_is_array(k))
    k = json_array_get(k, 0);
  const char *number = field(k, "number");
  long long id = sdm_call_number(p->call, "id", 0);
  b->breaks = sdm_realloc(b->breaks, (b->nbreaks + 1) * sizeof(*b->breaks));
  json_t *args = strcmp(sdm_call_text(p->call, "cmd", ""), "break") || sdm_call_number(p->call, "temporary", 0)
                   ? NULL : json_copy((json_t *)sdm_call_args(p->call));
  b->breaks[b->nbreaks++] = (struct breakpoint){ id, sdm_strdup(number ? number : ""), args };
  json_t *result = json_pack("{s:I}", "id", (json_int_t)id);
  put_place(result, k);
  put_text(result, "pending", field(k, "pending"));
  put_text(result, "expression", field(k, "exp"));
  sdm_call_done(p->call, result, NULL);
}

static struct pending *insert_break(struct sdm_backend *b, struct sdm_call *c, reply_f fn, const json_t *args) {
  struct dvm_text t = DVM_TEXT_INIT;
  long long ignore = json_integer_value(json_object_get(args, "ignore"));
  dvm_text_add(&t, "-break-insert -f");
  if (json_integer_value(json_object_get(args, "temporary")))
    dvm_text_add(&t, " -t");
  if (json_integer_value(json_object_get(args, "disabled")))
    dvm_text_add(&t, " -d");
  if (ignore)
    dvm_text_printf(&t, " -i %lld", ignore);
  if (field(args, "condition") && *field(args, "condition")) {
    dvm_text_add(&t, " -c ");
    sdm_mi_quote(&t, field(args, "condition"));
  }
  dvm_text_add(&t, " ");
  sdm_mi_quote(&t, field(args, "where") ? field(args, "where") : "main");
  struct pending *p = send_mi(b, c, fn, "%s", dvm_text_str(&t));
  dvm_text_fini(&t);
  return p;
}

static void gdb_break(struct sdm_backend *b, struct sdm_call *c) {
  if (start_gdb(b, c))
    insert_break(b, c, got_break, sdm_call_args(c));
}

static void got_break_again(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r) {
  struct breakpoint *k = find_break(b, json_integer_value(p->kept));
  const char *number = field(json_object_get(r->results, "bkpt"), "number");
  if (k && !k->number && number)
    k->number = sdm_strdup(number);
}

/* A gdb that took the place of one that died gets its breakpoints. */
static void restore_breaks(struct sdm_backend *b) {
  for (size_t i = 0; i < b->nbreaks; i++)
    if (b->breaks[i].id && !b->breaks[i].number && b->breaks[i].args)
      insert_break(b, NULL, got_break_again, b->breaks[i].args)->kept = json_integer(b->breaks[i].id);
}

static void gdb_watch(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  const char *access = sdm_call_text(c, "access", "write");
  sdm_mi_quote(&t, sdm_call_text(c, "expression", ""));
  if (ready(b, c))
    send_mi(b, c, got_break, "-break-watch %s%s", *access == 'r' ? "-r " : *access == 'a' ? "-a " : "", dvm_text_str(&t));
  dvm_text_fini(&t);
}

static void break_command(struct sdm_backend *b, struct sdm_call *c, const char *command, const char *rest) {
  struct breakpoint *k = find_break(b, sdm_call_number(c, "id", 0));
  if (!k || !k->number) {
    sdm_call_fail(c, "no breakpoint %lld", sdm_call_number(c, "id", 0));
    return;
  }
  if (!ready(b, c))
    return;
  if (k->args && *command == 'c')
    json_object_set_new(k->args, "condition", json_string(rest));
  if (k->args && (*command == 'd' || *command == 'e'))
    json_object_set_new(k->args, "disabled", json_integer(*command == 'd'));
  send_mi(b, c, NULL, "-break-%s %s %s", command, k->number, rest);
}

static void gdb_delete(struct sdm_backend *b, struct sdm_call *c) {
  long long id = sdm_call_number(c, "id", 0);
  break_command(b, c, "delete", "");
  struct breakpoint *k = find_break(b, id);
  if (k)
    k->id = 0;
}
static void gdb_enable(struct sdm_backend *b, struct sdm_call *c) { break_command(b, c, "enable", ""); }
static void gdb_disable(struct sdm_backend *b, struct sdm_call *c) { break_command(b, c, "disable", ""); }
static void gdb_condition(struct sdm_backend *b, struct sdm_call *c) {
  break_command(b, c, "condition", sdm_call_text(c, "condition", ""));
}
static void gdb_ignore(struct sdm_backend *b, struct sdm_call *c) {
  char count[24];
  snprintf(count, sizeof(count), "%lld", sdm_call_number(c, "count", 0));
  break_command(b, c, "after", count);
}

static void exec_command(struct sdm_backend *b, struct sdm_call *c, const char *command) {
  struct dvm_text t = DVM_TEXT_INIT;
  long long count = sdm_call_number(c, "count", 1), thread = sdm_call_number(c, "thread", 0);
  if (thread > 0)
    dvm_text_printf(&t, " --thread %lld", thread);
  if (count > 1)
    dvm_text_printf(&t, " %lld", count);
  if (ready(b, c))
    send_mi(b, c, NULL, "-exec-%s%s", command, dvm_text_str(&t));
  dvm_text_fini(&t);
}

static void gdb_cont(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "continue"); }
static void gdb_step(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "step"); }
static void gdb_next(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "next"); }
static void gdb_stepi(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "step-instruction"); }
static void gdb_finish(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "finish"); }
static void gdb_until(struct sdm_backend *b, struct sdm_call *c) {
  if (ready(b, c))
    send_mi(b, c, NULL, "-exec-until %s", sdm_call_text(c, "where", ""));
}
static void gdb_interrupt(struct sdm_backend *b, struct sdm_call *c) {
  b->interrupting = true;
  if (ready(b, c))
    send_mi(b, c, NULL, "-exec-interrupt --all");
}
static void gdb_detach(struct sdm_backend *b, struct sdm_call *c) {
  if (ready(b, c))
    send_mi(b, c, NULL, "-target-detach");
}
static void gdb_kill(struct sdm_backend *b, struct sdm_call *c) {
  if (ready(b, c))
    send_mi(b, c, NULL, "-interpreter-exec console kill");
}

static void got_stack(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r) {
  (void)b;
  json_t *frames = json_array(), *addresses = json_array();
  size_t i;
  json_t *f;
  json_array_foreach(json_object_get(r->results, "stack"), i, f) {
    json_t *out = json_pack("{s:i}", "level", atoi(field(f, "level") ? field(f, "level") : "0"));
    put_place(out, f);
    json_array_append_new(frames, out);
    json_array_append_new(addresses, json_string(field(f, "addr") ? field(f, "addr") : ""));
  }
  sdm_call_done(p->call, json_pack("{s:o}", "frames", frames), addresses);
}

static void gdb_stack(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  put_where(b, &t, c);
  if (ready(b, c))
    send_mi(b, c, got_stack, "-stack-list-frames%s %lld %lld", dvm_text_str(&t), sdm_call_number(c, "low", 0),
            sdm_call_number(c, "high", 99));
  dvm_text_fini(&t);
}

static void got_variables(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r) {
  (void)b;
  json_t *out = json_array(), *v;
  const char *kind = sdm_call_text(p->call, "kind", "all");
  size_t i;
  json_array_foreach(json_object_get(r->results, "variables"), i, v) {
    bool arg = field(v, "arg") != NULL;
    if ((!strcmp(kind, "args") && !arg) || (!strcmp(kind, "locals") && arg))
      continue;
    json_array_append_new(out, json_pack("{s:s, s:s}", "name", field(v, "name") ? field(v, "name") : "?", "value",
                                         field(v, "value") ? field(v, "value") : "..."));
  }
  sdm_call_done(p->call, json_pack("{s:o}", "variables", out), NULL);
}

/* The innermost frame whose source is here is the user's: those of the system's libraries rarely are. */
static void got_sourced(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r) {
  size_t i;
  json_t *f;
  long long level = 0;
  json_array_foreach(json_object_get(r->results, "stack"), i, f)
    if (field(f, "fullname") && !access(field(f, "fullname"), R_OK)) {
      level = atoll(field(f, "level") ? field(f, "level") : "0");
      break;
    }
  send_mi(b, p->call, got_variables, "-stack-list-variables --thread %d --frame %lld --all-values",
          b->thread ? b->thread : 1, level);
}

static void gdb_variables(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  put_where(b, &t, c);
  if (sdm_call_number(c, "sourced", 0)) {
    if (ready(b, c))
      send_mi(b, c, got_sourced, "-stack-list-frames 0 63");
  } else if (ready(b, c))
    send_mi(b, c, got_variables, "-stack-list-variables%s --all-values", dvm_text_str(&t));
  dvm_text_fini(&t);
}

/* Parts of a value, by a variable object of gdb that lives for three commands.  'kept' has the expression. */
static void got_children(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r) {
  (void)b;
  json_t *out = json_array(), *v;
  const char *whole = sdm_call_text(p->call, "expression", "");
  size_t i;
  json_array_foreach(json_object_get(r->results, "children"), i, v) {
    const char *name = field(v, "exp"), *value = field(v, "value");
    struct dvm_text e = DVM_TEXT_INIT;
    if (!name)
      continue;
    if (isdigit((unsigned char)*name))
      dvm_text_printf(&e, "(%s)[%s]", whole, name);
    else if (*name == '*')
      dvm_text_printf(&e, "*(%s)", whole);
    else /* '.' of a structure; gdb takes it for a pointer to one too */
      dvm_text_printf(&e, "(%s).%s", whole, name);
    json_array_append_new(out, json_pack("{s:s, s:s, s:s}", "name", name, "value", value ? value : "{...}", "expression",
                                         dvm_text_str(&e)));
    dvm_text_fini(&e);
  }
  sdm_call_done(p->call, json_pack("{s:o}", "variables", out), NULL);
}

static void gdb_children(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  if (!ready(b, c))
    return;
  put_where(b, &t, c);
  dvm_text_add(&t, " parts * ");
  sdm_mi_quote(&t, sdm_call_text(c, "expression", ""));
  send_mi(b, NULL, NULL, "-var-create%s", dvm_text_str(&t));
  send_mi(b, c, got_children, "-var-list-children --all-values parts 0 1000");
  send_mi(b, NULL, NULL, "-var-delete parts");
  dvm_text_fini(&t);
}

static void got_value(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r) {
  (void)b;
  const char *v = field(r->results, "value");
  sdm_call_done(p->call, json_pack("{s:s}", "value", v ? v : ""), NULL);
}

static void gdb_evaluate(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT, e = DVM_TEXT_INIT;
  const char *value = sdm_call_text(c, "value", NULL);
  put_where(b, &t, c);
  dvm_text_add(&e, sdm_call_text(c, "expression", ""));
  if (value)
    dvm_text_printf(&e, " = %s", value);
  dvm_text_add(&t, " ");
  sdm_mi_quote(&t, dvm_text_str(&e));
  if (ready(b, c))
    send_mi(b, c, got_value, "-data-evaluate-expression%s", dvm_text_str(&t));
  dvm_text_fini(&t);
  dvm_text_fini(&e);
}

static void got_text(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r) {
  (void)b, (void)r;
  while (p->text.len && isspace((unsigned char)p->text.s[p->text.len - 1]))
    p->text.s[--p->text.len] = 0;
  sdm_call_done(p->call, json_pack("{s:s}", "text", dvm_text_str(&p->text)), NULL);
}

static void console(struct sdm_backend *b, struct sdm_call *c, const char *command) {
  struct dvm_text t = DVM_TEXT_INIT;
  put_where(b, &t, c);
  dvm_text_add(&t, " console ");
  sdm_mi_quote(&t, command);
  if (start_gdb(b, c))
    send_mi(b, c, got_text, "-interpreter-exec%s", dvm_text_str(&t));
  dvm_text_fini(&t);
}

static void console_with(struct sdm_backend *b, struct sdm_call *c, const char *verb, const char *rest) {
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%s%s", verb, rest);
  console(b, c, dvm_text_str(&t));
  dvm_text_fini(&t);
}

static void gdb_type(struct sdm_backend *b, struct sdm_call *c) {
  console_with(b, c, "ptype ", sdm_call_text(c, "expression", ""));
}
static void gdb_handle(struct sdm_backend *b, struct sdm_call *c) {
  const char *what = sdm_call_text(c, "what", "");
  console_with(b, c, *what ? "handle " : "info signals", what);
}
static void gdb_raw(struct sdm_backend *b, struct sdm_call *c) { console(b, c, sdm_call_text(c, "text", "")); }
static void gdb_registers(struct sdm_backend *b, struct sdm_call *c) {
  console_with(b, c, "info registers ", sdm_call_text(c, "names", ""));
}

static void got_memory(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r) {
  (void)b;
  json_t *m = json_array_get(json_object_get(r->results, "memory"), 0);
  sdm_call_done(p->call, json_pack("{s:s}", "bytes", field(m, "contents") ? field(m, "contents") : ""),
                json_pack("{s:s}", "address", field(m, "begin") ? field(m, "begin") : ""));
}

static void gdb_memory(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  const char *bytes = sdm_call_text(c, "bytes", NULL); /* hexadecimal: to be written */
  sdm_mi_quote(&t, sdm_call_text(c, "address", ""));
  if (!ready(b, c))
    ;
  else if (bytes)
    send_mi(b, c, NULL, "-data-write-memory-bytes %s \"%s\"", dvm_text_str(&t), bytes);
  else
    send_mi(b, c, got_memory, "-data-read-memory-bytes %s %lld", dvm_text_str(&t), sdm_call_number(c, "count", 64));
  dvm_text_fini(&t);
}

static void got_threads(struct sdm_backend *b, struct pending *p, const struct sdm_mi_record *r) {
  (void)b;
  json_t *out = json_array(), *detail = json_array(), *t;
  size_t i;
  json_array_foreach(json_object_get(r->results, "threads"), i, t) {
    json_t *one = json_object();
    json_object_set_new(one, "id", json_integer(atoi(field(t, "id") ? field(t, "id") : "0")));
    put_text(one, "name", field(t, "name"));
    put_text(one, "state", field(t, "state"));
    if (json_object_get(t, "frame"))
      put_place(one, json_object_get(t, "frame"));
    json_array_append_new(out, one);
    json_array_append_new(detail, json_string(field(t, "target-id") ? field(t, "target-id") : ""));
  }
  sdm_call_done(p->call, json_pack("{s:o}", "threads", out), detail);
}

static void gdb_threads(struct sdm_backend *b, struct sdm_call *c) {
  if (ready(b, c))
    send_mi(b, c, got_threads, "-thread-info");
}

static void gdb_input(struct sdm_backend *b, bool eof, const void *p, size_t len) {
  if (b->term)
    sdm_term_input(b->term, eof, p, len);
}

static void gdb_resume(struct sdm_backend *b) {
  if (b->term)
    sdm_term_resume(b->term);
}

const struct sdm_backend_ops sdm_backend_gdb = {
  .name = "gdb", .create = gdb_create, .destroy = gdb_destroy, .input = gdb_input, .resume = gdb_resume,
  .launch = gdb_launch, .attach = gdb_attach, .core = gdb_core, .detach = gdb_detach, .kill = gdb_kill,
  .break_insert = gdb_break, .break_delete = gdb_delete, .break_enable = gdb_enable, .break_disable = gdb_disable,
  .break_condition = gdb_condition, .break_ignore = gdb_ignore, .watch = gdb_watch, .cont = gdb_cont,
  .step = gdb_step, .next = gdb_next, .stepi = gdb_stepi, .finish = gdb_finish, .until = gdb_until,
  .interrupt = gdb_interrupt, .stack = gdb_stack, .variables = gdb_variables, .children = gdb_children, .evaluate = gdb_evaluate,
  .type = gdb_type, .memory = gdb_memory, .registers = gdb_registers, .threads = gdb_threads,
  .handle = gdb_handle, .raw = gdb_raw,
};
