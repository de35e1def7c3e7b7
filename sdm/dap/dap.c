/* The adapter: requests of one client become commands of a session.  What the client sees as a thread is a thread of
 * one rank, 1000 * rank + thread; above 'classLimit' ranks it is a class of ranks that stand at the same place, named
 * by its lowest rank, so that 512 ranks are a few rows. */
#define _GNU_SOURCE /* open_memstream */
#include "sdm/dap/dap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/console/console.h"
#include "sdm/dap/dap_listen.h"
#include "sdm/dap/dap_private.h"
#include "sdm/session/held.h"

const char *sdm_dap_text(const json_t *j, const char *key) { return json_string_value(json_object_get(j, key)); }

json_int_t sdm_dap_number(const json_t *j, const char *key, json_int_t otherwise) {
  const json_t *v = json_object_get(j, key);
  return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

void sdm_dap_event(struct dap *d, const char *name, json_t *body) {
  sdm_dap_flush_output(d); /* it came before */
  json_t *m = json_pack("{s:s, s:s}", "type", "event", "event", name);
  if (body)
    json_object_set_new(m, "body", body);
  sdm_dap_io_send(&d->io, m);
}

sdm_id sdm_dap_lowest(const struct sdm_set *set) {
  struct sdm_set_iter it = sdm_set_iter(set);
  sdm_id id = 0;
  sdm_set_iter_id(&it, &id);
  return id;
}

bool sdm_dap_by_class(const struct dap *d) { return sdm_set_size(d->s.all) > d->class_limit; }

struct sdm_set *sdm_dap_one(json_int_t rank) {
  struct sdm_set *set = sdm_set_new();
  if (rank >= 0 && rank <= SDM_ID_MAX)
    sdm_set_add_element(set, (sdm_id)rank);
  return set;
}

/* The ranks that stand where 'rank' stands. */
struct sdm_set *sdm_dap_class_of(struct dap *d, sdm_id rank) {
  for (size_t i = 0; i < d->s.nplaces; i++)
    if (sdm_set_contains(d->s.places[i].set, rank))
      return sdm_set_copy(d->s.places[i].set);
  return sdm_dap_one(rank);
}

struct sdm_answer *sdm_dap_ask(struct dap *d, const struct sdm_set *to, json_t *command, uint8_t reducer) {
  return sdm_session_ask(&d->s, to, command, reducer, DAP_TIMEOUT_MS);
}

/* Asks one rank: its result (a new reference), or NULL with the reason in 'd->why'. */
json_t *sdm_dap_ask_one(struct dap *d, json_int_t rank, json_t *command) {
  struct sdm_set *to = sdm_dap_one(rank);
  struct sdm_answer *a = sdm_dap_ask(d, to, command, SDM_REDUCE_SAME);
  json_t *result = a->n && a->classes[0].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[0]) : NULL;
  if (!result && a->n)
    sdm_dap_fail(d, "%.*s", (int)a->classes[0].body.len, (const char *)a->classes[0].body.p);
  else if (!result)
    sdm_dap_fail(d, "rank %lld does not answer", (long long)rank);
  sdm_answer_free(a);
  sdm_set_free(to);
  return result;
}

json_t *sdm_dap_fail(struct dap *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(d->why, sizeof(d->why), fmt, ap);
  va_end(ap);
  return NULL;
}

static const struct {
  const char *name;
  json_t *(*fn)(struct dap *d, const json_t *args);
  bool session; /* needs one */
} requests[] = {
    {"initialize", sdm_dap_do_initialize, false},
    {"launch", sdm_dap_do_launch, false},
    {"attach", sdm_dap_do_attach, false},
    {"configurationDone", sdm_dap_do_configuration_done, false},
    {"threads", sdm_dap_do_threads, false},
    {"setBreakpoints", sdm_dap_set_breakpoints, true},
    {"setFunctionBreakpoints", sdm_dap_set_function_breakpoints, true},
    {"setExceptionBreakpoints", sdm_dap_set_exception_breakpoints, false},
    {"dataBreakpointInfo", sdm_dap_data_breakpoint_info, true},
    {"setDataBreakpoints", sdm_dap_set_data_breakpoints, true},
    {"stackTrace", sdm_dap_stack_trace, true},
    {"scopes", sdm_dap_scopes, true},
    {"variables", sdm_dap_variables, true},
    {"setVariable", sdm_dap_set_variable, true},
    {"evaluate", sdm_dap_evaluate, true},
    {"setExpression", sdm_dap_set_expression, true},
    {"readMemory", sdm_dap_read_memory, true},
    {"writeMemory", sdm_dap_write_memory, true},
    {"disassemble", sdm_dap_disassemble, true},
    {"modules", sdm_dap_modules, true},
    {"loadedSources", sdm_dap_loaded_sources, true},
    {"completions", sdm_dap_completions, true},
    {"exceptionInfo", sdm_dap_exception_info, true},
    {"breakpointLocations", sdm_dap_breakpoint_locations, true},
    {"setInstructionBreakpoints", sdm_dap_set_instruction_breakpoints, true},
    {"restart", sdm_dap_do_restart, true},
    {"cancel", sdm_dap_do_cancel, false},
    {"continue", sdm_dap_do_continue, true},
    {"next", sdm_dap_do_next, true},
    {"stepIn", sdm_dap_do_step_in, true},
    {"stepOut", sdm_dap_do_step_out, true},
    {"pause", sdm_dap_do_pause, true},
    {"terminate", sdm_dap_do_terminate, false},
    {"disconnect", sdm_dap_do_disconnect, false},
    {"dvm/focus", sdm_dap_do_focus, true},
    {"dvm/compare", sdm_dap_do_compare, true},
    {"dvm/merge", sdm_dap_do_merge, true},
    {"dvm/places", sdm_dap_do_places, true},
    {"dvm/checkpoint", sdm_dap_do_checkpoint, true},
    {"dvm/checkpoints", sdm_dap_do_checkpoints, true},
    {"dvm/restart", sdm_dap_do_restart_image, true},
};

/* A request that is being served is given up, one that waits is not begun. */
static void cancel(struct dap *d, json_int_t seq) {
  json_t *m;
  size_t i;
  if (d->serving && seq == d->serving)
    atomic_store(&d->abandon, 1);
  json_array_foreach(d->queue, i, m) if (sdm_dap_number(m, "seq", 0) == seq) json_object_set_new(m, "cancelled", json_true());
}

json_t *sdm_dap_do_cancel(struct dap *d, const json_t *args) {
  (void)d, (void)args; /* done when it came */
  return json_object();
}

void sdm_dap_serve(struct dap *d, const json_t *m) {
  const char *name = sdm_dap_text(m, "command");
  json_t *body = NULL;
  bool known = false, cancelled = json_is_true(json_object_get(m, "cancelled"));
  if (!sdm_dap_text(m, "type") || strcmp(sdm_dap_text(m, "type"), "request") || !name)
    return;
  d->why[0] = 0;
  d->serving = sdm_dap_number(m, "seq", 0);
  atomic_store(&d->abandon, 0);
  bool known_client = sdm_dap_admit(d, name, json_object_get(m, "arguments"));
  for (size_t i = 0; i < sizeof(requests) / sizeof(*requests) && known_client; i++)
    if (!strcmp(requests[i].name, name)) {
      known = true;
      body = cancelled                         ? NULL
             : requests[i].session && !d->open ? sdm_dap_fail(d, "nothing was launched")
                                               : requests[i].fn(d, json_object_get(m, "arguments"));
    }
  cancelled |= !body && atomic_load(&d->abandon);
  atomic_store(&d->abandon, 0);
  d->serving = 0;
  if (cancelled)
    sdm_dap_fail(d, "cancelled");
  else if (!known && known_client)
    sdm_dap_fail(d, "the request '%s' is not supported", name);
  json_t *r = json_pack("{s:s, s:I, s:s, s:b}", "type", "response", "request_seq", sdm_dap_number(m, "seq", 0), "command", name, "success",
                        body != NULL);
  if (body)
    json_object_set_new(r, "body", body);
  else
    json_object_set_new(r, "message", json_string(d->why));
  sdm_dap_io_send(&d->io, r);
  if (d->initialized) { /* after the response to launch or attach: now breakpoints may come */
    d->initialized = false;
    sdm_dap_event(d, "initialized", NULL);
  }
}

/* Messages wait in a queue while another is being served; 'cancel' alone is looked at when it comes. */
static void take_messages(struct dap *d) {
  json_t *m;
  while ((m = sdm_dap_io_take(&d->io))) {
    if (sdm_dap_text(m, "command") && !strcmp(sdm_dap_text(m, "command"), "cancel"))
      cancel(d, sdm_dap_number(json_object_get(m, "arguments"), "requestId", -1));
    json_array_append_new(d->queue, m);
  }
}

void sdm_dap_readable(void *arg, unsigned events) {
  struct dap *d = arg;
  (void)events;
  sdm_dap_io_fill(&d->io);
  take_messages(d);
}

static void run(struct dap *d) {
  while ((!d->io.end || json_array_size(d->queue)) && !d->quit) {
    take_messages(d);
    json_t *m = json_incref(json_array_get(d->queue, 0));
    if (m) {
      json_array_remove(d->queue, 0);
      sdm_dap_serve(d, m);
      json_decref(m);
    } else if (!d->io.end && !d->open)
      sdm_dap_io_fill(&d->io);
    else if (!d->io.end)
      sdm_session_step(&d->s, d->nnews ? 10 : 100);
    if (d->open) {
      sdm_dap_tell_news(d);
      sdm_dap_stop_rest(d);
    }
  }
}

static void close_all(struct dap *d) {
  sdm_console_free(d->console);
  sdm_watch_free(d->watch);
  sdm_dap_heard_close(&d->launcher);
  sdm_dap_heard_close(&d->output_of_job);
  if (d->open)
    sdm_session_close(&d->s);
  sdm_job_end(d->job);
  sdm_dap_drop_news(d);
  free(d->news);
  sdm_dap_forget(d);
  sdm_dap_breaks_free(d);
  for (size_t i = 0; i < DAP_WORDS; i++)
    free(d->words[i]);
  free(d->output.ranks);
  dvm_text_fini(&d->output.text);
  sdm_names_fini(&d->names);
  free(d->focus);
  sdm_set_free(d->went);
  sdm_set_free(d->followers);
  json_decref(d->start);
  json_decref(d->told_threads);
  json_decref(d->queue);
  sdm_dap_io_fini(&d->io);
}

struct dap *sdm_dap_new(int in, int out) {
  struct dap *d = sdm_alloc(sizeof(*d));
  *d = (struct dap){.io = {.in = in, .out = out}, .class_limit = 64, .next_break = 1, .wanted = -1, .job = -1, .queue = json_array()};
  d->repl = open_memstream(&d->repl_text, &d->repl_size);
  return d;
}

void sdm_dap_free(struct dap *d) {
  close_all(d);
  fclose(d->repl);
  free(d->repl_text);
  free(d);
}

/* What our children write to stdout must not look like a message. */
static struct dap *take_stdio(void) {
  int in = fcntl(0, F_DUPFD_CLOEXEC, 3), out = fcntl(1, F_DUPFD_CLOEXEC, 3);
  struct dap *d = sdm_dap_new(in, out);
  d->trusted = true;
  dup2(2, 1);
  return d;
}

int sdm_dap_main(const char *where, const char *token_file) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dap *d = where ? sdm_dap_listen(where, token_file, &err) : take_stdio();
  if (!d) {
    fprintf(stderr, "dvm debug: error: %s\n", err.text);
    return err.code == -EINVAL ? 2 : 1; /* a wrong call */
  }
  int in = d->io.in;
  run(d);
  sdm_dap_free(d);
  close(in);
  return 0;
}
