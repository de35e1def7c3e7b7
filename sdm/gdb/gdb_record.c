/* What gdb says: results go to the commands that wait for them, stops of the program become events. */
#include "sdm/gdb/gdb_private.h"

const char *sdm_gdb_field(const json_t *j, const char *key) { return json_string_value(json_object_get(j, key)); }

static const char *base_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

void sdm_gdb_put_text(json_t *to, const char *key, const char *s) {
  if (s)
    json_object_set_new(to, key, json_string(s));
}

/* Function, file and line are the same on all ranks; the address may not be, and stays out. */
void sdm_gdb_put_place(json_t *to, const json_t *frame) {
  const char *line = sdm_gdb_field(frame, "line");
  sdm_gdb_put_text(to, "func", sdm_gdb_field(frame, "func"));
  sdm_gdb_put_text(to, "file", base_name(sdm_gdb_field(frame, "file")));
  sdm_gdb_put_text(to, "path", sdm_gdb_field(frame, "fullname"));
  if (line)
    json_object_set_new(to, "line", json_integer(atoi(line)));
  if (!sdm_gdb_field(frame, "file"))
    sdm_gdb_put_text(to, "lib", base_name(sdm_gdb_field(frame, "from")));
}

void sdm_gdb_note_place(struct sdm_backend *b, const json_t *frame) {
  json_decref(b->place);
  b->place = json_incref((json_t *)frame);
}

bool sdm_gdb_is_at_place(const struct sdm_backend *b, const json_t *frame) {
  const char *here = sdm_gdb_field(frame, "addr"), *func = sdm_gdb_field(frame, "func"), *there = sdm_gdb_field(b->place, "addr");
  const char *called = sdm_gdb_field(b->place, "func");
  return here && there && !strcmp(here, there) && (!func || !called || !strcmp(func, called));
}

static void stopped_details(json_t *e, const json_t *r) {
  const char *signal = sdm_gdb_field(r, "signal-name"), *code = sdm_gdb_field(r, "exit-code"), *ret = sdm_gdb_field(r, "return-value");
  sdm_gdb_put_text(e, "signal", signal);
  sdm_gdb_put_text(e, "return", ret);
  if (code)
    json_object_set_new(e, "code", json_integer(strtol(code, NULL, 8)));
  const json_t *v = json_object_get(r, "value"), *w = json_object_get(r, "wpt");
  if (w)
    sdm_gdb_put_text(e, "expression", sdm_gdb_field(w, "exp"));
  sdm_gdb_put_text(e, "old", sdm_gdb_field(v, "old"));
  sdm_gdb_put_text(e, "new", sdm_gdb_field(v, "new"));
}

/* gdb keeps what it has printed of signals without a stop for the record of the next stop, before that one's own: the last ones
 * of such names hold. */
static void forget_printed_signals(json_t *r) {
  static const char *const names[] = {"reason", "signal-name", "signal-meaning"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    json_t *v = json_object_get(r, names[i]);
    while (json_is_array(v))
      v = json_array_get(v, json_array_size(v) - 1);
    if (v && v != json_object_get(r, names[i]))
      json_object_set(r, names[i], v);
  }
  const char *reason = sdm_gdb_field(r, "reason");
  if (!reason || (strcmp(reason, "signal-received") && strcmp(reason, "exited-signalled")))
    json_object_del(r, "signal-name");
}

void sdm_gdb_stopped(struct sdm_backend *b, const json_t *r) {
  const char *reason = sdm_gdb_field(r, "reason"), *thread = sdm_gdb_field(r, "thread-id"), *number = sdm_gdb_field(r, "bkptno");
  bool ended = reason && !strncmp(reason, "exited", 6);
  if (sdm_gdb_checkpoint_quiet(b) || (b->returning && sdm_gdb_facts_returned(b, r)) ||
      (!b->interrupting && sdm_gdb_checkpoint_stopped(b, number, ended)))
    return;
  bool of_call = sdm_gdb_signal_of_call(b, r);
  b->running = false;
  sdm_gdb_note_place(b, json_object_get(r, "frame"));
  if (of_call || sdm_gdb_signal_passed(b, r) || sdm_gdb_stopped_nowhere(b, r))
    return;
  json_t *e = json_object();
  b->left = b->left && !ended;
  const char *signal = sdm_gdb_field(r, "signal-name");
  /* -exec-interrupt shows as SIGINT, or as no signal at all */
  bool asked_for = signal && (!strcmp(signal, "0") || (b->interrupting && !strcmp(signal, "SIGINT")));
  if (asked_for)
    reason = "interrupted";
  sdm_gdb_signal_stale(b, b->interrupting && !asked_for && !ended);
  b->interrupting = false;
  json_object_set_new(e, "event", json_string(ended ? "exited" : "stopped"));
  json_object_set_new(e, "reason", json_string(reason ? reason : "stopped"));
  stopped_details(e, r);
  if (!number && json_object_get(r, "wpt"))
    number = sdm_gdb_field(json_object_get(r, "wpt"), "number");
  if (number && sdm_gdb_break_id(b, number))
    json_object_set_new(e, "bp", json_integer(sdm_gdb_break_id(b, number)));
  if (thread) {
    b->thread = atoi(thread);
    json_object_set_new(e, "thread", json_integer(b->thread));
  }
  if (json_object_get(r, "frame"))
    sdm_gdb_put_place(e, json_object_get(r, "frame"));
  if (b->term && !sdm_term_drain(b->term) && ended) { /* what the program wrote before comes before */
    json_decref(b->ended);
    b->ended = e;
    return;
  }
  if (ended)
    sdm_gdb_checkpoint_forget(b);
  if (number && sdm_gdb_facts_stop(b, number))
    sdm_gdb_facts_stopped(b, e);
  else if (sdm_gdb_mpi_stop(e))
    sdm_gdb_mpi_stopped(b, e);
  else if (ended || !sdm_gdb_checkpoint_first_stop(b, e)) {
    sdm_gdb_checkpoint_stands(b, !ended);
    b->host.event(b->host.arg, e);
  }
}

/* gdb's words for what a person would type; where no program is, its machine interface speaks of registers. */
static const char *reason_of(const struct gdb_pending *p, const struct sdm_mi_record *r) {
  const char *msg = sdm_gdb_field(r->results, "msg");
  if (p->failed)
    return p->failed;
  if (!msg || !*msg)
    return "gdb gave no reason";
  return strcmp(msg, "No registers.") ? msg : sdm_gdb_no_frame(p->call);
}

static struct gdb_pending *take_pending(struct sdm_backend *b, uint64_t token) {
  for (struct gdb_pending **p = &b->first; *p; p = &(*p)->next)
    if ((*p)->token == token) {
      struct gdb_pending *found = *p;
      *p = found->next;
      if (!*p)
        b->last = p;
      return found;
    }
  return NULL;
}

/* A log point has been passed: it has made its event itself (places.py). */
static void on_log(struct sdm_backend *b, const char *text) {
  json_t *event = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
  if (b->term)
    sdm_term_drain(b->term);
  if (event)
    b->host.event(b->host.arg, event);
}

void sdm_gdb_on_record(void *arg, const struct sdm_mi_record *r) {
  struct sdm_backend *b = arg;
  if (r->kind == SDM_MI_RESULT) {
    struct gdb_pending *p = take_pending(b, r->token);
    if (!p)
      return;
    if (!strcmp(r->name, "running") && !sdm_gdb_checkpoint_quiet(b))
      b->running = true; /* what comes next may depend on it */
    if (!strcmp(r->name, "error") && p->call && !p->errors_too) {
      sdm_call_fail(p->call, "%s", reason_of(p, r));
    } else if (p->fn)
      p->fn(b, p, r);
    else if (p->call)
      sdm_call_done(p->call, NULL, NULL);
    sdm_gdb_pending_free(p);
  } else if (r->kind == SDM_MI_EXEC && !strcmp(r->name, "stopped")) {
    forget_printed_signals(r->results);
    sdm_gdb_stopped(b, r->results);
  } else if (r->kind == SDM_MI_EXEC && !strcmp(r->name, "running")) {
    if (sdm_gdb_checkpoint_quiet(b))
      return;
    sdm_gdb_checkpoint_stands(b, false);
    sdm_gdb_facts_forget(b);
    b->running = true;
    if (!b->returning && !b->passing)
      b->host.event(b->host.arg, json_pack("{s:s}", "event", "running"));
    b->passing = false;
  } else if (r->kind == SDM_MI_NOTIFY && !strcmp(r->name, "thread-group-started")) {
    b->left = false;
    b->program = sdm_gdb_field(r->results, "pid") ? (pid_t)atol(sdm_gdb_field(r->results, "pid")) : 0;
    sdm_gdb_end_watch(b, b->program);
  } else if (r->kind == SDM_MI_NOTIFY && !strcmp(r->name, "thread-group-exited")) {
    b->left = true; /* mostly its end is told next */
    sdm_gdb_end_forget(b);
  } else if (r->kind == SDM_MI_CONSOLE && b->running && strstr(r->text, " received signal "))
    sdm_gdb_signal_printed(b, r->text);
  else if (r->kind == SDM_MI_CONSOLE && b->first)
    dvm_text_add(&b->first->text, r->text); /* gdb works through its commands in order */
  else if (r->kind == SDM_MI_LOG && !strncmp(r->text, GDB_LOG_MARK, sizeof(GDB_LOG_MARK) - 1))
    on_log(b, r->text + sizeof(GDB_LOG_MARK) - 1);
  else if (r->kind == SDM_MI_LOG && b->first)
    b->first->mismatch |= strstr(r->text, "may not match specified executable") || strstr(r->text, "newer than core file");
}

/* Thread and frame options of a command. */
void sdm_gdb_put_where(const struct sdm_backend *b, struct dvm_text *t, const struct sdm_call *c) {
  long long thread = sdm_call_number(c, "thread", 0), frame = sdm_call_number(c, "frame", -1);
  if (frame >= 0 && thread <= 0)
    thread = b->thread ? b->thread : 1;
  if (thread > 0)
    dvm_text_printf(t, " --thread %lld", thread);
  if (frame >= 0)
    dvm_text_printf(t, " --frame %lld", frame);
}
