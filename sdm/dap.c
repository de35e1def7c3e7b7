/* The adapter: requests of one client become commands of a session.  What the client sees as a thread is a thread of
 * one rank, 1000 * rank + thread; above 'classLimit' ranks it is a class of ranks that stand at the same place, named
 * by its lowest rank, so that 512 ranks are a few rows. */
#define _GNU_SOURCE /* accept4 */
#include "sdm/dap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdm/console.h"
#include "sdm/dap_private.h"
#include "sdm/prefix.h"
#include "sdm/proctable.h"
#include "sdm/select.h"

#define TIMEOUT_MS 10000u
#define THREADS_A_RANK 1000
#define COMPANY_US 50000

const char *dap_text(const json_t *j, const char *key) { return json_string_value(json_object_get(j, key)); }

json_int_t dap_number(const json_t *j, const char *key, json_int_t otherwise) {
  const json_t *v = json_object_get(j, key);
  return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

void dap_event(struct dap *d, const char *name, json_t *body) {
  json_t *m = json_pack("{s:s, s:s}", "type", "event", "event", name);
  if (body)
    json_object_set_new(m, "body", body);
  sdm_dap_io_send(&d->io, m);
}

static sdm_id lowest(const struct sdm_set *set) {
  struct sdm_set_iter it = sdm_set_iter(set);
  sdm_id id = 0;
  sdm_set_iter_id(&it, &id);
  return id;
}

static bool by_class(const struct dap *d) { return sdm_set_size(d->s.all) > d->class_limit; }

struct sdm_set *dap_one(json_int_t rank) {
  struct sdm_set *set = sdm_set_new();
  if (rank >= 0 && rank <= SDM_ID_MAX)
    sdm_set_add_element(set, (sdm_id)rank);
  return set;
}

/* The ranks that stand where 'rank' stands. */
static struct sdm_set *class_of(struct dap *d, sdm_id rank) {
  for (size_t i = 0; i < d->s.nplaces; i++)
    if (sdm_set_contains(d->s.places[i].set, rank))
      return sdm_set_copy(d->s.places[i].set);
  return dap_one(rank);
}

struct sdm_answer *dap_ask(struct dap *d, const struct sdm_set *to, json_t *command, uint8_t reducer) {
  return sdm_session_ask(&d->s, to, command, reducer, TIMEOUT_MS);
}

/* Asks one rank: its result (a new reference), or NULL with the reason in 'd->why'. */
json_t *dap_ask_one(struct dap *d, json_int_t rank, json_t *command) {
  struct sdm_set *to = dap_one(rank);
  struct sdm_answer *a = dap_ask(d, to, command, SDM_REDUCE_SAME);
  json_t *result = a->n && a->classes[0].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[0]) : NULL;
  if (!result && a->n)
    dap_fail(d, "%.*s", (int)a->classes[0].body.len, (const char *)a->classes[0].body.p);
  else if (!result)
    dap_fail(d, "rank %lld does not answer", (long long)rank);
  sdm_answer_free(a);
  sdm_set_free(to);
  return result;
}

json_t *dap_fail(struct dap *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(d->why, sizeof(d->why), fmt, ap);
  va_end(ap);
  return NULL;
}

/* Events of the session wait until the request at hand has its response. */
static void on_event(void *arg, const struct sdm_set *ids, const json_t *event) {
  struct dap *d = arg;
  for (size_t i = d->nnews; i-- > 0;) {
    if (json_equal(d->news[i].event, (json_t *)event)) {
      sdm_set_union(d->news[i].set, ids);
      return;
    }
    if (sdm_set_overlaps(d->news[i].set, ids))
      break;
  }
  if (!d->nnews)
    d->news_since = sdm_now_us();
  d->news = sdm_realloc(d->news, (d->nnews + 1) * sizeof(*d->news));
  d->news[d->nnews++] = (struct sdm_place){ json_incref((json_t *)event), sdm_set_copy(ids) };
}

static void on_output(void *arg, const struct sdm_set *ids, unsigned stream, const void *p, size_t len) {
  struct dap *d = arg;
  char *ranks = sdm_set_text(ids);
  json_t *text = json_stringn(p, len);
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "[%s] ", ranks);
  if (text)
    dvm_text_add(&t, json_string_value(text));
  for (size_t i = 0; !text && i < len; i++) /* no UTF-8 */
    dvm_text_printf(&t, ((const uint8_t *)p)[i] < 128 && ((const char *)p)[i] ? "%c" : "\\x%02x", ((const uint8_t *)p)[i]);
  if (!t.len || t.s[t.len - 1] != '\n')
    dvm_text_add(&t, "\n");
  dap_event(d, "output", json_pack("{s:s, s:s, s:{s:s}}", "category", stream == SDM_STDERR ? "stderr" : "stdout", "output",
                                   dvm_text_str(&t), "data", "ranks", ranks));
  json_decref(text);
  dvm_text_fini(&t);
  free(ranks);
}

static void on_lost(void *arg, const struct sdm_set *ids, const char *why) {
  char *ranks = sdm_set_text(ids);
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "[%s] server lost: %s\n", ranks, why);
  dap_event(arg, "output", json_pack("{s:s, s:s}", "category", "important", "output", dvm_text_str(&t)));
  dvm_text_fini(&t);
  free(ranks);
}

static const char *stop_reason(const json_t *event, bool entry) {
  static const char *const map[][2] = {
    { "breakpoint-hit", "breakpoint" }, { "end-stepping-range", "step" }, { "function-finished", "step" },
    { "location-reached", "step" }, { "signal-received", "exception" }, { "watchpoint-trigger", "data breakpoint" },
    { "read-watchpoint-trigger", "data breakpoint" }, { "access-watchpoint-trigger", "data breakpoint" },
    { "interrupted", "pause" } };
  const char *reason = dap_text(event, "reason");
  if (entry && !json_object_get(event, "bp"))
    return "entry";
  for (size_t i = 0; reason && i < sizeof(map) / sizeof(*map); i++)
    if (!strcmp(map[i][0], reason))
      return map[i][1];
  return "pause";
}

static void tell_stop(struct dap *d, const struct sdm_set *set, const json_t *event, bool last) {
  char *ranks = sdm_set_text(set);
  struct dvm_text t = DVM_TEXT_INIT;
  const char *signal = dap_text(event, "signal"), *func = dap_text(event, "func");
  const char *reason = stop_reason(event, d->entry);
  json_int_t bp = dap_number(event, "bp", 0), thread = dap_number(event, "thread", 1);
  struct sdm_set_iter it = sdm_set_iter(set);
  sdm_id rank;
  dvm_text_printf(&t, "ranks %s: %s in %s", ranks, !strcmp(reason, "exception") && signal ? signal : reason,
                  func ? func : "??");
  for (bool first = true; sdm_set_iter_id(&it, &rank); first = false) {
    json_t *body = json_pack("{s:s, s:s, s:I, s:b, s:b, s:s}", "reason", reason, "description", dvm_text_str(&t),
                             "threadId", (json_int_t)rank * THREADS_A_RANK + thread, "preserveFocusHint", !first,
                             "allThreadsStopped", first && last, "dvmRanks", ranks);
    if (bp)
      json_object_set_new(body, "hitBreakpointIds", json_pack("[I]", bp));
    if (signal)
      json_object_set_new(body, "text", json_string(signal));
    dap_event(d, "stopped", body);
    if (by_class(d))
      break;
  }
  dvm_text_fini(&t);
  free(ranks);
}

static void tell_exit(struct dap *d, const struct sdm_set *set, const json_t *event) {
  json_int_t code = dap_number(event, "code", dap_text(event, "signal") ? 128 : 0);
  char *ranks = sdm_set_text(set);
  struct dvm_text t = DVM_TEXT_INIT;
  d->exit_code = code > d->exit_code ? code : d->exit_code;
  if (dap_text(event, "signal"))
    dvm_text_printf(&t, "[%s] killed by %s\n", ranks, dap_text(event, "signal"));
  else
    dvm_text_printf(&t, "[%s] exited with status %d\n", ranks, (int)code);
  dap_event(d, "output", json_pack("{s:s, s:s}", "category", "console", "output", dvm_text_str(&t)));
  dvm_text_fini(&t);
  free(ranks);
}

/* Ranks rarely stop at the very same moment: a little patience makes one event of many. */
static void tell_news(struct dap *d) {
  size_t stops = 0;
  if (d->nnews && !sdm_set_is_empty(d->s.running) && sdm_now_us() - d->news_since < COMPANY_US)
    return;
  for (size_t i = 0; i < d->nnews; i++) /* a rank that runs again by now has not stopped */
    if (!strcmp(dap_text(d->news[i].event, "event"), "stopped"))
      stops += !sdm_set_is_empty(sdm_set_intersect(d->news[i].set, d->s.stopped));
  for (size_t i = 0; i < d->nnews; i++) {
    const char *name = dap_text(d->news[i].event, "event");
    if (!strcmp(name, "stopped") && !sdm_set_is_empty(d->news[i].set))
      tell_stop(d, d->news[i].set, d->news[i].event, !--stops && sdm_set_is_empty(d->s.running));
    else if (!strcmp(name, "exited"))
      tell_exit(d, d->news[i].set, d->news[i].event);
    else if (!strcmp(name, "debugger-died"))
      on_lost(d, d->news[i].set, "gdb died");
    sdm_set_free(d->news[i].set);
    json_decref(d->news[i].event);
  }
  d->nnews = 0;
  if (d->started && !d->over && sdm_set_is_empty(d->s.running) && sdm_set_is_empty(d->s.stopped)) {
    d->over = true;
    dap_event(d, "exited", json_pack("{s:I}", "exitCode", d->exit_code));
    dap_event(d, "terminated", NULL);
  }
}

/* Start. */
static json_t *do_initialize(struct dap *d, const json_t *args) {
  static const char *const can[] = {
    "supportsConfigurationDoneRequest", "supportsFunctionBreakpoints", "supportsConditionalBreakpoints",
    "supportsHitConditionalBreakpoints", "supportsEvaluateForHovers", "supportsSetVariable", "supportsTerminateRequest",
    "supportTerminateDebuggee", "supportsDataBreakpoints", "supportsSingleThreadExecutionRequests",
    "supportsReadMemoryRequest" };
  json_t *body = json_object();
  (void)d, (void)args;
  for (size_t i = 0; i < sizeof(can) / sizeof(*can); i++)
    json_object_set_new(body, can[i], json_true());
  return body;
}

static json_t *open_session(struct dap *d, struct sdm_session_options *o) {
  struct dvm_error err = DVM_ERROR_INIT;
  if (d->open)
    return dap_fail(d, "a session is open already");
  o->start_ms = 60000;
  if (sdm_session_open(&d->s, o, &err))
    return dap_fail(d, "%s", err.text);
  d->open = true;
  struct sdm_show show = { d->repl, false };
  d->console = sdm_console_new(&d->s, &show);
  d->s.on_event = on_event; /* the console is for typed commands only */
  d->s.on_output = on_output;
  d->s.on_lost = on_lost;
  d->s.on_late = NULL;
  d->s.arg = d;
  d->watch = sdm_loop_watch(sdm_ctx_loop(d->s.ctx), d->io.in, SDM_READ, dap_readable, d);
  return json_object();
}

/* All must have said yes. */
static bool all_good(struct dap *d, struct sdm_answer *a) {
  struct sdm_set *missing = sdm_answer_missing(a);
  bool good = sdm_set_is_empty(missing);
  if (!good)
    dap_fail(d, "%u ranks do not answer", sdm_set_size(missing));
  for (size_t i = 0; good && i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_ERROR) {
      good = false;
      dap_fail(d, "%.*s", (int)a->classes[i].body.len, (const char *)a->classes[i].body.p);
    }
  sdm_set_free(missing);
  sdm_answer_free(a);
  return good;
}

static bool put_environment(const json_t *args) {
  const char *key;
  json_t *value;
  json_object_foreach(json_object_get(args, "env"), key, value)
    if (json_is_string(value))
      setenv(key, json_string_value(value), 1);
  return !dap_text(args, "cwd") || !chdir(dap_text(args, "cwd"));
}

/* The launcher: "command" gives its words, "launcher" a line to which -n RANKS is added, "local" none. */
static void choose_launcher(struct dap *d, const json_t *args, struct sdm_session_options *o) {
  static char count[16];
  const json_t *words = json_object_get(args, "command"), *w;
  const char *line = dap_text(args, "launcher");
  size_t i, n = 0;
  o->n = (uint32_t)dap_number(args, "ranks", words ? 0 : 1);
  json_array_foreach((json_t *)words, i, w)
    if (n < DAP_WORDS && json_is_string(w))
      d->words[n++] = sdm_strdup(json_string_value(w));
  if (!words && o->n > 1 && !line)
    line = sdm_launch_executable("mpirun") ? "mpirun -q" : "local";
  if (!words && line && strcmp(line, "local")) {
    char *copy = sdm_strdup(line), *rest = copy, *word;
    while (n < DAP_WORDS - 2 && (word = strsep(&rest, " ")))
      if (*word)
        d->words[n++] = sdm_strdup(word);
    free(copy);
    snprintf(count, sizeof(count), "%u", o->n);
    d->words[n++] = sdm_strdup("-n");
    d->words[n++] = sdm_strdup(count);
  }
  o->command = n ? d->words : NULL;
}

static json_t *do_launch(struct dap *d, const json_t *args) {
  struct sdm_session_options o = { .shape = dap_text(args, "shape"), .backend = dap_text(args, "backend"),
                                   .backend_path = dap_text(args, "backendPath"), .host = dap_text(args, "host"),
                                   .partial = json_is_true(json_object_get(args, "partial")) };
  const char *program = dap_text(args, "program");
  if (!program || !put_environment(args))
    return dap_fail(d, program ? "cannot enter folder '%s'" : "'program' is missing", program ? dap_text(args, "cwd") : "");
  if (!sdm_launch_executable(program))
    return dap_fail(d, "there is no program '%s'", program);
  choose_launcher(d, args, &o);
  json_t *body = open_session(d, &o);
  if (!body)
    return NULL;
  d->entry = json_is_true(json_object_get(args, "stopOnEntry"));
  d->class_limit = (uint32_t)dap_number(args, "classLimit", d->class_limit);
  char *path = realpath(program, NULL);
  json_t *words = json_object_get(args, "args");
  d->start = json_pack("{s:s, s:s, s:O, s:i}", "cmd", "launch", "program", path ? path : program, "args",
                       words ? words : json_array(), "stop", d->entry);
  free(path);
  json_t *load = json_copy(d->start); /* so that breakpoints find their lines */
  json_object_set_new(load, "load", json_integer(1));
  if (!all_good(d, dap_ask(d, d->s.all, load, SDM_REDUCE_SAME))) {
    json_decref(body);
    return NULL;
  }
  d->initialized = true;
  return body;
}

static json_t *do_attach(struct dap *d, const json_t *args) {
  struct sdm_session_options o = { .shape = dap_text(args, "shape") };
  struct dvm_error err = DVM_ERROR_INIT;
  const json_t *cores = json_object_get(args, "core");
  long *pids;
  json_t *list = json_array(), *command;
  if (json_is_array(cores)) {
    o.n = (uint32_t)json_array_size(cores);
    command = json_pack("{s:s, s:s, s:O}", "cmd", "core", "program", dap_text(args, "program") ? dap_text(args, "program") : "",
                        "files", cores);
    json_decref(list);
  } else {
    int n = sdm_proctable_read((long)dap_number(args, "pid", 0), &pids, &err);
    if (n <= 0) {
      json_decref(list);
      return dap_fail(d, "%s", err.text);
    }
    for (int i = 0; i < n; i++)
      json_array_append_new(list, json_integer(pids[i]));
    free(pids);
    o.n = (uint32_t)n;
    command = json_pack("{s:s, s:o}", "cmd", "attach", "pids", list);
  }
  json_t *body = open_session(d, &o);
  if (!body) {
    json_decref(command);
    return NULL;
  }
  d->attached = d->initialized = d->started = true;
  d->entry = !json_is_false(json_object_get(args, "stopOnEntry"));
  sdm_answer_free(sdm_session_go(&d->s, d->s.all, command, 60000));
  if (json_is_array(cores)) {
    sdm_set_diff(d->s.running, d->s.all);
    sdm_set_union(d->s.stopped, d->s.all);
    json_t *stop = json_pack("{s:s, s:s}", "event", "stopped", "reason", "core");
    on_event(d, d->s.all, stop);
    json_decref(stop);
  }
  return body;
}

static json_t *do_configuration_done(struct dap *d, const json_t *args) {
  (void)args;
  if (!d->open)
    return dap_fail(d, "nothing was launched");
  if (d->start && !d->started) {
    d->started = true;
    if (!all_good(d, sdm_session_go(&d->s, d->s.all, json_deep_copy(d->start), 60000)))
      return NULL;
  } else if (d->attached && !d->entry)
    sdm_answer_free(sdm_session_go(&d->s, d->s.stopped, json_pack("{s:s}", "cmd", "continue"), TIMEOUT_MS));
  return json_object();
}

/* Threads. */
static void add_thread(json_t *list, json_int_t rank, json_int_t thread, const char *fmt, ...) {
  struct dvm_text t = DVM_TEXT_INIT;
  va_list ap;
  va_start(ap, fmt);
  dvm_text_vprintf(&t, fmt, ap);
  va_end(ap);
  json_array_append_new(list, json_pack("{s:I, s:s}", "id", rank * THREADS_A_RANK + thread, "name", dvm_text_str(&t)));
  dvm_text_fini(&t);
}

static void class_threads(struct dap *d, json_t *list) {
  const struct sdm_set *running = d->s.running;
  for (size_t i = 0; i < d->s.nplaces; i++) {
    const struct sdm_place *p = &d->s.places[i];
    if (strcmp(dap_text(p->event, "event"), "stopped"))
      continue;
    char *ranks = sdm_set_text(p->set);
    const char *func = dap_text(p->event, "func"), *file = dap_text(p->event, "file");
    add_thread(list, lowest(p->set), dap_number(p->event, "thread", 1), "%u ranks %s: %s%s%s:%lld", sdm_set_size(p->set),
               ranks, func ? func : "??", file ? " at " : "", file ? file : "", (long long)dap_number(p->event, "line", 0));
    free(ranks);
  }
  if (!sdm_set_is_empty(running)) {
    char *ranks = sdm_set_text(running);
    add_thread(list, lowest(running), 1, "%u ranks %s: running", sdm_set_size(running), ranks);
    free(ranks);
  }
}

static void rank_threads(struct dap *d, json_t *list) {
  struct sdm_answer *a = dap_ask(d, d->s.stopped, json_pack("{s:s}", "cmd", "threads"), SDM_REDUCE_SAME);
  struct sdm_set_iter it;
  sdm_id rank;
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    json_t *t;
    size_t k;
    for (it = sdm_set_iter(a->classes[i].set); sdm_set_iter_id(&it, &rank);)
      if (!json_array_size(json_object_get(body, "threads")))
        add_thread(list, rank, 1, "rank %u", rank);
      else
        json_array_foreach(json_object_get(body, "threads"), k, t)
          add_thread(list, rank, dap_number(t, "id", 1), k ? "rank %u thread %lld" : "rank %u", rank,
                     (long long)dap_number(t, "id", 1));
    json_decref(body);
  }
  sdm_answer_free(a);
  for (it = sdm_set_iter(d->s.running); sdm_set_iter_id(&it, &rank);)
    add_thread(list, rank, 1, "rank %u", rank);
}

static int by_id(const void *a, const void *b) {
  json_int_t x = dap_number(*(json_t *const *)a, "id", 0), y = dap_number(*(json_t *const *)b, "id", 0);
  return (x > y) - (x < y);
}

static json_t *do_threads(struct dap *d, const json_t *args) {
  json_t *list = json_array(), *sorted = json_array();
  (void)args;
  if (d->open && by_class(d))
    class_threads(d, list);
  else if (d->open)
    rank_threads(d, list);
  size_t n = json_array_size(list);
  json_t **items = sdm_alloc((n + 1) * sizeof(*items));
  for (size_t i = 0; i < n; i++)
    items[i] = json_array_get(list, i);
  qsort(items, n, sizeof(*items), by_id);
  for (size_t i = 0; i < n; i++)
    json_array_append(sorted, items[i]);
  free(items);
  json_decref(list);
  return json_pack("{s:o}", "threads", sorted);
}

/* Running. */
static struct sdm_set *focus(struct dap *d) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_set *set = d->focus ? sdm_select(&d->s, &d->names, d->focus, &err) : NULL;
  return set ? set : sdm_set_copy(d->s.all);
}

static json_t *go(struct dap *d, struct sdm_set *to, json_t *command) {
  sdm_set_intersect(to, d->s.stopped);
  dap_forget(d);
  d->entry = false;
  bool good = !sdm_set_is_empty(to);
  if (good)
    good = all_good(d, sdm_session_go(&d->s, to, command, TIMEOUT_MS));
  else {
    json_decref(command);
    dap_fail(d, "it is not stopped");
  }
  sdm_set_free(to);
  return good ? json_object() : NULL;
}

static sdm_id rank_of(const json_t *args) { return (sdm_id)(dap_number(args, "threadId", 0) / THREADS_A_RANK); }

static bool single(const json_t *args) { return json_is_true(json_object_get(args, "singleThread")); }

/* All that stand in the focus go on; with singleThread those that the thread stands for. */
static json_t *do_continue(struct dap *d, const json_t *args) {
  struct sdm_set *to = !single(args) ? focus(d) : by_class(d) ? class_of(d, rank_of(args)) : dap_one(rank_of(args));
  json_t *body = go(d, to, json_pack("{s:s}", "cmd", "continue"));
  if (body)
    json_object_set_new(body, "allThreadsContinued", json_boolean(!single(args)));
  return body;
}

/* Those that stand where the thread stands take the step with it; with singleThread it alone. */
static json_t *step(struct dap *d, const json_t *args, const char *command) {
  sdm_id rank = rank_of(args), id;
  struct sdm_set *to = single(args) && !by_class(d) ? dap_one(rank) : class_of(d, rank), *in = focus(d);
  sdm_set_intersect(to, in);
  sdm_set_add_element(to, rank);
  sdm_set_free(in);
  struct sdm_set *others = sdm_set_remove_element(sdm_set_copy(to), rank);
  json_t *body = go(d, to, json_pack("{s:s}", "cmd", command));
  struct sdm_set_iter it = sdm_set_iter(others);
  while (body && !by_class(d) && sdm_set_iter_id(&it, &id))
    dap_event(d, "continued", json_pack("{s:I, s:b}", "threadId", (json_int_t)id * THREADS_A_RANK + 1,
                                        "allThreadsContinued", 0));
  sdm_set_free(others);
  return body;
}
static json_t *do_next(struct dap *d, const json_t *args) { return step(d, args, "next"); }
static json_t *do_step_in(struct dap *d, const json_t *args) { return step(d, args, "step"); }
static json_t *do_step_out(struct dap *d, const json_t *args) { return step(d, args, "finish"); }

static json_t *do_pause(struct dap *d, const json_t *args) {
  struct sdm_set *to = focus(d);
  (void)args;
  sdm_set_intersect(to, d->s.running);
  sdm_answer_free(dap_ask(d, to, json_pack("{s:s}", "cmd", "interrupt"), SDM_REDUCE_SAME));
  sdm_set_free(to);
  return json_object();
}

static json_t *do_terminate(struct dap *d, const json_t *args) {
  (void)args;
  if (d->open && !d->over)
    sdm_answer_free(dap_ask(d, d->s.all, json_pack("{s:s}", "cmd", "kill"), SDM_REDUCE_SAME));
  if (!d->over)
    dap_event(d, "terminated", NULL);
  d->over = true;
  return json_object();
}

static json_t *do_disconnect(struct dap *d, const json_t *args) {
  const json_t *end = json_object_get(args, "terminateDebuggee");
  if (d->open && d->attached && json_is_true(end)) /* else what was attached runs on, what was launched is killed */
    sdm_answer_free(dap_ask(d, d->s.all, json_pack("{s:s}", "cmd", "kill"), SDM_REDUCE_SAME));
  if (d->open && !d->attached && json_is_false(end))
    sdm_answer_free(dap_ask(d, d->s.all, json_pack("{s:s}", "cmd", "detach"), SDM_REDUCE_SAME));
  d->quit = true;
  return json_object();
}

/* Custom requests. */
static json_t *do_focus(struct dap *d, const json_t *args) {
  struct dvm_error err = DVM_ERROR_INIT;
  const char *text = dap_text(args, "set");
  struct sdm_set *set = d->open && text ? sdm_select(&d->s, &d->names, text, &err) : NULL;
  if (!set)
    return dap_fail(d, "%s", err.code ? err.text : "'set' is missing");
  free(d->focus);
  d->focus = sdm_strdup(text);
  char *ranks = sdm_set_text(set);
  json_t *body = json_pack("{s:s, s:i}", "ranks", ranks, "count", (int)sdm_set_size(set));
  free(ranks);
  sdm_set_free(set);
  return body;
}

/* {"expression"}: its values over the focus, each with its ranks. */
static json_t *do_compare(struct dap *d, const json_t *args) {
  const char *expression = dap_text(args, "expression");
  struct sdm_set *to = focus(d);
  json_t *list = json_array();
  struct sdm_answer *a = dap_ask(d, to, json_pack("{s:s, s:s}", "cmd", "evaluate", "expression", expression ? expression : ""),
                                 SDM_REDUCE_SAME);
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    char *ranks = sdm_set_text(a->classes[i].set);
    json_t *one = json_pack("{s:s}", "ranks", ranks);
    if (body)
      json_object_set(one, "value", json_object_get(body, "value"));
    else
      json_object_set_new(one, "error", json_stringn((const char *)a->classes[i].body.p, a->classes[i].body.len));
    json_array_append_new(list, one);
    json_decref(body);
    free(ranks);
  }
  sdm_answer_free(a);
  sdm_set_free(to);
  return json_pack("{s:o}", "values", list);
}

static json_t *tree_json(const struct sdm_prefix *p) {
  json_t *list = json_array();
  char *ranks = sdm_set_text(p->set);
  for (size_t i = 0; i < p->n; i++)
    json_array_append_new(list, tree_json(p->children[i]));
  json_t *j = json_pack("{s:s, s:s, s:o}", "name", p->name, "ranks", ranks, "children", list);
  free(ranks);
  return j;
}

static json_t *do_merge(struct dap *d, const json_t *args) {
  struct sdm_set *to = focus(d);
  (void)args;
  sdm_set_intersect(to, d->s.stopped);
  struct sdm_answer *a = dap_ask(d, to, json_pack("{s:s, s:s}", "cmd", "stack", "reduce", "tree"), SDM_REDUCE_TREE);
  struct sdm_prefix *p = a->n && a->classes[0].kind == SDM_CLASS_OK
                           ? sdm_prefix_decode(a->classes[0].body.p, a->classes[0].body.len) : NULL;
  json_t *body = p ? json_pack("{s:o}", "tree", tree_json(p)) : dap_fail(d, "no rank is stopped");
  sdm_prefix_free(p);
  sdm_answer_free(a);
  sdm_set_free(to);
  return body;
}

static json_t *do_nothing(struct dap *d, const json_t *args) {
  (void)d, (void)args;
  return json_object();
}

static const struct {
  const char *name;
  json_t *(*fn)(struct dap *d, const json_t *args); /* the body, or NULL with the reason in d->why */
  bool session; /* needs one */
} requests[] = {
  { "initialize", do_initialize, false }, { "launch", do_launch, false }, { "attach", do_attach, false },
  { "configurationDone", do_configuration_done, false }, { "threads", do_threads, false },
  { "setBreakpoints", dap_set_breakpoints, true }, { "setFunctionBreakpoints", dap_set_function_breakpoints, true },
  { "setExceptionBreakpoints", do_nothing, false }, { "dataBreakpointInfo", dap_data_breakpoint_info, true },
  { "setDataBreakpoints", dap_set_data_breakpoints, true }, { "stackTrace", dap_stack_trace, true },
  { "scopes", dap_scopes, true }, { "variables", dap_variables, true }, { "setVariable", dap_set_variable, true },
  { "evaluate", dap_evaluate, true }, { "readMemory", dap_read_memory, true }, { "continue", do_continue, true },
  { "next", do_next, true }, { "stepIn", do_step_in, true }, { "stepOut", do_step_out, true },
  { "pause", do_pause, true }, { "terminate", do_terminate, false }, { "disconnect", do_disconnect, false },
  { "dvm/focus", do_focus, true }, { "dvm/compare", do_compare, true }, { "dvm/merge", do_merge, true },
};

static void serve(struct dap *d, const json_t *m) {
  const char *name = dap_text(m, "command");
  json_t *body = NULL;
  bool known = false;
  if (!dap_text(m, "type") || strcmp(dap_text(m, "type"), "request") || !name)
    return;
  d->why[0] = 0;
  for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
    if (!strcmp(requests[i].name, name)) {
      known = true;
      body = requests[i].session && !d->open ? dap_fail(d, "nothing was launched")
                                             : requests[i].fn(d, json_object_get(m, "arguments"));
    }
  if (!known)
    dap_fail(d, "the request '%s' is not supported", name);
  json_t *r = json_pack("{s:s, s:I, s:s, s:b}", "type", "response", "request_seq", dap_number(m, "seq", 0), "command", name,
                        "success", body != NULL);
  if (body)
    json_object_set_new(r, "body", body);
  else
    json_object_set_new(r, "message", json_string(d->why));
  sdm_dap_io_send(&d->io, r);
  if (d->initialized) { /* after the response to launch or attach: now breakpoints may come */
    d->initialized = false;
    dap_event(d, "initialized", NULL);
  }
}

void dap_readable(void *arg, unsigned events) {
  struct dap *d = arg;
  (void)events;
  sdm_dap_io_fill(&d->io);
}

static void run(struct dap *d) {
  while (!d->io.end && !d->quit) {
    json_t *m = sdm_dap_io_take(&d->io);
    if (m) {
      serve(d, m);
      json_decref(m);
    } else if (!d->io.end && !d->open)
      sdm_dap_io_fill(&d->io);
    else if (!d->io.end)
      sdm_session_step(&d->s, d->nnews ? 10 : 100);
    if (d->open)
      tell_news(d);
  }
}

static void close_all(struct dap *d) {
  sdm_console_free(d->console);
  sdm_watch_free(d->watch);
  if (d->open)
    sdm_session_close(&d->s);
  for (size_t i = 0; i < d->nnews; i++) {
    sdm_set_free(d->news[i].set);
    json_decref(d->news[i].event);
  }
  free(d->news);
  dap_forget(d);
  dap_breaks_free(d);
  for (size_t i = 0; i < DAP_WORDS; i++)
    free(d->words[i]);
  sdm_names_fini(&d->names);
  free(d->focus);
  json_decref(d->start);
  sdm_dap_io_fini(&d->io);
}

static int accept_one(unsigned port) {
  struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = { htonl(INADDR_LOOPBACK) } };
  int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), client = -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1))
    fprintf(stderr, "dvm debug: error: cannot listen at 127.0.0.1:%u: %s\n", port, strerror(errno));
  else {
    fprintf(stderr, "dvm debug: listening at 127.0.0.1:%u\n", port);
    client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
  }
  close(fd);
  return client;
}

int sdm_dap_main(unsigned port) {
  struct dap d = { .io = { .in = 0, .out = 1 }, .class_limit = 64, .next_break = 1 };
  char *text = NULL;
  size_t size = 0;
  if (port)
    d.io.in = d.io.out = accept_one(port);
  else { /* what our children write to stdout must not look like a message */
    d.io.out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    d.io.in = fcntl(0, F_DUPFD_CLOEXEC, 3);
    dup2(2, 1);
  }
  if (d.io.in < 0)
    return 1;
  d.repl = open_memstream(&text, &size);
  d.repl_text = &text;
  d.repl_size = &size;
  run(&d);
  close_all(&d);
  fclose(d.repl);
  free(text);
  close(d.io.in);
  return 0;
}
