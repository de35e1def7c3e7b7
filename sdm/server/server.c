#define _GNU_SOURCE /* pipe2 */
#include "sdm/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdm/gdb/call.h"
#include "sdm/server/by_rank.h"
#include "sdm/server/input.h"
#include "sdm/server/reduced.h"

#define CREDIT_START 65536
#define LINE_MAX_BYTES 4096
#define OOB_RETRY_US 5000
#define LEAVE_US 5000000
#define LINGER_US 500000
#define PARTIAL_US 50000 /* a line without an end is sent after that */

struct server {
  struct sdm_ctx *ctx;
  const struct sdm_backend_ops *ops;
  struct sdm_backend *backend;
  bool quit, oob, held, told_lost, leaving, left; /* leaving: nobody is above us any more, the program is being left; left: it was before */
  enum sdm_orphan orphan;
  uint32_t app;
  struct sdm_timer *linger;
  json_t *last; /* the last event: where the program is; owned, for a front end that comes later */
  json_t *names; /* sets that the front end has named; owned, or NULL */
  json_t *breaks; /* commands of the breakpoints that there are, by number; owned */
  int64_t credit;
  struct sdm_bytes line[3];
  struct sdm_timer *flush;
  int out[3]; /* oob: descriptors of own stdout and stderr, by stream */
  struct sdm_server_input input;
};

static void on_credit(void *arg, uint64_t bytes);
static void note_breaks(struct server *s, const json_t *args);

static void on_end(void *arg, uint64_t request, const json_t *args, const json_t *result, const json_t *detail, const char *failure) {
  struct server *s = arg;
  const char *reduce = json_string_value(json_object_get(args, "reduce"));
  struct sdm_bytes body = {0};
  if (!s->ctx)
    return;
  if (!failure)
    note_breaks(s, args);
  json_t *within = NULL, *now = failure ? NULL : json_object_get(result, "now");
  if (now && strcmp(json_string_value(json_object_get(now, "event")), "running")) { /* as an event, told with the answer */
    json_decref(s->last);
    s->last = json_incref(now);
  }
  if (!failure && reduce && !strcmp(reduce, "outliers")) { /* who is not far from the mean says nothing more */
    if (sdm_server_is_inlier(args, result))
      result = within = json_object();
    reduce = NULL;
  }
  if (!failure && reduce)
    failure = sdm_server_reduced(args, result, sdm_get_my_id(s->ctx), &body);
  if (failure)
    sdm_reply(s->ctx, request, SDM_CLASS_ERROR, failure, strlen(failure), NULL, 0);
  else if (reduce)
    sdm_reply(s->ctx, request, SDM_CLASS_OK, body.p, body.len, NULL, 0);
  else {
    char *text = json_dumps(result, JSON_COMPACT | JSON_SORT_KEYS);
    char *more = detail ? json_dumps(detail, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    sdm_reply(s->ctx, request, SDM_CLASS_OK, text, strlen(text), more, more ? strlen(more) : 0);
    free(text);
    free(more);
  }
  json_decref(within);
  sdm_bytes_fini(&body);
}

/* For a front end that takes the session up again: what the one before knew. */
static void recall(struct server *s, struct sdm_call *c) {
  json_t *list = json_array(), *one;
  const char *key;
  json_object_foreach(s->breaks, key, one) json_array_append(list, one);
  on_credit(s, CREDIT_START); /* what the lost one owed us it will not pay */
  sdm_call_done(c, json_pack("{s:O?, s:o, s:O*}", "event", s->last, "breakpoints", list, "names", s->names), NULL);
}

/* What only the front end knows: for one that takes the session up. */
static void keep(struct server *s, struct sdm_call *c) {
  const json_t *names = json_object_get(sdm_call_args(c), "names"), *commands = json_object_get(sdm_call_args(c), "commands");
  char id[24];
  snprintf(id, sizeof(id), "%lld", sdm_call_number(c, "id", 0));
  if (names) {
    json_decref(s->names);
    s->names = json_deep_copy(names);
  }
  if (commands && json_object_get(s->breaks, id))
    json_object_set(json_object_get(s->breaks, id), "commands", (json_t *)commands);
  sdm_call_done(c, NULL, NULL);
}

/* What has been done to breakpoints. */
static void note_breaks(struct server *s, const json_t *args) {
  const char *cmd = json_string_value(json_object_get(args, "cmd"));
  char id[24];
  snprintf(id, sizeof(id), "%lld", (long long)json_integer_value(json_object_get(args, "id")));
  if (cmd && (!strcmp(cmd, "break") || !strcmp(cmd, "watch")) && !json_integer_value(json_object_get(args, "temporary")))
    json_object_set_new(s->breaks, id, json_deep_copy(args));
  else if (cmd && !strcmp(cmd, "delete"))
    json_object_del(s->breaks, id);
  json_t *one = json_object_get(s->breaks, id);
  if (cmd && one && !strcmp(cmd, "condition"))
    json_object_set(one, "condition", json_object_get(args, "condition"));
  if (cmd && one && (!strcmp(cmd, "enable") || !strcmp(cmd, "disable")))
    json_object_set_new(one, "disabled", json_integer(*cmd == 'd'));
}

/* "frame" -2 is the innermost one whose source is here: the user's code, however deep in libraries the rank stands; or with "function"
 * the innermost one of that; or the one that is "outwards" frames from there. */
#define USER_FRAME (-2)

struct later {
  struct server *s;
  uint64_t request;
  json_t *args;
};

static void on_stack(void *arg, uint64_t request, const json_t *args, const json_t *result, const json_t *detail, const char *failure) {
  struct later *l = arg;
  const char *wanted = json_string_value(json_object_get(l->args, "function"));
  json_t *f, *level = NULL, *frames = json_object_get(result, "frames");
  json_int_t outwards = json_integer_value(json_object_get(l->args, "outwards")), number;
  size_t i, first = wanted ? 0 : sdm_frames_of_mpi(frames, "path");
  (void)request, (void)args, (void)detail;
  json_array_foreach(frames, i, f) {
    const char *path = json_string_value(json_object_get(f, "path"));
    const char *func = json_string_value(json_object_get(f, "func"));
    if (!level && i >= first && (wanted ? func && !strcmp(func, wanted) : path && !access(path, R_OK)))
      level = json_object_get(f, "level");
  }
  number = json_integer_value(level) + outwards;
  if (!failure && level && outwards && (number < 0 || number >= (json_int_t)json_array_size(frames)))
    failure = outwards > 0 ? "Initial frame selected; you can't go up." : "Bottom (innermost) frame selected; you can't go down.";
  json_object_set_new(l->args, "frame", json_integer(number > 0 ? number : 0));
  struct sdm_call *c = sdm_call_new(l->request, l->args, on_end, l->s);
  if (failure || (wanted && !level))
    sdm_call_fail(c, failure ? "%s" : "there is no frame of '%s'", failure ? failure : wanted);
  else
    sdm_backend_run(l->s->ops, l->s->backend, c);
  free(l);
}

static void on_command(void *arg, uint64_t request, uint32_t ms_left, const void *p, size_t len) {
  struct server *s = arg;
  (void)ms_left;
  json_t *args = json_loadb(p, len, 0, NULL);
  if (!json_is_object(args)) {
    static const char why[] = "the command is not a JSON object";
    json_decref(args);
    sdm_reply(s->ctx, request, SDM_CLASS_ERROR, why, sizeof(why) - 1, NULL, 0);
    return;
  }
  json_t *pid = json_array_get(json_object_get(args, "pids"), sdm_get_my_id(s->ctx));
  if (pid) /* one command for all, each takes its own */
    json_object_set(args, "pid", pid);
  json_t *app = json_array_get(json_object_get(args, "apps"), s->app);
  if (app)
    json_object_update(args, app);
  if (!sdm_server_choose_program(args, sdm_get_my_id(s->ctx))) {
    static const char why[] = "the launcher's file names no program for this rank";
    json_decref(args);
    sdm_reply(s->ctx, request, SDM_CLASS_ERROR, why, sizeof(why) - 1, NULL, 0);
    return;
  }
  const char *readers = json_string_value(json_object_get(args, "stdin_ranks"));
  struct sdm_set *reads = sdm_set_new();
  struct dvm_error err = DVM_ERROR_INIT;
  if (readers && (sdm_set_parse(reads, readers, &err) || !sdm_set_contains(reads, sdm_get_my_id(s->ctx))))
    json_object_set_new(args, "stdin", json_string("/dev/null"));
  sdm_set_free(reads);
  json_t *handle = json_array_get(json_object_get(args, "handles"), sdm_get_my_id(s->ctx));
  if (handle)
    json_object_set(args, "handle", handle);
  json_t *file = json_array_get(json_object_get(args, "files"), sdm_get_my_id(s->ctx));
  if (file)
    json_object_set(args, "file", file);
  const char *cmd = json_string_value(json_object_get(args, "cmd"));
  if (cmd && (!strcmp(cmd, "inspect") || !strcmp(cmd, "checkpoint") || !strcmp(cmd, "restart")))
    json_object_set_new(args, "rank", json_integer(sdm_get_my_id(s->ctx)));
  if (json_integer_value(json_object_get(args, "frame")) == USER_FRAME) {
    struct later *l = sdm_alloc(sizeof(*l));
    json_t *thread = json_object_get(args, "thread");
    *l = (struct later){s, request, args};
    sdm_backend_run(s->ops, s->backend, sdm_call_new(0, json_pack("{s:s, s:O*}", "cmd", "stack", "thread", thread), on_stack, l));
    return;
  }
  struct sdm_call *c = sdm_call_new(request, args, on_end, s);
  if (!strcmp(sdm_call_text(c, "cmd", ""), "ping"))
    sdm_call_done(c, NULL, NULL);
  else if (!strcmp(sdm_call_text(c, "cmd", ""), "recall"))
    recall(s, c);
  else if (!strcmp(sdm_call_text(c, "cmd", ""), "keep"))
    keep(s, c);
  else if (!strcmp(sdm_call_text(c, "cmd", ""), "room"))
    sdm_server_input_room(&s->input, c);
  else if (!strcmp(sdm_call_text(c, "cmd", ""), "where")) /* where this server is, for host(...) and for people */
    sdm_call_done(c, json_pack("{s:s}", "host", sdm_ctx_host(s->ctx)), json_pack("{s:i}", "pid", (int)getpid()));
  else
    sdm_backend_run(s->ops, s->backend, c);
}

static void send_bytes(struct server *s, unsigned stream, bool eof, const void *p, size_t len) {
  sdm_output(s->ctx, (uint8_t)stream, eof, p, len);
  s->credit -= (int64_t)len;
}

static void send_line(struct server *s, unsigned stream, bool eof) {
  struct sdm_bytes *l = &s->line[stream];
  if (!l->len && !eof)
    return;
  send_bytes(s, stream, eof, l->p, l->len);
  l->len = 0;
}

static void on_event(void *arg, json_t *event) {
  struct server *s = arg;
  char *text = json_dumps(event, JSON_COMPACT | JSON_SORT_KEYS);
  if (s->ctx && !s->oob) {
    send_line(s, SDM_STDOUT, false);
    send_line(s, SDM_STDERR, false);
  }
  if (s->ctx)
    sdm_event(s->ctx, text, strlen(text));
  free(text);
  const char *name = json_string_value(json_object_get(event, "event"));
  bool aside =
      name && (!strcmp(name, "log") || !strcmp(name, "signal") || !strcmp(name, "saved")); /* they say nothing of where the program is */
  json_decref(aside ? event : s->last);
  s->last = aside ? s->last : event;
}

static void write_out(struct server *s);

static void on_flush(void *arg) {
  struct server *s = arg;
  if (s->oob) {
    write_out(s);
    return;
  }
  if (s->held) /* the rest of the line is there, as likely as not, and it is we that do not read */
    return;
  send_line(s, SDM_STDOUT, false);
  send_line(s, SDM_STDERR, false);
}

/* oob: to our own stdout and stderr.  The launcher may be slow to read; the program waits then, this server does not. */
static void write_out(struct server *s) {
  size_t left = 0;
  for (unsigned stream = SDM_STDOUT; stream <= SDM_STDERR; stream++) {
    struct sdm_bytes *l = &s->line[stream];
    struct pollfd p = {.fd = s->out[stream], .events = POLLOUT};
    while (l->len && poll(&p, 1, 0) == 1) {
      ssize_t n = write(p.fd, l->p, l->len < 4096 ? l->len : 4096);
      if (n < 0 && errno == EAGAIN)
        break;
      if (n < 0 && errno != EINTR) {
        if (!s->told_lost && errno != EPIPE) /* else nobody reads any more, and knows it */
          fprintf(stderr, "sdm-server: error: rank %u: output is lost: %s\n", sdm_get_my_id(s->ctx), strerror(errno));
        s->told_lost = true;
        l->len = 0;
      } else if (n > 0)
        sdm_bytes_consume(l, (size_t)n);
    }
    left += l->len;
  }
  bool was = s->held;
  s->held = left > 0;
  if (s->held)
    sdm_timer_set(s->flush, sdm_now_us() + OOB_RETRY_US);
  else if (was)
    s->ops->resume(s->backend);
}

/* Line by line, so that equal lines of many ranks can merge.  'held' tells the back end to stop reading. */
static bool on_output(void *arg, unsigned stream, bool eof, const void *p, size_t len) {
  struct server *s = arg;
  if (!s->ctx || (s->leaving && !s->oob))
    return true;
  if (s->oob) {
    sdm_bytes_add(&s->line[stream], p, len);
    write_out(s);
    return !s->held;
  }
  const char *at = p, *end = at + len;
  while (at < end) {
    const char *nl = memchr(at, '\n', (size_t)(end - at));
    size_t n = nl ? (size_t)(nl + 1 - at) : (size_t)(end - at);
    bool whole = nl && !s->line[stream].len && n < LINE_MAX_BYTES;
    if (whole)
      send_bytes(s, stream, false, at, n);
    else
      sdm_bytes_add(&s->line[stream], at, n);
    at += n;
    if ((nl && !whole) || s->line[stream].len >= LINE_MAX_BYTES)
      send_line(s, stream, false);
  }
  if (eof)
    send_line(s, stream, true);
  if (s->line[stream].len)
    sdm_timer_set(s->flush, sdm_now_us() + PARTIAL_US);
  s->held = s->credit <= 0;
  return !s->held;
}

static void on_credit(void *arg, uint64_t bytes) {
  struct server *s = arg;
  s->credit += (int64_t)(bytes < CREDIT_START ? bytes : CREDIT_START);
  if (s->held && s->credit > 0) {
    s->held = false;
    sdm_timer_set(s->flush, sdm_now_us() + PARTIAL_US);
    s->ops->resume(s->backend);
  }
}

static void on_input(void *arg, const struct sdm_iolist *l) {
  struct server *s = arg;
  for (size_t i = 0; i < l->n; i++)
    s->ops->input(s->backend, l->pieces[i].eof, l->pieces[i].bytes.p, l->pieces[i].bytes.len);
}

/* The program runs on alone, on our terminal: we stay as long as it does. */
static void on_linger(void *arg) {
  struct server *s = arg;
  if (s->ops->needed && s->ops->needed(s->backend))
    sdm_timer_set(s->linger, sdm_now_us() + LINGER_US);
  else
    s->quit = true;
}

static void forget_output(void) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2 && null >= 0; fd++)
    dup2(null, fd);
  if (null > 2)
    close(null);
}

/* The end of the session.  A program that was left to itself keeps its terminal, which is ours. */
static void on_bye(void *arg) {
  struct server *s = arg;
  const char *reason = json_string_value(json_object_get(s->last, "reason"));
  if (reason && !strcmp(reason, "detached") && s->ops->needed) {
    s->leaving = s->left = true;
    on_linger(s);
    if (!s->oob)
      forget_output(); /* who reads it would wait for us */
    if (s->held) {
      s->held = false;
      s->ops->resume(s->backend);
    }
  } else
    s->quit = true;
}

static void on_left(void *arg, uint64_t request, const json_t *args, const json_t *result, const json_t *detail, const char *failure) {
  struct server *s = arg;
  (void)request, (void)args, (void)result, (void)detail;
  s->quit |= failure || s->orphan == SDM_ORPHAN_KILL;
  if (!s->quit)
    on_linger(s);
}

static void on_alone(void *arg) {
  struct server *s = arg;
  if (s->left)
    return;
  s->quit = s->orphan == SDM_ORPHAN_USUAL || s->leaving; /* the back end detaches or kills, as it ends */
  if (s->quit)
    return;
  s->leaving = true;
  sdm_timer_set(s->linger, sdm_now_us() + LEAVE_US); /* a debugger that does not answer is not waited for */
  sdm_backend_run(s->ops, s->backend,
                  sdm_call_new(0, json_pack("{s:s}", "cmd", s->orphan == SDM_ORPHAN_KILL ? "kill" : "detach"), on_left, s));
  if (s->held) {
    s->held = false;
    sdm_timer_set(s->flush, sdm_now_us() + PARTIAL_US);
    s->ops->resume(s->backend);
  }
}

static volatile sig_atomic_t terminated; /* the session's launcher ends us: as at the end of a session */
static void on_terminate(int signal) {
  (void)signal;
  terminated = 1;
}

static const struct sdm_handlers handlers = {
    .command = on_command,
    .input = on_input,
    .credit = on_credit,
    .alone = on_alone,
    .bye = on_bye,
};

/* Our stdout and stderr may be terminals, which block although they say that they are ready, and may be shared with
 * others, who expect them to block: we open them once more for ourselves.  Not so a file, in which we and others, the front end too,
 * must go on where the last one ended. */
static void open_own_output(struct server *s) {
  for (int fd = 1; fd <= 2; fd++) {
    char name[32];
    struct stat st;
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    bool file = !fstat(fd, &st) && S_ISREG(st.st_mode);
    s->out[fd] = file ? fd : open(name, O_WRONLY | O_NONBLOCK | O_APPEND | O_CLOEXEC);
    if (s->out[fd] < 0)
      s->out[fd] = fd; /* a socket */
  }
}

int sdm_server_run(struct sdm_options *o, const struct sdm_server_options *so, struct dvm_error *err) {
  struct server s = {.ops = so->backend, .oob = so->oob, .orphan = so->orphan, .app = so->app, .credit = CREDIT_START};
  struct sigaction sa = {.sa_handler = on_terminate}; /* no SA_RESTART: it ends the wait */
  o->handlers = &handlers;
  o->arg = &s;
  s.breaks = json_object();
  s.ctx = sdm_open(o, err);
  if (!s.ctx)
    return err->code;
  if (!so->inside)
    sigaction(SIGTERM, &sa, NULL);
  struct sdm_backend_host host = {sdm_ctx_loop(s.ctx), on_event, on_output, &s};
  s.backend = s.ops->create(&host, so->backend_path, err);
  if (s.backend) {
    sdm_server_input_init(&s.input, s.ops, s.backend, host.loop);
    s.flush = sdm_loop_timer(host.loop, INT64_MAX, on_flush, &s);
    s.linger = sdm_loop_timer(host.loop, INT64_MAX, on_linger, &s);
    if (s.oob) {
      open_own_output(&s);
      sdm_server_input_own(&s.input);
    }
    while (!s.quit && !terminated) {
      if (so->progress)
        s.quit |= !so->progress(s.ctx);
      else
        sdm_progress(s.ctx, -1);
    }
    sdm_progress(s.ctx, 0); /* what was said last goes out */
    for (int i = 0; s.oob && s.held && i < 200; i++, usleep(10000))
      write_out(&s);
    struct sdm_ctx *ctx = s.ctx;
    sdm_server_input_fini(&s.input);
    s.ctx = NULL; /* the back end's last words have nowhere to go */
    s.ops->destroy(s.backend);
    s.ctx = ctx;
  }
  sdm_finalize(s.ctx);
  json_decref(s.last);
  json_decref(s.breaks);
  json_decref(s.names);
  for (int i = 0; i < 3; i++)
    sdm_bytes_fini(&s.line[i]);
  return s.backend ? 0 : err->code;
}
