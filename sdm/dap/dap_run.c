/* Threads, and requests of the DAP adapter that set programs running. */
#include <stdlib.h>
#include <string.h>

#include "sdm/dap/dap_private.h"

static void add_thread(json_t *list, json_int_t rank, json_int_t thread, const char *fmt, ...) {
  struct dvm_text t = DVM_TEXT_INIT;
  va_list ap;
  va_start(ap, fmt);
  dvm_text_vprintf(&t, fmt, ap);
  va_end(ap);
  json_array_append_new(list, json_pack("{s:I, s:s}", "id", rank * DAP_THREADS_A_RANK + thread, "name", dvm_text_str(&t)));
  dvm_text_fini(&t);
}

static void class_threads(struct dap *d, json_t *list) {
  const struct sdm_set *running = d->s.running;
  for (size_t i = 0; i < d->s.nplaces; i++) {
    const struct sdm_place *p = &d->s.places[i];
    if (strcmp(sdm_dap_text(p->event, "event"), "stopped"))
      continue;
    char *ranks = sdm_set_text(p->set);
    const char *func = sdm_dap_text(p->event, "func"), *file = sdm_dap_text(p->event, "file");
    add_thread(list, sdm_dap_lowest(p->set), sdm_dap_number(p->event, "thread", 1), "%u ranks %s: %s%s%s:%lld", sdm_set_size(p->set), ranks,
               func ? func : "??", file ? " at " : "", file ? file : "", (long long)sdm_dap_number(p->event, "line", 0));
    free(ranks);
  }
  if (!sdm_set_is_empty(running)) {
    char *ranks = sdm_set_text(running);
    add_thread(list, sdm_dap_lowest(running), 1, "%u ranks %s: running", sdm_set_size(running), ranks);
    free(ranks);
  }
}

static void rank_threads(struct dap *d, json_t *list) {
  struct sdm_answer *a = sdm_dap_ask(d, d->s.stopped, json_pack("{s:s}", "cmd", "threads"), SDM_REDUCE_SAME);
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
        json_array_foreach(json_object_get(body, "threads"), k, t) add_thread(
            list, rank, sdm_dap_number(t, "id", 1), k ? "rank %u thread %lld" : "rank %u", rank, (long long)sdm_dap_number(t, "id", 1));
    json_decref(body);
  }
  sdm_answer_free(a);
  for (it = sdm_set_iter(d->s.running); sdm_set_iter_id(&it, &rank);)
    add_thread(list, rank, 1, "rank %u", rank);
}

static int by_id(const void *a, const void *b) {
  json_int_t x = sdm_dap_number(*(json_t *const *)a, "id", 0), y = sdm_dap_number(*(json_t *const *)b, "id", 0);
  return (x > y) - (x < y);
}

json_t *sdm_dap_do_threads(struct dap *d, const json_t *args) {
  json_t *list = json_array(), *sorted = json_array();
  (void)args;
  if (d->open && sdm_dap_by_class(d))
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
  sdm_dap_note_threads(d, sorted);
  return json_pack("{s:o}", "threads", sorted);
}

struct sdm_set *sdm_dap_focus_set(struct dap *d) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_set *set = d->focus ? sdm_select(&d->s, &d->names, d->focus, &err) : NULL;
  return set ? set : sdm_set_copy(d->s.all);
}

/* 'wanted': the rank that gets the editor's focus when it stops; -1: the first. */
static json_t *go(struct dap *d, struct sdm_set *to, json_t *command, bool alone, json_int_t wanted) {
  sdm_set_intersect(to, d->s.stopped);
  sdm_dap_forget(d);
  d->entry = false;
  bool good = !sdm_set_is_empty(to);
  sdm_dap_went(d, to, alone);
  d->wanted = wanted;
  if (good)
    good = sdm_dap_all_good(d, sdm_session_go(&d->s, to, command, DAP_TIMEOUT_MS));
  else {
    json_decref(command);
    sdm_dap_fail(d, "it is not stopped");
  }
  sdm_set_free(to);
  return good ? json_object() : NULL;
}

static sdm_id rank_of(const json_t *args) { return (sdm_id)(sdm_dap_number(args, "threadId", 0) / DAP_THREADS_A_RANK); }

static bool single(const json_t *args) { return json_is_true(json_object_get(args, "singleThread")); }

static void tell_continued(struct dap *d, const struct sdm_set *who) {
  struct sdm_set_iter it = sdm_set_iter(who);
  sdm_id id;
  while (!sdm_dap_by_class(d) && sdm_set_iter_id(&it, &id))
    sdm_dap_event(d, "continued", json_pack("{s:I, s:b}", "threadId", (json_int_t)id * DAP_THREADS_A_RANK + 1, "allThreadsContinued", 0));
}

/* All that stand in the focus go on, and the rank that the request names; with singleThread those that the thread stands for. */
json_t *sdm_dap_do_continue(struct dap *d, const json_t *args) {
  struct sdm_set *to = !single(args)         ? sdm_dap_focus_set(d)
                       : sdm_dap_by_class(d) ? sdm_dap_class_of(d, rank_of(args))
                                             : sdm_dap_one(rank_of(args));
  struct sdm_set *rest = sdm_set_copy(d->s.stopped);
  if (!single(args) && sdm_set_contains(d->s.stopped, rank_of(args)))
    sdm_set_add_element(to, rank_of(args)); /* the editor shows it as running, whatever it has the focus on */
  bool all = !single(args) && sdm_set_is_empty(sdm_set_diff(rest, to));
  struct sdm_set *others = sdm_set_remove_element(sdm_set_intersect(sdm_set_copy(to), d->s.stopped), rank_of(args));
  json_t *body = go(d, to, json_pack("{s:s}", "cmd", "continue"), !all, -1);
  if (body)
    json_object_set_new(body, "allThreadsContinued", json_boolean(all));
  if (body && !all && !single(args))
    tell_continued(d, others);
  sdm_set_free(others);
  sdm_set_free(rest);
  return body;
}

/* Those that stand where the thread stands take the step with it; with singleThread it alone. */
static json_t *step(struct dap *d, const json_t *args, const char *command) {
  sdm_id rank = rank_of(args);
  struct sdm_set *to = single(args) && !sdm_dap_by_class(d) ? sdm_dap_one(rank) : sdm_dap_class_of(d, rank), *in = sdm_dap_focus_set(d);
  sdm_set_intersect(to, in);
  sdm_set_add_element(to, rank);
  sdm_set_free(in);
  struct sdm_set *others = sdm_set_remove_element(sdm_set_copy(to), rank);
  json_t *body = go(d, to, json_pack("{s:s}", "cmd", command), single(args), (json_int_t)rank);
  if (body)
    tell_continued(d, others);
  sdm_set_free(others);
  return body;
}
static bool by_instruction(const json_t *args) {
  return sdm_dap_text(args, "granularity") && !strcmp(sdm_dap_text(args, "granularity"), "instruction");
}
json_t *sdm_dap_do_next(struct dap *d, const json_t *args) { return step(d, args, by_instruction(args) ? "nexti" : "next"); }
json_t *sdm_dap_do_step_in(struct dap *d, const json_t *args) { return step(d, args, by_instruction(args) ? "stepi" : "step"); }
json_t *sdm_dap_do_step_out(struct dap *d, const json_t *args) { return step(d, args, "finish"); }

json_t *sdm_dap_do_pause(struct dap *d, const json_t *args) {
  struct sdm_set *to = sdm_dap_focus_set(d);
  sdm_set_intersect(to, d->s.running);
  if (sdm_set_contains(to, rank_of(args)))
    d->wanted = (json_int_t)rank_of(args);
  sdm_answer_free(sdm_dap_ask(d, to, json_pack("{s:s}", "cmd", "interrupt"), SDM_REDUCE_SAME));
  sdm_set_free(to);
  return json_object();
}

json_t *sdm_dap_do_terminate(struct dap *d, const json_t *args) {
  (void)args;
  if (d->open && !d->over)
    sdm_answer_free(sdm_dap_ask(d, d->s.all, json_pack("{s:s}", "cmd", "kill"), SDM_REDUCE_SAME));
  if (!d->over)
    sdm_dap_event(d, "terminated", NULL);
  d->over = true;
  return json_object();
}

json_t *sdm_dap_do_disconnect(struct dap *d, const json_t *args) {
  const json_t *end = json_object_get(args, "terminateDebuggee");
  if (d->open && d->attached && json_is_true(end)) /* else what was attached runs on, what was launched is killed */
    sdm_answer_free(sdm_dap_ask(d, d->s.all, json_pack("{s:s}", "cmd", "kill"), SDM_REDUCE_SAME));
  if (d->open && !d->attached && json_is_false(end))
    sdm_answer_free(sdm_dap_ask(d, d->s.all, json_pack("{s:s}", "cmd", "detach"), SDM_REDUCE_SAME));
  d->quit = true;
  return json_object();
}
