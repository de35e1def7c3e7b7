#include "sdm/session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/session/checkpoints.h"
#include "sdm/session/feed.h"
#include "sdm/session/session_file.h"

#define NRECALLS (sizeof(((struct sdm_session *)0)->recalls) / sizeof(uint64_t))

char *sdm_set_text(const struct sdm_set *set) {
  struct dvm_text t = DVM_TEXT_INIT;
  sdm_set_print(set, &t);
  return t.s ? t.s : sdm_strdup("");
}

json_t *sdm_class_json(const struct sdm_class *c) { return json_loadb((const char *)c->body.p, c->body.len, 0, NULL); }

static void leave_places(struct sdm_session *s, const struct sdm_set *ids) {
  size_t kept = 0;
  for (size_t i = 0; i < s->nplaces; i++) {
    sdm_set_diff(s->places[i].set, ids);
    if (sdm_set_is_empty(s->places[i].set)) {
      sdm_set_free(s->places[i].set);
      json_decref(s->places[i].event);
    } else
      s->places[kept++] = s->places[i];
  }
  s->nplaces = kept;
}

static void enter_place(struct sdm_session *s, const struct sdm_set *ids, json_t *event) {
  for (size_t i = 0; i < s->nplaces; i++)
    if (json_equal(s->places[i].event, event)) {
      sdm_set_union(s->places[i].set, ids);
      return;
    }
  s->places = sdm_realloc(s->places, (s->nplaces + 1) * sizeof(*s->places));
  s->places[s->nplaces++] = (struct sdm_place){json_incref(event), sdm_set_copy(ids)};
}

static void set_state(struct sdm_session *s, const struct sdm_set *ids, struct sdm_set *state) {
  struct sdm_set *states[] = {s->running, s->stopped, s->exited, s->dead};
  for (size_t i = 0; i < 4; i++)
    if (states[i] != state)
      sdm_set_diff(states[i], ids);
  sdm_set_union(state, ids);
}

static void take_event(struct sdm_session *s, const struct sdm_set *ids, json_t *event) {
  const char *name = json_string_value(json_object_get(event, "event"));
  const char *reason = json_string_value(json_object_get(event, "reason"));
  if (!name)
    return;
  if (!strcmp(name, "saved") && s->saves_job)
    return;
  if (!strcmp(name, "saved") && json_string_value(json_object_get(event, "handle"))) {
    json_int_t number = json_integer_value(json_object_get(event, "checkpoint"));
    json_object_set_new(event, "outside", json_boolean(!number));
    json_object_set_new(event, "checkpoint",
                        json_integer(sdm_checkpoints_note(s, ids, number, json_string_value(json_object_get(event, "handle")))));
  }
  if (!strcmp(name, "log") || !strcmp(name, "signal") || !strcmp(name, "saved")) { /* it is where it was */
    if (s->on_event)
      s->on_event(s->arg, ids, event);
    return;
  }
  leave_places(s, ids);
  sdm_set_diff(s->left, ids);
  if (reason && !strcmp(reason, "detached"))
    sdm_set_union(s->left, ids);
  if (!strcmp(name, "running"))
    set_state(s, ids, s->running);
  else if (!strcmp(name, "stopped")) {
    set_state(s, ids, s->stopped);
    enter_place(s, ids, event);
  } else if (!strcmp(name, "exited")) {
    set_state(s, ids, s->exited);
    enter_place(s, ids, event);
    if (!reason || (strcmp(reason, "exited-normally") && strcmp(reason, "detached")))
      s->failed += sdm_set_size(ids);
  } else if (!strcmp(name, "debugger-died"))
    set_state(s, ids, s->dead);
  if (s->on_event)
    s->on_event(s->arg, ids, event);
}

/* A loss overtakes what was on its way: who is lost stays so, whatever his last words were. */
static void on_event(void *arg, const struct sdm_answer *a) {
  struct sdm_session *s = arg;
  for (size_t i = 0; i < a->n; i++) {
    json_t *event = sdm_class_json(&a->classes[i]);
    struct sdm_set *who = sdm_set_diff(sdm_set_copy(a->classes[i].set), sdm_gone(s->ctx));
    if (event && !sdm_set_is_empty(who))
      take_event(s, who, event);
    sdm_set_union(s->heard, who);
    sdm_set_free(who);
    json_decref(event);
  }
}

/* Answers that say what has become of the program.  Who runs now, and has been heard of meanwhile, may have stopped already. */
static void take_states(struct sdm_session *s, const struct sdm_answer *a) {
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL, *now = json_object_get(body, "now");
    const char *name = json_string_value(json_object_get(now, "event"));
    struct sdm_set *who = sdm_set_copy(a->classes[i].set);
    if (name && !strcmp(name, "running"))
      sdm_set_diff(who, s->heard);
    if (name && !sdm_set_is_empty(who))
      take_event(s, who, now);
    sdm_set_free(who);
    json_decref(body);
  }
}

static void take_recall(struct sdm_session *s, const struct sdm_answer *a) {
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    if (json_is_object(json_object_get(body, "event")))
      take_event(s, a->classes[i].set, json_object_get(body, "event"));
    json_decref(body);
  }
}

static bool is_recall(const struct sdm_session *s, uint64_t request) {
  bool is = false;
  for (size_t i = 0; i < NRECALLS; i++)
    is |= request && s->recalls[i] == request;
  return is;
}

/* They are asked where their programs are: what they said while nobody heard them may be lost. */
static void on_back(void *arg, const struct sdm_set *ids) {
  static const char recall[] = "{\"cmd\":\"recall\"}";
  struct sdm_session *s = arg;
  sdm_set_diff(s->dead, ids);
  if (s->on_back)
    s->on_back(s->arg, ids);
  memmove(s->recalls, s->recalls + 1, sizeof(s->recalls) - sizeof(*s->recalls));
  s->recalls[NRECALLS - 1] = sdm_request(s->ctx, ids, SDM_REDUCE_SAME, 0, recall, sizeof(recall) - 1);
}

static void on_answer(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  struct sdm_session *s = arg;
  if (sdm_feed_answer(s, request, flags) || (request && request == s->ignored))
    return;
  if (is_recall(s, request)) {
    take_recall(s, a);
    return;
  }
  if (request == s->waiting && !s->answer && !(flags & SDM_FLAG_SUPPLEMENT)) {
    s->answer = sdm_answer_new(a->reducer);
    s->answer_flags = flags;
    sdm_answer_merge(s->answer, a);
  } else if (s->on_late)
    s->on_late(s->arg, a);
}

/* What was shown is given back as credit, so a rank never has more than its credit on the way.  Of many lines once for each set
 * that wrote some of them. */
#define PAYEES 16

struct payee {
  const struct sdm_set *set;
  uint64_t bytes;
};

static size_t pay(struct sdm_session *s, struct payee *payees, size_t n) {
  for (size_t i = 0; i < n; i++)
    sdm_credit(s->ctx, payees[i].set, payees[i].bytes);
  return 0;
}

static void on_output(void *arg, const struct sdm_iolist *l) {
  struct sdm_session *s = arg;
  struct payee payees[PAYEES];
  size_t n = 0, k;
  for (size_t i = 0; i < l->n; i++) {
    const struct sdm_piece *p = &l->pieces[i];
    if (!p->bytes.len)
      continue;
    if (s->on_output)
      s->on_output(s->arg, p->set, p->stream, p->bytes.p, p->bytes.len);
    for (k = 0; k < n && payees[k].set != p->set && !sdm_set_equal(payees[k].set, p->set); k++)
      ;
    if (k == PAYEES)
      k = n = pay(s, payees, n);
    if (k == n)
      payees[n++] = (struct payee){p->set, 0};
    payees[k].bytes += p->bytes.len;
  }
  pay(s, payees, n);
  if (s->on_output_end)
    s->on_output_end(s->arg);
}

static void on_lost(void *arg, const struct sdm_set *ids, const char *why) {
  struct sdm_session *s = arg;
  struct sdm_set *who = sdm_set_copy(ids);
  if (s->inside) /* has said that it ends */
    sdm_set_diff(who, s->exited);
  leave_places(s, who);
  set_state(s, who, s->dead);
  if (s->on_lost && !sdm_set_is_empty(who))
    s->on_lost(s->arg, who, why);
  sdm_set_free(who);
}

static const struct sdm_handlers handlers = {.answer = on_answer, .event = on_event, .output = on_output, .lost = on_lost, .back = on_back};

static int start_servers(struct sdm_session *s, const struct sdm_session_options *o, const struct sdm_secret *secret,
                         struct dvm_error *err) {
  char rendezvous[300], hex[2 * SDM_SECRET_BYTES + 1];
  bool v6 = strchr(sdm_ctx_host(s->ctx), ':') != NULL;
  snprintf(rendezvous, sizeof(rendezvous), v6 ? "[%s]:%u" : "%s:%u", sdm_ctx_host(s->ctx), sdm_ctx_port(s->ctx));
  sdm_secret_print(secret, hex);
  struct sdm_launch_options lo = {.rendezvous = rendezvous,
                                  .secret = hex,
                                  .backend = o->backend ? o->backend : "gdb",
                                  .backend_path = o->backend_path,
                                  .ssh = o->ssh,
                                  .oob = o->oob,
                                  .start_ms = o->start_ms,
                                  .ping_ms = o->ping_ms,
                                  .orphan_ms = o->orphan_ms,
                                  .orphan_do = o->orphan_do,
                                  .survives = o->orphan_do || o->session_file,
                                  .program = o->inside,
                                  .hold = o->hold,
                                  .told = o->told,
                                  .apart = o->apart};
  int rc = o->command   ? sdm_launch_command(&s->launch, o->command, &lo, err)
           : o->targets ? sdm_launch_targets(&s->launch, o->targets, &lo, err)
                        : sdm_launch_local(&s->launch, o->n, &lo, err);
  memset(hex, 0, sizeof(hex));
  return rc;
}

/* Where the servers are: told by themselves, or by a file. */
static int find_servers(struct sdm_session *s, const struct sdm_session_options *o, struct sdm_table *t, struct dvm_error *err) {
  t->base_port = o->base_port;
  t->port_tries = o->port_tries ? o->port_tries : 1000;
  if (o->servers)
    return sdm_table_read(t, o->servers, err);
  if (!o->targets)
    return sdm_gather(s->ctx, o->n, o->start_ms, t, sdm_launch_alive, &s->launch, err);
  struct sdm_set *who = sdm_set_new();
  for (size_t i = 0; i < o->targets->n; i++)
    sdm_set_add_element(who, o->targets->at[i].rank);
  int rc = sdm_gather_these(s->ctx, who, o->start_ms, t, sdm_launch_alive, &s->launch, err);
  sdm_set_free(who);
  return rc;
}

/* .. as one types it, without a word on how many processors there are. */
static bool is_mpirun(char *const *command) {
  const char *slash = strrchr(command[0], '/'), *name = slash ? slash + 1 : command[0];
  for (size_t i = 1; command[i]; i++)
    if (command[i] != SDM_LAUNCH_SERVER && strstr(command[i], "oversubscribe"))
      return false;
  return !strcmp(name, "mpirun") || !strcmp(name, "mpiexec") || !strcmp(name, "orterun");
}

/* The launcher has ended before its servers had come: it, or they, have said why, but for those that were asked to be quiet. */
static void explain_launcher(const struct sdm_session_options *o, struct dvm_error *err) {
  struct dvm_text t = DVM_TEXT_INIT;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  dvm_text_printf(&t, "%s\n", err->text);
  if (is_mpirun(o->command) && processors > 0 && o->n > processors)
    dvm_text_printf(
        &t,
        "help: there are %ld processors for %u ranks: Open MPI accepts more with --launcher 'mpirun --oversubscribe', or with this in "
        "DVM_LAUNCHER (\"launcher\" of an editor's launch configuration)\n",
        processors, o->n);
  dvm_text_add(&t, "help: the launcher ");
  for (size_t i = 0; o->command[i]; i++) /* up to the program, or all parts */
    if (o->command[i] != SDM_LAUNCH_SERVER || o->command[i + 1])
      dvm_text_printf(&t, "%s%s", i ? " " : "'", o->command[i] == SDM_LAUNCH_SERVER ? "..." : o->command[i]);
  dvm_text_add(&t, o->oob || o->inside ? "' started no program; run it without 'dvm debug' to see why"
                                       : "' or its servers gave the reason above");
  if (!o->host)
    dvm_text_add(&t, "; if servers are on other hosts, give --host ADDRESS");
  dvm_error_set(err, err->code, "%s", dvm_text_str(&t));
  dvm_text_fini(&t);
}

static int wire_up(struct sdm_session *s, const struct sdm_session_options *o, const struct sdm_secret *secret, struct sdm_table table,
                   struct dvm_error *err) {
  struct sdm_table t = table;
  struct sdm_set *missing = sdm_set_new();
  bool chosen = !o->shape || !strcmp(o->shape, "auto"); /* when it is known how many there are, and where */
  int rc = o->reattach ? 0 : sdm_shape_parse(&t.shape, chosen ? "flat" : o->shape, err);
  if (!rc && !o->reattach)
    rc = find_servers(s, o, &t, err);
  if (rc && o->inside)
    dvm_error_wrap(err, "the program must be compiled by dvmcc, to be checked");
  if (rc == -ECHILD && o->command)
    explain_launcher(o, err);
  else if (rc && o->command && !o->host)
    dvm_error_wrap(err, "if servers are on other hosts, give --host ADDRESS");
  if (rc && o->partial && t.n) {
    fprintf(stderr, "dvm debug: warning: %s\n", err->text);
    rc = 0;
  }
  if (!rc && chosen && !o->inside && !o->reattach) {
    t.shape = sdm_shape_choose(&t);
    rc = sdm_table_order(&t, err);
  }
  if (!rc)
    rc = sdm_connect_tree(s->ctx, &t, o->start_ms, missing, err);
  if (rc == -EHOSTUNREACH && o->partial && sdm_set_size(missing) < t.n) {
    fprintf(stderr, "dvm debug: warning: %s\n", err->text);
    rc = 0;
  }
  sdm_table_ids(&t, 0, t.n, s->all);
  sdm_set_diff(s->all, missing);
  const char *file = o->session_file ? o->session_file : o->reattach;
  if (!rc && o->session_file)
    rc = sdm_session_file_write(file, secret, &t, o->program, err);
  if (!rc && file)
    s->file = sdm_strdup(file);
  sdm_table_fini(&t);
  sdm_set_free(missing);
  return rc;
}

json_t *sdm_attach_command(const struct sdm_targets *t) {
  json_t *pids = json_array();
  for (size_t i = 0; i < t->n; i++) {
    while (json_array_size(pids) <= t->at[i].rank)
      json_array_append_new(pids, json_integer(0));
    json_array_set_new(pids, t->at[i].rank, json_integer(t->at[i].pid));
  }
  return json_pack("{s:s, s:o}", "cmd", "attach", "pids", pids);
}

/* Where servers on other hosts can reach us, if it was not said. */
static const char *listen_host(const struct sdm_session_options *o, char *own, size_t size) {
  if (o->host || !o->targets || !sdm_targets_remote(o->targets))
    return o->host;
  return sdm_targets_own_address(o->targets, own, size) ? own : NULL;
}

int sdm_session_open(struct sdm_session *s, const struct sdm_session_options *o, struct dvm_error *err) {
  char own[256];
  struct sdm_options co = {
      .role = SDM_ROLE_MASTER, .handlers = &handlers, .arg = s, .host = listen_host(o, own, sizeof(own)), .ping_ms = o->ping_ms};
  s->inside = o->inside;
  if (sdm_link_init())
    return dvm_error_set(err, -EIO, "libsodium cannot be initialised");
  struct sdm_table table = {0};
  if (o->reattach) {
    if (sdm_session_file_read(o->reattach, &co.secret, &table, &s->program, err))
      return err->code;
  } else if (!o->secret_file)
    sdm_secret_random(&co.secret);
  else if (sdm_secret_read(&co.secret, o->secret_file, err))
    return err->code;
  struct sdm_set **sets[] = {&s->all, &s->running, &s->stopped, &s->exited, &s->dead, &s->left, &s->heard};
  for (size_t i = 0; i < 7; i++)
    *sets[i] = sdm_set_new();
  s->ctx = sdm_open(&co, err);
  int rc = s->ctx ? 0 : err->code;
  if (!rc && !o->servers && !o->reattach)
    rc = start_servers(s, o, &co.secret, err);
  if (!rc)
    rc = wire_up(s, o, &co.secret, table, err);
  sdm_secret_wipe(&co.secret);
  if (rc && s->launch.pids && !sdm_launch_alive(&s->launch))
    sdm_launch_fini(&s->launch, 0); /* with what the launcher has said */
  if (rc)
    sdm_session_close(s);
  return rc;
}

void sdm_session_close(struct sdm_session *s) {
  bool inside = s->inside && s->all && !sdm_set_is_subset(s->all, s->exited);
  sdm_launch_mute(&s->launch);
  sdm_feed_end(s);
  if (inside && s->launch.pids)
    sdm_launch_terminate(&s->launch); /* before they hear that they may go on */
  sdm_finalize(s->ctx);
  s->ctx = NULL;
  if (s->file)
    unlink(s->file); /* there is nothing to go on with */
  free(s->file);
  s->file = NULL;
  json_decref(s->program);
  s->program = NULL;
  if (s->launch.pids && s->left && !sdm_set_is_empty(s->left))
    sdm_launch_leave(&s->launch);
  if (s->launch.pids)
    sdm_launch_fini(&s->launch, inside ? 1000 : 3000);
  sdm_checkpoints_fini(&s->checkpoints);
  leave_places(s, s->all);
  for (size_t i = 0; i < s->nplaces; i++) {
    sdm_set_free(s->places[i].set);
    json_decref(s->places[i].event);
  }
  free(s->places);
  s->places = NULL;
  s->nplaces = 0;
  struct sdm_set **sets[] = {&s->all, &s->running, &s->stopped, &s->exited, &s->dead, &s->left, &s->heard};
  for (size_t i = 0; i < 7; i++) {
    sdm_set_free(*sets[i]);
    *sets[i] = NULL;
  }
}

static sdm_id lowest(const struct sdm_class *c) {
  struct sdm_set_iter it = sdm_set_iter(c->set);
  sdm_id id = SDM_ID_NONE;
  sdm_set_iter_id(&it, &id);
  return id;
}

static int by_lowest(const void *a, const void *b) {
  sdm_id x = lowest(a), y = lowest(b);
  return (x > y) - (x < y);
}

struct sdm_answer *sdm_session_ask(struct sdm_session *s, const struct sdm_set *to, json_t *command, uint8_t reducer, uint32_t timeout_ms) {
  char *text = json_dumps(command, JSON_COMPACT);
  int64_t until = sdm_now_us() + ((int64_t)timeout_ms + 1000) * 1000;
  sdm_set_clear(s->heard);
  s->answer = NULL;
  s->waiting = 0; /* an answer may come before the id is known: when nobody is there to be asked */
  uint64_t request = 0;
  struct sdm_set *known = sdm_set_diff(sdm_set_intersect(sdm_set_copy(to), sdm_all(s->ctx)), sdm_gone(s->ctx));
  if (!sdm_set_is_empty(known))
    request = s->waiting = sdm_request(s->ctx, known, reducer, timeout_ms, text, strlen(text));
  for (int times = 0; request && !s->answer && sdm_now_us() < until && !(s->abandon && *s->abandon) && times < 2;) {
    sdm_progress(s->ctx, 100);
    if (!s->answer && s->interrupted && *s->interrupted) {
      static const char interrupt[] = "{\"cmd\":\"interrupt\",\"calls\":1}";
      *s->interrupted = 0;
      if (!times++)
        s->ignored = sdm_request(s->ctx, known, SDM_REDUCE_SAME, timeout_ms, interrupt, sizeof(interrupt) - 1);
    }
  }
  struct sdm_answer *a = s->answer;
  s->answer = NULL;
  s->waiting = 0;
  if (!a) {
    a = sdm_answer_new(reducer);
    sdm_set_union(a->timed_out, known);
  }
  struct sdm_set *gone = sdm_set_diff(sdm_set_copy(to), known);
  sdm_set_union(a->dead, gone);
  sdm_set_free(gone);
  sdm_set_free(known);
  if (!strcmp(json_string_value(json_object_get(command, "cmd")), "detach"))
    for (size_t i = 0; i < a->n; i++) /* the event may come after the end of the session */
      if (a->classes[i].kind == SDM_CLASS_OK)
        sdm_set_union(s->left, a->classes[i].set);
  if (!strcmp(json_string_value(json_object_get(command, "cmd")), "raw"))
    take_states(s, a);
  free(text);
  json_decref(command);
  if (a->n)
    qsort(a->classes, a->n, sizeof(*a->classes), by_lowest); /* not in the order of arrival */
  return a;
}

struct sdm_answer *sdm_session_go(struct sdm_session *s, const struct sdm_set *to, json_t *command, uint32_t timeout_ms) {
  struct sdm_set *stood = sdm_set_intersect(sdm_set_copy(s->stopped), to);
  struct sdm_set *ended = sdm_set_intersect(sdm_set_copy(s->exited), to);
  set_state(s, to, s->running); /* before it is sent: a stop may come before the last of the answers */
  struct sdm_answer *a = sdm_session_ask(s, to, command, SDM_REDUCE_SAME, timeout_ms);
  struct sdm_set *refused = sdm_answer_missing(a);
  for (size_t i = 0; i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_ERROR)
      sdm_set_union(refused, a->classes[i].set);
  sdm_set_diff(refused, a->timed_out); /* who is slow may well run */
  sdm_set_intersect(stood, refused);
  sdm_set_intersect(ended, refused);
  sdm_set_diff(s->running, refused);
  set_state(s, stood, s->stopped);
  set_state(s, ended, s->exited);
  set_state(s, a->dead, s->dead);
  sdm_set_free(refused);
  sdm_set_free(stood);
  sdm_set_free(ended);
  return a;
}

int sdm_session_wait(struct sdm_session *s, const struct sdm_set *set, uint32_t timeout_ms, const volatile atomic_int *interrupted) {
  int64_t until = sdm_now_us() + (int64_t)timeout_ms * 1000;
  while (sdm_set_overlaps(s->running, set)) {
    if (interrupted && *interrupted)
      return -EINTR;
    if (timeout_ms && sdm_now_us() >= until)
      return -ETIMEDOUT;
    sdm_progress(s->ctx, 50);
  }
  return 0;
}

void sdm_session_step(struct sdm_session *s, int timeout_ms) { sdm_progress(s->ctx, timeout_ms); }

void sdm_session_recall(struct sdm_session *s, void (*known)(void *arg, const struct sdm_set *ids, const json_t *command), void *arg) {
  struct sdm_answer *a = sdm_session_ask(s, s->all, json_pack("{s:s}", "cmd", "recall"), SDM_REDUCE_SAME, 10000);
  set_state(s, a->dead, s->dead);
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL, *one;
    size_t k;
    if (json_is_object(json_object_get(body, "event")))
      take_event(s, a->classes[i].set, json_object_get(body, "event"));
    json_array_foreach(json_object_get(body, "breakpoints"), k, one) known(arg, a->classes[i].set, one);
    if (json_object_get(body, "names"))
      known(arg, a->classes[i].set, body); /* no command: what the front end before has named */
    json_decref(body);
  }
  sdm_answer_free(a);
}
