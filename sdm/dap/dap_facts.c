/* What the run-time library of a checked program knows, for editors: a scope "DVM" whose variables are the parts of what the
 * command 'dvm' answers, and stops at diagnostics as a filter of exceptions. */
#include <stdlib.h>
#include <string.h>

#include "sdm/dap/dap_private.h"

static const char *const parts[] = {"construct", "arrays", "shadow", "diagnostics", "stats"};

static json_t *ask(struct dap *d, json_int_t rank, const char *what) {
  return sdm_dap_ask_one(d, rank, json_pack("{s:s, s:s}", "cmd", "dvm", "what", what));
}

bool sdm_dap_facts_known(struct dap *d, json_int_t rank) {
  json_t *found = ask(d, rank, "construct");
  json_decref(found);
  d->why[0] = 0; /* it is no fault of a program not to be checked */
  return found != NULL;
}

bool sdm_dap_facts_elsewhere(struct dap *d, const struct dap_ref *at, const char *expression) {
  if (!strpbrk(expression, "[*"))
    return false;
  json_t *found = sdm_dap_ask_one(d, at->rank,
                                  json_pack("{s:s, s:s, s:s, s:I, s:I}", "cmd", "dvm", "what", "elsewhere", "expression", expression,
                                            "thread", at->thread, "frame", at->frame));
  const char *owners = sdm_dap_text(found, "owners"), *element = sdm_dap_text(found, "element");
  d->why[0] = 0;
  if (owners && element)
    sdm_dap_fail(d, "rank %s has '%s'", owners, element);
  json_decref(found);
  return owners && element;
}

/* One line for what has parts: its names and values, as far as they are plain. */
static char *summary(const json_t *j) {
  static const char *const telling[] = {"kind",    "type",  "distribution", "shadow", "own",  "part", "state",
                                        "message", "count", "iteration",    "value",  "file", "line"};
  struct dvm_text t = DVM_TEXT_INIT;
  if (json_is_array(j))
    dvm_text_printf(&t, "%zu", json_array_size(j));
  for (size_t i = 0; i < sizeof(telling) / sizeof(*telling) && json_is_object(j); i++) {
    const json_t *v = json_object_get(j, telling[i]);
    const char *before = !strcmp(telling[i], "line") ? ":" : t.len ? " " : "";
    if (json_is_string(v))
      dvm_text_printf(&t, "%s%s", before, json_string_value(v));
    else if (json_is_integer(v))
      dvm_text_printf(&t, "%s%s%lld", before, !strcmp(telling[i], "iteration") ? "iteration " : "", (long long)json_integer_value(v));
  }
  char *s = sdm_strdup(dvm_text_str(&t));
  dvm_text_fini(&t);
  return s;
}

static json_t *variable(struct dap *d, const struct dap_ref *of, const char *name, json_t *v) {
  char *text = json_is_string(v)                       ? sdm_strdup(json_string_value(v))
               : json_is_array(v) || json_is_object(v) ? summary(v)
                                                       : json_dumps(v, JSON_ENCODE_ANY);
  json_int_t ref = 0;
  if (json_is_object(v) || (json_is_array(v) && json_array_size(v)))
    ref = sdm_dap_new_ref(d, (struct dap_ref){.rank = of->rank, .thread = of->thread, .frame = of->frame, .facts = json_incref(v)});
  json_t *one = json_pack("{s:s, s:s, s:I}", "name", name, "value", text ? text : "", "variablesReference", ref);
  free(text);
  return one;
}

json_t *sdm_dap_facts_variables(struct dap *d, const struct dap_ref *of) {
  json_t *list = json_array(), *v;
  const char *key;
  char number[24];
  size_t i;
  if (of->scope) /* the scope itself */
    for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
      json_t *found = ask(d, of->rank, parts[i]);
      if (!found) {
        d->why[0] = 0; /* a parallel run does not know all of them */
        continue;
      }
      void *only = json_object_size(found) == 1 ? json_object_iter(found) : NULL; /* the list within */
      json_array_append_new(list, variable(d, of, parts[i], only ? json_object_iter_value(only) : found));
      json_decref(found);
    }
  json_array_foreach(of->facts, i, v) {
    const char *name = sdm_dap_text(v, "name");
    snprintf(number, sizeof(number), "[%zu]", i);
    json_array_append_new(list, variable(d, of, name ? name : number, v));
  }
  if (json_is_object(of->facts))
    json_object_foreach(of->facts, key, v) json_array_append_new(list, variable(d, of, key, v));
  return json_pack("{s:o}", "variables", list);
}
