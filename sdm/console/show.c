#define _GNU_SOURCE /* fwrite_unlocked */
#include "sdm/console/show.h"

#include <stdlib.h>
#include <string.h>

#include "sdm/overlay/prefix.h"
#include "sdm/console/show_private.h"

static const char *text_of(const json_t *j, const char *key) { return json_string_value(json_object_get(j, key)); }

void sdm_show_json(const struct sdm_show *w, json_t *j) {
  char *text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS);
  fprintf(w->out, "%s\n", text ? text : "{}");
  free(text);
  json_decref(j);
  fflush(w->out);
}

void sdm_show_ranks(json_t *j, const char *key, const struct sdm_set *set) {
  char *text = sdm_set_text(set);
  json_object_set_new(j, key, json_string(text));
  free(text);
}

void sdm_show_head(const struct sdm_show *w, const struct sdm_set *set) {
  char *text = sdm_set_text(set);
  fprintf(w->out, "{%s} ", text);
  if (sdm_set_size(set) > 1)
    fprintf(w->out, "%u  ", sdm_set_size(set));
  free(text);
}

void sdm_show_file(FILE *out, const json_t *j) {
  if (text_of(j, "file"))
    fprintf(out, " at %s:%d", text_of(j, "file"), (int)json_integer_value(json_object_get(j, "line")));
  else if (text_of(j, "lib"))
    fprintf(out, " from %s", text_of(j, "lib"));
}

static void place(FILE *out, const json_t *j) {
  const char *func = text_of(j, "func"), *file = text_of(j, "file");
  if (file && !func) { /* from inside a checked program: its construct, or the access */
    fprintf(out, "%s:%d", file, (int)json_integer_value(json_object_get(j, "line")));
    return;
  }
  fprintf(out, "%s", func ? func : "??");
  sdm_show_file(out, j);
}

void sdm_show_missing(const struct sdm_show *w, const struct sdm_answer *a) {
  const struct {
    const struct sdm_set *set;
    const char *what;
  } kinds[] = {{a->dead, "dead"}, {a->timed_out, "no answer yet"}, {a->unreachable, "unreachable"}, {a->other, "other answers, not shown"}};
  for (size_t i = 0; i < 4; i++)
    if (!sdm_set_is_empty(kinds[i].set)) {
      sdm_show_head(w, kinds[i].set);
      fprintf(w->out, "%s\n", kinds[i].what);
    }
}

/* Lines of a source; the one where the frame stands has a mark. */
static void show_listing(FILE *out, const char *text, json_int_t here) {
  fprintf(out, "\n");
  while (text && *text) {
    size_t n = strcspn(text, "\n");
    fprintf(out, "%s %.*s\n", atoll(text) == here ? "->" : "  ", (int)n, text);
    text += n + (text[n] == '\n');
  }
}

static void show_checkpoint(FILE *out, const json_t *r) {
  json_int_t number = json_integer_value(json_object_get(r, "checkpoint"));
  const json_t *list = json_object_get(r, "breakpoints"), *one;
  size_t i;
  fprintf(out, list ? "restarted from " : "saved as ");
  if (number)
    fprintf(out, "checkpoint %d: ", (int)number);
  fprintf(out, "%s\n", text_of(r, "handle"));
  json_array_foreach(list, i, one) fprintf(out, "  breakpoint %d is set again: %s\n", (int)json_integer_value(json_object_get(one, "id")),
                                           text_of(one, "where")        ? text_of(one, "where")
                                           : text_of(one, "expression") ? text_of(one, "expression")
                                           : text_of(one, "catch")      ? text_of(one, "catch")
                                                                        : "?");
  if (json_object_get(r, "others"))
    fprintf(out,
            "  %d other processes of the image run without the debugger; "
            "'dvm debug --restart' takes all of them\n",
            (int)json_integer_value(json_object_get(r, "others")));
  if (json_object_get(r, "moved"))
    fprintf(out, "  warning: some threads have moved\n");
}

static void show_result(FILE *out, const json_t *r) {
  json_t *list, *v;
  size_t i;
  if (text_of(r, "handle")) {
    show_checkpoint(out, r);
    return;
  }
  if (text_of(r, "value"))
    fprintf(out, "%s\n", text_of(r, "value"));
  else if (json_object_get(r, "here"))
    show_listing(out, text_of(r, "text"), json_integer_value(json_object_get(r, "here")));
  else if (text_of(r, "text"))
    fprintf(out, "%s%s\n", strchr(text_of(r, "text"), '\n') ? "\n" : "", text_of(r, "text"));
  else if (text_of(r, "warning"))
    fprintf(out, "warning: %s\n", text_of(r, "warning"));
  else if (text_of(r, "bytes"))
    fprintf(out, "%s\n", text_of(r, "bytes"));
  else if ((list = json_object_get(r, "frames"))) {
    fprintf(out, "\n");
    json_array_foreach(list, i, v) {
      fprintf(out, "  #%d  ", (int)json_integer_value(json_object_get(v, "level")));
      place(out, v);
      fprintf(out, "\n");
    }
  } else if ((list = json_object_get(r, "variables"))) {
    fprintf(out, "%s\n", json_array_size(list) ? "" : "none");
    json_array_foreach(list, i, v) fprintf(out, "  %s = %s\n", text_of(v, "name"), text_of(v, "value"));
  } else if ((list = json_object_get(r, "threads"))) {
    fprintf(out, "\n");
    json_array_foreach(list, i, v) {
      fprintf(out, "  thread %d  %s  ", (int)json_integer_value(json_object_get(v, "id")), text_of(v, "state") ? text_of(v, "state") : "");
      if (text_of(v, "func"))
        place(out, v);
      fprintf(out, "\n");
    }
  } else if (sdm_show_queues(out, r) || sdm_show_facts(out, r))
    ;
  else if (json_object_get(r, "id")) {
    fprintf(out, "breakpoint %d", (int)json_integer_value(json_object_get(r, "id")));
    if (text_of(r, "pending"))
      fprintf(out, " (pending: %s)", text_of(r, "pending"));
    else if (text_of(r, "expression"))
      fprintf(out, " (watches %s%s)", text_of(r, "expression"),
              json_is_true(json_object_get(r, "software")) ? ", step by step: hardware watchpoints do not stop programs on this machine"
                                                           : "");
    else if (text_of(r, "stops"))
      fprintf(out, ": %s", text_of(r, "stops"));
    else if (text_of(r, "func")) {
      fprintf(out, ": ");
      place(out, r);
      int more = (int)json_integer_value(json_object_get(r, "places")) - 1;
      if (more > 0)
        fprintf(out, " and %d more place%s", more, more == 1 ? "" : "s");
    }
    fprintf(out, "\n");
  } else
    fprintf(out, "ok\n");
}

json_t *sdm_show_missing_json(const struct sdm_answer *a) {
  json_t *j = json_object();
  if (!sdm_set_is_empty(a->dead))
    sdm_show_ranks(j, "dead", a->dead);
  if (!sdm_set_is_empty(a->timed_out))
    sdm_show_ranks(j, "timed_out", a->timed_out);
  if (!sdm_set_is_empty(a->unreachable))
    sdm_show_ranks(j, "unreachable", a->unreachable);
  if (!sdm_set_is_empty(a->other))
    sdm_show_ranks(j, "other", a->other);
  return j;
}

static void answer_json(const struct sdm_show *w, const char *command, const struct sdm_answer *a) {
  json_t *list = json_array();
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *c = &a->classes[i];
    json_t *one = json_object(), *body = c->kind == SDM_CLASS_OK ? sdm_class_json(c) : NULL;
    sdm_show_ranks(one, "ranks", c->set);
    if (body)
      json_object_set_new(one, "result", body);
    else
      json_object_set_new(one, "error", json_stringn((const char *)c->body.p, c->body.len));
    json_array_append_new(list, one);
  }
  sdm_show_json(w, json_pack("{s:s, s:o, s:o}", "answer", command, "classes", list, "missing", sdm_show_missing_json(a)));
}

void sdm_show_answer(const struct sdm_show *w, const char *command, const struct sdm_answer *a) {
  if (w->json) {
    answer_json(w, command, a);
    return;
  }
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *c = &a->classes[i];
    json_t *body = c->kind == SDM_CLASS_OK ? sdm_class_json(c) : NULL;
    sdm_show_head(w, c->set);
    if (body)
      show_result(w->out, body);
    else
      fprintf(w->out, "error: %.*s\n", (int)c->body.len, (const char *)c->body.p);
    json_decref(body);
  }
  sdm_show_missing(w, a);
  fflush(w->out);
}

static void show_prefix(FILE *out, const struct sdm_prefix *p, unsigned depth) {
  for (size_t i = 0; i < p->n; i++) {
    const struct sdm_prefix *c = p->children[i];
    char *set = sdm_set_text(c->set);
    fprintf(out, "%*s%s  {%s} %u\n", (int)(2 * depth), "", c->name, set, sdm_set_size(c->set));
    free(set);
    show_prefix(out, c, depth + 1);
  }
}

/* A line a leaf, as tools for flame graphs read it: "main;work;add 8". */
static void show_folded(FILE *out, const struct sdm_prefix *p, const char *path) {
  for (size_t i = 0; i < p->n; i++) {
    const struct sdm_prefix *c = p->children[i];
    struct dvm_text t = DVM_TEXT_INIT;
    struct sdm_set *here = sdm_set_copy(c->set);
    dvm_text_printf(&t, "%s%s%s", path, *path ? ";" : "", c->name);
    for (size_t k = 0; k < c->n; k++)
      sdm_set_diff(here, c->children[k]->set);
    if (!sdm_set_is_empty(here))
      fprintf(out, "%s %u\n", dvm_text_str(&t), sdm_set_size(here));
    show_folded(out, c, dvm_text_str(&t));
    sdm_set_free(here);
    dvm_text_fini(&t);
  }
}

static unsigned show_dot(FILE *out, const struct sdm_prefix *p, unsigned parent, unsigned next) {
  for (size_t i = 0; i < p->n; i++) {
    const struct sdm_prefix *c = p->children[i];
    char *set = sdm_set_text(c->set);
    unsigned self = next++;
    fprintf(out, "  n%u [label=\"", self);
    for (const char *s = c->name; *s; s++)
      fprintf(out, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    fprintf(out, "\\n{%s} %u\"];\n", set, sdm_set_size(c->set));
    if (parent)
      fprintf(out, "  n%u -> n%u;\n", parent, self);
    free(set);
    next = show_dot(out, c, self, next);
  }
  return next;
}

/* Ids of a tree of samples are rank * samples + number of the sample. */
static void show_samples(FILE *out, const struct sdm_prefix *p, unsigned depth, uint32_t samples) {
  for (size_t i = 0; i < p->n; i++) {
    const struct sdm_prefix *c = p->children[i];
    struct sdm_set *ranks = sdm_set_new();
    struct sdm_set_iter it = sdm_set_iter(c->set);
    sdm_id id;
    while (sdm_set_iter_id(&it, &id))
      sdm_set_add_element(ranks, id / samples);
    char *set = sdm_set_text(ranks);
    fprintf(out, "%*s%s  %u samples of {%s}\n", (int)(2 * depth), "", c->name, sdm_set_size(c->set), set);
    free(set);
    sdm_set_free(ranks);
    show_samples(out, c, depth + 1, samples);
  }
}

static json_t *prefix_json(const struct sdm_prefix *p) {
  json_t *j = json_object(), *list = json_array();
  json_object_set_new(j, "name", json_string(p->name));
  sdm_show_ranks(j, "ranks", p->set);
  json_object_set_new(j, "count", json_integer(sdm_set_size(p->set)));
  for (size_t i = 0; i < p->n; i++)
    json_array_append_new(list, prefix_json(p->children[i]));
  json_object_set_new(j, "children", list);
  return j;
}

static void show_as(FILE *out, const struct sdm_prefix *p, enum sdm_tree_form form, uint32_t samples) {
  if (form == SDM_TREE_FOLDED)
    show_folded(out, p, "");
  else if (form == SDM_TREE_DOT) {
    fprintf(out, "digraph stacks {\n  node [shape=box];\n");
    show_dot(out, p, 0, 1);
    fprintf(out, "}\n");
  } else if (form == SDM_TREE_SAMPLES)
    show_samples(out, p, 0, samples);
  else
    show_prefix(out, p, 0);
}

void sdm_show_tree(const struct sdm_show *w, const struct sdm_answer *a, enum sdm_tree_form form, uint32_t samples) {
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *c = &a->classes[i];
    struct sdm_prefix *p = c->kind == SDM_CLASS_OK ? sdm_prefix_decode(c->body.p, c->body.len) : NULL;
    if (p && w->json)
      sdm_show_json(w, json_pack("{s:o, s:o, s:i}", "tree", prefix_json(p), "missing", sdm_show_missing_json(a), "samples", (int)samples));
    else if (p)
      show_as(w->out, p, form, samples);
    else if (!w->json) {
      sdm_show_head(w, c->set);
      fprintf(w->out, "error: %.*s\n", (int)c->body.len, (const char *)c->body.p);
    }
    sdm_prefix_free(p);
  }
  if (!w->json)
    sdm_show_missing(w, a);
  fflush(w->out);
}

static void show_exited(FILE *out, const json_t *event) {
  const char *reason = text_of(event, "reason");
  json_t *code = json_object_get(event, "code");
  if (reason && !strcmp(reason, "detached"))
    fprintf(out, "detached, still running\n");
  else if (text_of(event, "signal"))
    fprintf(out, "killed by %s\n", text_of(event, "signal"));
  else
    fprintf(out, "exited with status %d\n", (int)json_integer_value(code));
}

/* "stopped at breakpoint 1, ", up to the place. */
static void show_reason(FILE *out, const json_t *event, const char *reason) {
  json_t *bp = json_object_get(event, "bp");
  if (reason && !strcmp(reason, "diagnostic"))
    fprintf(out, "reported a diagnostic %s ", text_of(event, "func") ? "in" : "at");
  else if (json_integer_value(bp) >= SDM_END_BREAK)
    fprintf(out, "is about to end with an error, ");
  else if (reason && !strcmp(reason, "restarted"))
    fprintf(out, "restarted, stopped in ");
  else if (bp)
    fprintf(out, "stopped at breakpoint %d, ", (int)json_integer_value(bp));
  else if (reason && !strcmp(reason, "moved"))
    fprintf(out, "is now in ");
  else if (reason && !strcmp(reason, "call-returned"))
    fprintf(out, "the function that was called has returned; stopped in ");
  else if (text_of(event, "signal") && reason && !strcmp(reason, "signal-received"))
    fprintf(out, "got %s in ", text_of(event, "signal"));
  else if (reason && (!strcmp(reason, "breakpoint-hit") || !strcmp(reason, "end-stepping-range") || !strcmp(reason, "function-finished") ||
                      !strcmp(reason, "location-reached") || !strcmp(reason, "stopped")))
    fprintf(out, "stopped in "); /* where it was sent */
  else
    fprintf(out, "stopped (%s)%s", reason ? reason : "?",
            text_of(event, "func") || text_of(event, "lib") ? " in "
            : text_of(event, "file")                        ? " at "
                                                            : "");
}

static void show_stopped(FILE *out, const json_t *event) {
  const char *reason = text_of(event, "reason");
  show_reason(out, event, reason);
  if (text_of(event, "func") || text_of(event, "file") || text_of(event, "lib") || !reason || strcmp(reason, "start"))
    place(out, event);
  if (text_of(event, "new"))
    fprintf(out, ": %s was %s, is %s", text_of(event, "expression") ? text_of(event, "expression") : "it", text_of(event, "old"),
            text_of(event, "new"));
  if (text_of(event, "error"))
    fprintf(out, ": %s", text_of(event, "error"));
  if (text_of(event, "diagnostic"))
    fprintf(out, ": %s [%s]", text_of(event, "diagnostic"), text_of(event, "id") ? text_of(event, "id") : "?");
  if (text_of(event, "return"))
    fprintf(out, ", returned %s", text_of(event, "return"));
  fprintf(out, "\n");
}

static void show_saved(FILE *out, const json_t *event) {
  if (text_of(event, "handle"))
    fprintf(out, "was saved at a request from outside: checkpoint %d, %s\n", (int)json_integer_value(json_object_get(event, "checkpoint")),
            text_of(event, "handle"));
  else if (json_object_get(event, "job"))
    fprintf(out, "was asked for a checkpoint from outside, as a rank of its job\n");
  else
    fprintf(out, "was asked for a checkpoint from outside, but refused or did not answer\n");
}

static void show_signal(FILE *out, const json_t *event) { fprintf(out, "received %s, still running\n", text_of(event, "signal")); }

static void show_log(FILE *out, const json_t *event) { fprintf(out, "%s\n", text_of(event, "text") ? text_of(event, "text") : ""); }

void sdm_show_event(const struct sdm_show *w, const struct sdm_set *ids, const json_t *event) {
  static const struct {
    const char *name;
    void (*show)(FILE *out, const json_t *event);
  } kinds[] = {{"exited", show_exited}, {"stopped", show_stopped}, {"saved", show_saved}, {"signal", show_signal}, {"log", show_log}};
  enum { KINDS = sizeof(kinds) / sizeof(*kinds) };
  const char *name = text_of(event, "event");
  size_t kind = 0;
  if (w->json) {
    json_t *j = json_deep_copy(event);
    sdm_show_ranks(j, "ranks", ids);
    sdm_show_json(w, j);
    return;
  }
  if (!name || !strcmp(name, "running"))
    return;
  sdm_show_head(w, ids);
  while (kind < KINDS && strcmp(kinds[kind].name, name) != 0)
    kind++;
  if (kind < KINDS)
    kinds[kind].show(w->out, event);
  else
    fprintf(w->out, "%s\n", name);
  fflush(w->out);
}

/* As in gdb: the line where it stands, if its source is here. */
void sdm_show_line(const struct sdm_show *w, const json_t *event) {
  const char *path = text_of(event, "path");
  json_int_t line = json_integer_value(json_object_get(event, "line")), at = 0;
  bool stands = text_of(event, "event") && !strcmp(text_of(event, "event"), "stopped");
  FILE *in = !w->json && stands && path && line > 0 ? fopen(path, "r") : NULL;
  char *text = NULL;
  size_t size = 0;
  ssize_t n = 0;
  while (in && at < line && (n = getline(&text, &size, in)) > 0)
    at++;
  if (in && at == line && n > 0)
    fprintf(w->out, "%lld\t%s%s", (long long)line, text, text[n - 1] == '\n' ? "" : "\n");
  free(text);
  if (in)
    fclose(in);
}

/* "[3", without memory of its own: there may be millions of lines. */
static void put_writers(FILE *out, const struct sdm_set *ids) {
  struct sdm_set_iter it = sdm_set_iter(ids);
  sdm_id id;
  char digits[16];
  size_t at = sizeof(digits);
  putc_unlocked('[', out);
  if (sdm_set_size(ids) == 1 && sdm_set_iter_id(&it, &id)) {
    do
      digits[--at] = (char)('0' + id % 10);
    while (id /= 10);
    fwrite_unlocked(digits + at, 1, sizeof(digits) - at, out);
    return;
  }
  char *ranks = sdm_set_text(ids);
  fputs(ranks, out);
  free(ranks);
}

void sdm_show_output(const struct sdm_show *w, const struct sdm_set *ids, unsigned stream, const void *p, size_t len) {
  if (w->json) {
    json_t *j = json_pack("{s:s}", "output", stream == 2 ? "stderr" : "stdout"), *text = json_stringn(p, len);
    struct dvm_text hex = DVM_TEXT_INIT;
    sdm_show_ranks(j, "ranks", ids);
    if (text)
      json_object_set_new(j, "text", text);
    else { /* no UTF-8: nothing may be lost */
      for (size_t i = 0; i < len; i++)
        dvm_text_printf(&hex, "%02x", ((const unsigned char *)p)[i]);
      json_object_set_new(j, "hex", json_string(dvm_text_str(&hex)));
    }
    dvm_text_fini(&hex);
    sdm_show_json(w, j);
    return;
  }
  put_writers(w->out, ids);
  fwrite_unlocked(stream == 2 ? " stderr] " : "] ", 1, stream == 2 ? 9 : 2, w->out);
  fwrite_unlocked(p, 1, len, w->out);
  if (!len || ((const char *)p)[len - 1] != '\n')
    putc_unlocked('\n', w->out);
}

void sdm_show_lost(const struct sdm_show *w, const struct sdm_set *ids, const char *why) {
  if (w->json) {
    json_t *j = json_pack("{s:s}", "lost", why);
    sdm_show_ranks(j, "ranks", ids);
    sdm_show_json(w, j);
    return;
  }
  sdm_show_head(w, ids);
  fprintf(w->out, "server lost: %s\n", why);
  fflush(w->out);
}

void sdm_show_back(const struct sdm_show *w, const struct sdm_set *ids) {
  if (w->json) {
    json_t *j = json_object();
    sdm_show_ranks(j, "back", ids);
    sdm_show_json(w, j);
    return;
  }
  sdm_show_head(w, ids);
  fprintf(w->out, "server is back\n");
  fflush(w->out);
}

void sdm_show_running(const struct sdm_show *w, const struct sdm_set *ids) {
  if (!w->json && !sdm_set_is_empty(ids)) {
    sdm_show_head(w, ids);
    fprintf(w->out, "still running; ^C stops them\n");
  }
  fflush(w->out);
}

void sdm_show_late_main(const struct sdm_show *w, const struct sdm_set *ids) {
  if (!w->json) {
    sdm_show_head(w, ids);
    fprintf(w->out, "has not stopped yet; a program without symbols (-g) does not stop in main; ^C stops it\n");
  }
  fflush(w->out);
}

void sdm_show_error(const struct sdm_show *w, const char *text) {
  if (w->json)
    sdm_show_json(w, json_pack("{s:s}", "error", text));
  else
    fprintf(w->out, "error: %s\n", text);
  fflush(w->out);
}

void sdm_show_status(const struct sdm_show *w, const struct sdm_session *s) {
  struct sdm_set *exited = sdm_set_copy(s->exited); /* for people: those whose status is not known */
  for (size_t i = 0; i < s->nplaces && !w->json; i++)
    sdm_set_diff(exited, s->places[i].set);
  const struct {
    const char *name;
    const struct sdm_set *set;
  } states[] = {{"running", s->running}, {"exited", exited}, {"dead", s->dead}};
  if (w->json) {
    json_t *j = json_object();
    sdm_show_ranks(j, "stopped", s->stopped);
    for (size_t i = 0; i < 3; i++)
      sdm_show_ranks(j, states[i].name, states[i].set);
    sdm_show_json(w, json_pack("{s:o}", "status", j));
  } else
    for (size_t i = 0; i < 3; i++)
      if (!sdm_set_is_empty(states[i].set)) {
        sdm_show_head(w, states[i].set);
        fprintf(w->out, "%s\n", states[i].name);
      }
  for (size_t i = 0; i < s->nplaces; i++)
    sdm_show_event(w, s->places[i].set, s->places[i].event);
  sdm_set_free(exited);
}
