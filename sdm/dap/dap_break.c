/* Breakpoints of the DAP adapter: a client sends all of a source, of the functions or of the data at once. */
#include <stdlib.h>
#include <string.h>

#include "base/facts.h"
#include "sdm/dap/dap_private.h"

void dap_breaks_free(struct dap *d) {
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
      sdm_answer_free(dap_ask(d, d->s.all, json_pack("{s:s, s:I}", "cmd", "delete", "id", d->breaks[i].id), SDM_REDUCE_SAME));
      free(d->breaks[i].where);
    }
  d->nbreaks = kept;
}

/* Sends 'command' (stolen) to all ranks; what the client is told of the new breakpoint. */
static json_t *insert(struct dap *d, const char *where, json_t *command) {
  json_int_t id = d->next_break++;
  json_object_set_new(command, "id", json_integer(id));
  struct sdm_answer *a = dap_ask(d, d->s.all, command, SDM_REDUCE_SAME);
  json_t *out = json_pack("{s:I, s:b}", "id", id, "verified", 0), *body = NULL;
  bool good = a->n > 0;
  for (size_t i = 0; i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_ERROR) {
      good = false;
      json_object_set_new(out, "message", json_stringn((const char *)a->classes[i].body.p, a->classes[i].body.len));
    } else if (!body)
      body = sdm_class_json(&a->classes[i]);
  if (dap_text(body, "pending")) {
    good = false;
    json_object_set_new(out, "message", json_string("no such place yet"));
  }
  if (good && json_object_get(body, "line"))
    json_object_set(out, "line", json_object_get(body, "line"));
  json_object_set_new(out, "verified", json_boolean(good));
  d->breaks = sdm_realloc(d->breaks, (d->nbreaks + 1) * sizeof(*d->breaks));
  d->breaks[d->nbreaks++] = (struct dap_break){ id, sdm_strdup(where) };
  json_decref(body);
  sdm_answer_free(a);
  return out;
}

void dap_break_at_diagnostics(struct dap *d, bool on) {
  remove_all(d, "dvm");
  if (on)
    json_decref(insert(d, "dvm", json_pack("{s:s, s:s}", "cmd", "break", "where", DVM_FACTS_STOP)));
}

static void put_conditions(json_t *command, const json_t *b) {
  const char *condition = dap_text(b, "condition"), *hits = dap_text(b, "hitCondition");
  if (condition && *condition)
    json_object_set_new(command, "condition", json_string(condition));
  if (hits && atoll(hits) > 1)
    json_object_set_new(command, "ignore", json_integer(atoll(hits) - 1));
}

json_t *dap_set_breakpoints(struct dap *d, const json_t *args) {
  const char *path = dap_text(json_object_get(args, "source"), "path");
  json_t *list = json_array(), *b;
  size_t i;
  if (!path)
    path = dap_text(json_object_get(args, "source"), "name");
  if (!path) {
    json_decref(list);
    return dap_fail(d, "the source has no path");
  }
  remove_all(d, path);
  json_array_foreach(json_object_get(args, "breakpoints"), i, b) {
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "%s:%lld", path, (long long)dap_number(b, "line", 0));
    json_t *command = json_pack("{s:s, s:s}", "cmd", "break", "where", dvm_text_str(&t));
    put_conditions(command, b);
    json_array_append_new(list, insert(d, path, command));
    dvm_text_fini(&t);
  }
  return json_pack("{s:o}", "breakpoints", list);
}

json_t *dap_set_function_breakpoints(struct dap *d, const json_t *args) {
  json_t *list = json_array(), *b;
  size_t i;
  remove_all(d, "");
  json_array_foreach(json_object_get(args, "breakpoints"), i, b) {
    json_t *command = json_pack("{s:s, s:s}", "cmd", "break", "where", dap_text(b, "name") ? dap_text(b, "name") : "");
    put_conditions(command, b);
    json_array_append_new(list, insert(d, "", command));
  }
  return json_pack("{s:o}", "breakpoints", list);
}

json_t *dap_data_breakpoint_info(struct dap *d, const json_t *args) {
  const char *name = dap_text(args, "name");
  (void)d;
  return json_pack("{s:s, s:s, s:[s,s,s]}", "dataId", name ? name : "", "description", name ? name : "", "accessTypes", "write",
                   "read", "readWrite");
}

json_t *dap_set_data_breakpoints(struct dap *d, const json_t *args) {
  json_t *list = json_array(), *b;
  size_t i;
  remove_all(d, "=");
  json_array_foreach(json_object_get(args, "breakpoints"), i, b) {
    const char *access = dap_text(b, "accessType");
    json_t *command = json_pack("{s:s, s:s, s:s}", "cmd", "watch", "expression", dap_text(b, "dataId") ? dap_text(b, "dataId") : "",
                                "access", !access || !strcmp(access, "write") ? "write" : !strcmp(access, "read") ? "read" : "any");
    json_array_append_new(list, insert(d, "=", command));
  }
  return json_pack("{s:o}", "breakpoints", list);
}
