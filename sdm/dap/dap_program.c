/* The program as a whole for the DAP adapter: its libraries and sources, what a line may become, why it stopped, a new start. */
#include <stdlib.h>
#include <string.h>

#include "sdm/console/console.h"
#include "sdm/dap/dap_private.h"

static json_t *inspect(struct dap *d, json_t *command) { return sdm_dap_ask_one(d, sdm_dap_lowest(d->s.all), command); }

static json_t *module(const json_t *m) {
  const char *name = sdm_dap_text(m, "name"), *path = sdm_dap_text(m, "path"), *range = sdm_dap_text(m, "range");
  json_t *one =
      json_pack("{s:s, s:s, s:s, s:s}", "id", path ? path : "", "name", name ? name : "", "path", path ? path : "", "symbolStatus",
                json_is_true(json_object_get(m, "debug")) ? "with debug information" : "without debug information");
  if (range && *range)
    json_object_set_new(one, "addressRange", json_string(range));
  return one;
}

json_t *sdm_dap_modules(struct dap *d, const json_t *args) {
  json_t *result = inspect(d, json_pack("{s:s, s:s}", "cmd", "inspect", "what", "modules")), *list = json_array(), *m;
  size_t i, low = (size_t)sdm_dap_number(args, "startModule", 0), n = (size_t)sdm_dap_number(args, "moduleCount", 0), total;
  json_array_foreach(json_object_get(result, "modules"), i, m) if (i >= low && (!n || i < low + n)) json_array_append_new(list, module(m));
  total = json_array_size(json_object_get(result, "modules"));
  bool good = result != NULL;
  json_decref(result);
  if (good)
    return json_pack("{s:o, s:I}", "modules", list, "totalModules", (json_int_t)total);
  json_decref(list);
  return NULL;
}

json_t *sdm_dap_loaded_sources(struct dap *d, const json_t *args) {
  json_t *result = inspect(d, json_pack("{s:s}", "cmd", "sources")), *list = json_array(), *s;
  size_t i;
  (void)args;
  json_array_foreach(json_object_get(result, "sources"), i, s) {
    const char *path = json_string_value(s), *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
      json_array_append_new(list, json_pack("{s:s, s:s}", "name", slash + 1, "path", path));
  }
  bool good = result != NULL;
  json_decref(result);
  if (good)
    return json_pack("{s:o}", "sources", list);
  json_decref(list);
  return NULL;
}

json_t *sdm_dap_breakpoint_locations(struct dap *d, const json_t *args) {
  const char *path = sdm_dap_text(json_object_get(args, "source"), "path");
  json_int_t line = sdm_dap_number(args, "line", 0), end = sdm_dap_number(args, "endLine", line);
  if (!path || line <= 0)
    return sdm_dap_fail(d, "'source' or 'line' is missing");
  json_t *result =
      inspect(d, json_pack("{s:s, s:s, s:s, s:I, s:I}", "cmd", "inspect", "what", "lines", "path", path, "line", line, "end", end));
  json_t *list = json_array(), *n;
  size_t i;
  json_array_foreach(json_object_get(result, "lines"), i, n) json_array_append_new(list, json_pack("{s:O}", "line", n));
  bool good = result != NULL;
  json_decref(result);
  if (good)
    return json_pack("{s:o}", "breakpoints", list);
  json_decref(list);
  return NULL;
}

/* Bytes of 'text' before its column (from 1, in UTF-16 units). */
static size_t bytes_before(const char *text, json_int_t column) {
  size_t i = 0;
  for (json_int_t units = 1; text[i] && units < column; units++) {
    units += ((unsigned char)text[i] & 0xf8) == 0xf0; /* two units */
    for (i++; ((unsigned char)text[i] & 0xc0) == 0x80;)
      i++;
  }
  return i;
}

json_t *sdm_dap_completions(struct dap *d, const json_t *args) {
  const char *text = sdm_dap_text(args, "text");
  struct dap_ref at;
  if (!text)
    return sdm_dap_fail(d, "'text' is missing");
  if (!sdm_dap_frame_or_any(d, args, &at))
    return NULL;
  char *line = sdm_strdup(text);
  line[bytes_before(text, sdm_dap_number(args, "column", (json_int_t)strlen(text) + 1))] = 0;
  const char *command = sdm_dap_command_in(line);
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, command ? "%s" : "print %s", command ? command : line); /* an expression: what print takes */
  json_t *found = sdm_console_completions(d->console, dvm_text_str(&t)), *list = json_array(), *one;
  size_t i, taken = strlen(sdm_console_last_word(dvm_text_str(&t)));
  json_array_foreach(found, i, one) json_array_append_new(
      list, json_pack("{s:O, s:I, s:I}", "label", one, "start", (json_int_t)(strlen(line) - taken), "length", (json_int_t)taken));
  json_decref(found);
  dvm_text_fini(&t);
  free(line);
  return json_pack("{s:o}", "targets", list);
}

static const json_t *last_stop(const struct dap *d, sdm_id rank) {
  for (size_t i = 0; i < d->s.nplaces; i++)
    if (sdm_set_contains(d->s.places[i].set, rank))
      return d->s.places[i].event;
  return NULL;
}

json_t *sdm_dap_exception_info(struct dap *d, const json_t *args) {
  json_int_t thread = sdm_dap_number(args, "threadId", 0);
  sdm_id rank = (sdm_id)(thread / DAP_THREADS_A_RANK);
  const json_t *stop = last_stop(d, rank);
  const char *signal = sdm_dap_text(stop, "signal"), *diagnostic = sdm_dap_text(stop, "diagnostic"), *error = sdm_dap_text(stop, "error");
  const char *filter = sdm_dap_filter_of(d, sdm_dap_number(stop, "bp", 0));
  json_t *thrown = NULL;
  struct dvm_text t = DVM_TEXT_INIT;
  if (!signal && !diagnostic && !filter) {
    return sdm_dap_fail(d, "rank %u is not stopped at an exception", rank);
  }
  if (filter && !strcmp(filter, "throw")) {
    thrown = sdm_dap_ask_one(d, rank, json_pack("{s:s, s:s, s:s}", "cmd", "inspect", "what", "value", "expression", "$_exception"));
    d->why[0] = 0;
    dvm_text_printf(&t, "%s %s", sdm_dap_text(thrown, "type") ? sdm_dap_text(thrown, "type") : "a C++ exception",
                    sdm_dap_text(thrown, "value") ? sdm_dap_text(thrown, "value") : "is thrown");
  } else
    dvm_text_add(&t, diagnostic ? diagnostic : signal ? signal : error ? error : "an error that MPI has found, or MPI_Abort");
  const char *id = diagnostic && sdm_dap_text(stop, "id") ? sdm_dap_text(stop, "id") : signal ? signal : filter ? filter : "exception";
  json_t *body =
      json_pack("{s:s, s:s, s:s, s:{s:s, s:s, s:s}}", "exceptionId", id, "description", dvm_text_str(&t), "breakMode", "always", "details",
                "message", dvm_text_str(&t), "typeName", sdm_dap_text(thrown, "type") ? sdm_dap_text(thrown, "type") : id, "evaluateName",
                thrown ? "$_exception" : "$_siginfo");
  json_decref(thrown);
  dvm_text_fini(&t);
  return body;
}

/* The programs begin anew with their breakpoints.  Servers and gdbs stay. */
json_t *sdm_dap_do_restart(struct dap *d, const json_t *args) {
  const json_t *given = json_object_get(json_object_get(args, "arguments"), "args");
  if (!d->start)
    return sdm_dap_fail(d, "a program that was attached to cannot be restarted");
  if (d->launched_by)
    return sdm_dap_fail(d, "only its launcher starts this job: disconnect, and launch it again");
  if (json_is_array(given))
    json_object_set(d->start, "args", (json_t *)given);
  sdm_dap_forget(d);
  struct sdm_set *alive = sdm_set_union(sdm_set_copy(d->s.running), d->s.stopped);
  if (!sdm_set_is_empty(alive))
    sdm_answer_free(sdm_dap_ask(d, alive, json_pack("{s:s}", "cmd", "kill"), SDM_REDUCE_SAME));
  sdm_session_wait(&d->s, alive, DAP_TIMEOUT_MS, NULL);
  sdm_set_free(alive);
  sdm_dap_drop_news(d); /* that they have ended */
  d->over = false;
  d->exit_code = 0;
  d->entry = json_integer_value(json_object_get(d->start, "stop"));
  bool good = sdm_dap_all_good(d, sdm_session_go(&d->s, d->s.all, json_deep_copy(d->start), 60000));
  return good ? json_object() : NULL;
}
