/* Breakpoints of the DAP adapter: a client sends all of a source, of the functions or of the data at once. */
#include <stdlib.h>
#include <string.h>

#include "base/facts.h"
#include "sdm/dap/dap_private.h"

void sdm_dap_breaks_free(struct dap *d) {
  for (size_t i = 0; i < d->nbreaks; i++)
    free(d->breaks[i].where);
  free(d->breaks);
  d->breaks = NULL;
  d->nbreaks = 0;
}

static void remove_all(struct dap *d, const char *where) {
  size_t kept = 0;
  for (size_t i = 0; i < d->nbreaks; i++)
    if (strcmp(d->breaks[i].where, where))
      d->breaks[kept++] = d->breaks[i];
    else {
      sdm_answer_free(sdm_dap_ask(d, d->s.all, json_pack("{s:s, s:I}", "cmd", "delete", "id", d->breaks[i].id), SDM_REDUCE_SAME));
      free(d->breaks[i].where);
    }
  d->nbreaks = kept;
}

/* Sends 'command' (stolen) to all ranks; what the client is told of the new breakpoint. */
static json_t *insert(struct dap *d, const char *where, json_t *command) {
  json_int_t id = d->next_break++;
  json_object_set_new(command, "id", json_integer(id));
  struct sdm_answer *a = sdm_dap_ask(d, d->s.all, command, SDM_REDUCE_SAME);
  json_t *out = json_pack("{s:I, s:b}", "id", id, "verified", 0), *body = NULL;
  bool good = a->n > 0;
  for (size_t i = 0; i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_ERROR) {
      good = false;
      json_object_set_new(out, "message", json_stringn((const char *)a->classes[i].body.p, a->classes[i].body.len));
    } else if (!body)
      body = sdm_class_json(&a->classes[i]);
  if (sdm_dap_text(body, "pending")) {
    good = false;
    json_object_set_new(out, "message", json_string("no such place yet"));
  }
  if (good && json_object_get(body, "line"))
    json_object_set(out, "line", json_object_get(body, "line"));
  json_object_set_new(out, "verified", json_boolean(good));
  d->breaks = sdm_realloc(d->breaks, (d->nbreaks + 1) * sizeof(*d->breaks));
  d->breaks[d->nbreaks++] = (struct dap_break){id, sdm_strdup(where)};
  json_decref(body);
  sdm_answer_free(a);
  return out;
}

/* As if this client had set it: it goes when the client sets those of its kind anew. */
void sdm_dap_break_known(void *arg, const struct sdm_set *ids, const json_t *command) {
  struct dap *d = arg;
  const char *where = sdm_dap_text(command, "where"), *catch = sdm_dap_text(command, "catch"), *colon = where ? strrchr(where, ':') : NULL;
  json_int_t id = sdm_dap_number(command, "id", 0);
  struct dvm_text key = DVM_TEXT_INIT;
  (void)ids;
  for (size_t i = 0; i < d->nbreaks && id; i++)
    if (d->breaks[i].id == id)
      return;
  if (!id)
    return;
  if (catch || (where && !strcmp(where, DVM_FACTS_STOP)))
    dvm_text_printf(&key, "!%s", catch ? catch : "dvm");
  else if (sdm_dap_text(command, "expression"))
    dvm_text_add(&key, "=");
  else if (where && *where == '*')
    dvm_text_add(&key, "*");
  else if (colon && strchr(where, '/'))
    dvm_text_add_n(&key, where, (size_t)(colon - where));
  d->breaks = sdm_realloc(d->breaks, (d->nbreaks + 1) * sizeof(*d->breaks));
  d->breaks[d->nbreaks++] = (struct dap_break){id, sdm_strdup(dvm_text_str(&key))};
  d->next_break = id >= d->next_break ? id + 1 : d->next_break;
  dvm_text_fini(&key);
}

static void put_conditions(json_t *command, const json_t *b) {
  const char *condition = sdm_dap_text(b, "condition"), *hits = sdm_dap_text(b, "hitCondition");
  if (condition && *condition)
    json_object_set_new(command, "condition", json_string(condition));
  if (hits && atoll(hits + strspn(hits, "<>=%! ")) > 1)
    json_object_set_new(command, "ignore", json_integer(atoll(hits + strspn(hits, "<>=%! ")) - 1));
  if (sdm_dap_text(b, "logMessage") && *sdm_dap_text(b, "logMessage"))
    json_object_set_new(command, "message", json_string(sdm_dap_text(b, "logMessage")));
}

json_t *sdm_dap_set_breakpoints(struct dap *d, const json_t *args) {
  const char *path = sdm_dap_text(json_object_get(args, "source"), "path");
  json_t *list = json_array(), *b;
  size_t i;
  if (!path)
    path = sdm_dap_text(json_object_get(args, "source"), "name");
  if (!path) {
    json_decref(list);
    return sdm_dap_fail(d, "the source has no path");
  }
  remove_all(d, path);
  json_array_foreach(json_object_get(args, "breakpoints"), i, b) {
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "%s:%lld", path, (long long)sdm_dap_number(b, "line", 0));
    json_t *command = json_pack("{s:s, s:s}", "cmd", "break", "where", dvm_text_str(&t));
    put_conditions(command, b);
    json_array_append_new(list, insert(d, path, command));
    dvm_text_fini(&t);
  }
  return json_pack("{s:o}", "breakpoints", list);
}

/* At addresses: of one rank "RANK:ADDRESS", else of all. */
json_t *sdm_dap_set_instruction_breakpoints(struct dap *d, const json_t *args) {
  json_t *list = json_array(), *b;
  size_t i;
  remove_all(d, "*");
  json_array_foreach(json_object_get(args, "breakpoints"), i, b) {
    const char *at = sdm_dap_text(b, "instructionReference"), *colon = at ? strchr(at, ':') : NULL;
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "*((char *)(%s) + %lld)", colon ? colon + 1 : at ? at : "", (long long)sdm_dap_number(b, "offset", 0));
    json_t *command = json_pack("{s:s, s:s}", "cmd", "break", "where", dvm_text_str(&t));
    put_conditions(command, b);
    json_array_append_new(list, insert(d, "*", command));
    dvm_text_fini(&t);
  }
  return json_pack("{s:o}", "breakpoints", list);
}

json_t *sdm_dap_set_function_breakpoints(struct dap *d, const json_t *args) {
  json_t *list = json_array(), *b;
  size_t i;
  remove_all(d, "");
  json_array_foreach(json_object_get(args, "breakpoints"), i, b) {
    json_t *command = json_pack("{s:s, s:s}", "cmd", "break", "where", sdm_dap_text(b, "name") ? sdm_dap_text(b, "name") : "");
    put_conditions(command, b);
    json_array_append_new(list, insert(d, "", command));
  }
  return json_pack("{s:o}", "breakpoints", list);
}

json_t *sdm_dap_data_breakpoint_info(struct dap *d, const json_t *args) {
  const char *name = sdm_dap_text(args, "name");
  (void)d;
  return json_pack("{s:s, s:s, s:[s,s,s]}", "dataId", name ? name : "", "description", name ? name : "", "accessTypes", "write", "read",
                   "readWrite");
}

json_t *sdm_dap_set_data_breakpoints(struct dap *d, const json_t *args) {
  json_t *list = json_array(), *b;
  size_t i;
  remove_all(d, "=");
  json_array_foreach(json_object_get(args, "breakpoints"), i, b) {
    const char *access = sdm_dap_text(b, "accessType");
    json_t *command =
        json_pack("{s:s, s:s, s:s}", "cmd", "watch", "expression", sdm_dap_text(b, "dataId") ? sdm_dap_text(b, "dataId") : "", "access",
                  !access || !strcmp(access, "write") ? "write"
                  : !strcmp(access, "read")           ? "read"
                                                      : "any");
    json_array_append_new(list, insert(d, "=", command));
  }
  return json_pack("{s:o}", "breakpoints", list);
}

/* ---- exceptions ---- */

#define FATAL "SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT SIGSYS"

/* What a filter sets; a place NULL: no breakpoint. */
static const struct filter {
  const char *name, *label, *description, *where[2], *catch;
  bool by_default;
} filters[] = {
    {"signals", "Signals that end a program", FATAL, {NULL, NULL}, NULL, true},
    {"mpi",
     "Errors of MPI",
     "an error that MPI finds, whatever its handler does with it, and MPI_Abort",
     {"ompi_errhandler_invoke", "MPI_Abort"},
     NULL,
     true},
    {"throw", "C++: throw", "where an exception is thrown", {NULL, NULL}, "throw", false},
    {"catch", "C++: catch", "where an exception is caught", {NULL, NULL}, "catch", false},
    {"dvm", "Diagnostics of the DVM checker", "each new one, at its line", {DVM_FACTS_STOP, NULL}, NULL, false},
};
#define NFILTERS (sizeof(filters) / sizeof(*filters))

json_t *sdm_dap_filters(void) {
  json_t *list = json_array();
  for (size_t i = 0; i < NFILTERS; i++) {
    json_t *one = json_pack("{s:s, s:s, s:s, s:b}", "filter", filters[i].name, "label", filters[i].label, "description",
                            filters[i].description, "default", filters[i].by_default);
    if (filters[i].where[0] || filters[i].catch) {
      json_object_set_new(one, "supportsCondition", json_true());
      json_object_set_new(one, "conditionDescription", json_string("an expression, at the place of the stop"));
    }
    json_array_append_new(list, one);
  }
  return list;
}

const char *sdm_dap_filter_of(const struct dap *d, json_int_t bp) {
  for (size_t i = 0; bp && i < d->nbreaks; i++)
    if (d->breaks[i].id == bp && *d->breaks[i].where == '!')
      return d->breaks[i].where + 1;
  return NULL;
}

static bool is_set(const struct dap *d, const char *key) {
  for (size_t i = 0; i < d->nbreaks; i++)
    if (!strcmp(d->breaks[i].where, key))
      return true;
  return false;
}

static json_t *set_filter(struct dap *d, const struct filter *f, const char *key, const char *condition) {
  json_t *out = NULL;
  for (size_t k = 0; k < 2; k++) {
    if (!f->where[k] && !(f->catch && !k))
      continue;
    json_t *command = json_pack("{s:s, s:s}", "cmd", "break", f->where[k] ? "where" : "catch", f->where[k] ? f->where[k] : f->catch);
    if (condition && *condition)
      json_object_set_new(command, "condition", json_string(condition));
    json_t *one = insert(d, key, command);
    if (!out)
      out = one;
    else
      json_decref(one);
  }
  return out ? out : json_pack("{s:b}", "verified", 1);
}

static void stop_at_signals(struct dap *d, bool on) {
  if (on == !d->passes_signals)
    return;
  d->passes_signals = !on;
  sdm_answer_free(sdm_dap_ask(
      d, d->s.all, json_pack("{s:s, s:s}", "cmd", "handle", "what", on ? FATAL " stop print pass" : FATAL " nostop noprint pass"),
      SDM_REDUCE_SAME));
}

/* The names come as "filters", or with conditions as "filterOptions". */
static const char *wanted(const json_t *args, const char *name, bool *is) {
  json_t *f;
  size_t i;
  *is = false;
  json_array_foreach(json_object_get(args, "filters"), i, f) *is |= json_is_string(f) && !strcmp(json_string_value(f), name);
  json_array_foreach(json_object_get(args, "filterOptions"), i,
                     f) if (sdm_dap_text(f, "filterId") && !strcmp(sdm_dap_text(f, "filterId"), name)) {
    *is = true;
    return sdm_dap_text(f, "condition");
  }
  return NULL;
}

json_t *sdm_dap_set_exception_breakpoints(struct dap *d, const json_t *args) {
  json_t *list = json_array();
  for (size_t i = 0; i < NFILTERS && d->open; i++) {
    char key[24] = "!";
    bool is;
    const char *condition = wanted(args, filters[i].name, &is);
    strncat(key, filters[i].name, sizeof(key) - 2);
    if (!strcmp(filters[i].name, "signals"))
      stop_at_signals(d, is);
    else if (!is || condition || !is_set(d, key))
      remove_all(d, key);
    if (!is)
      continue;
    if (is_set(d, key))
      json_array_append_new(list, json_pack("{s:b}", "verified", 1));
    else
      json_array_append_new(list, set_filter(d, &filters[i], key, condition));
  }
  return json_pack("{s:o}", "breakpoints", list);
}
