/* Variables of the DAP adapter: scopes, parts of values, new values.  A reference is a scope or an expression and the way from there,
 * so that nothing has to be kept in the debuggers; what is unfolded is read anew. */
#include <stdlib.h>
#include <string.h>

#include "sdm/dap/dap_private.h"

static void put_hex(json_t *command, const json_t *args) {
  if (json_is_true(json_object_get(json_object_get(args, "format"), "hex")))
    json_object_set_new(command, "hex", json_true());
}

/* The question 'what' about what the reference stands for. */
static json_t *inspect(const struct dap_ref *of, const char *what, const json_t *args) {
  json_t *command = sdm_dap_command_at(of, "inspect");
  json_object_set_new(command, "what", json_string(what));
  if (of->scope)
    json_object_set_new(command, "scope", json_string(of->scope));
  if (of->expression)
    json_object_set_new(command, "expression", json_string(of->expression));
  if (of->path)
    json_object_set(command, "path", of->path);
  put_hex(command, args);
  return command;
}

static json_int_t ref_of(struct dap *d, const struct dap_ref *of, const json_t *v) {
  if (!sdm_dap_number(v, "named", 0) && !sdm_dap_number(v, "indexed", 0))
    return 0;
  json_t *path = json_object_get(v, "path");
  return sdm_dap_new_ref(d, (struct dap_ref){.rank = of->rank,
                                             .thread = of->thread,
                                             .frame = of->frame,
                                             .scope = of->scope,
                                             .expression = of->expression ? sdm_strdup(of->expression) : NULL,
                                             .path = json_incref(path)});
}

/* What gdb tells of a value, as the protocol has it; 'key' is where its text goes. */
static json_t *describe(struct dap *d, const struct dap_ref *of, const json_t *v, const char *key) {
  const char *address = sdm_dap_text(v, "address"), *type = sdm_dap_text(v, "type"), *expression = sdm_dap_text(v, "expression");
  json_int_t named = sdm_dap_number(v, "named", 0), indexed = sdm_dap_number(v, "indexed", 0);
  json_t *out =
      json_pack("{s:s, s:I}", key, sdm_dap_text(v, "value") ? sdm_dap_text(v, "value") : "", "variablesReference", ref_of(d, of, v));
  if (type && *type)
    json_object_set_new(out, "type", json_string(type));
  if (expression && *expression && !strcmp(key, "value"))
    json_object_set_new(out, "evaluateName", json_string(expression));
  if (named)
    json_object_set_new(out, "namedVariables", json_integer(named));
  if (indexed)
    json_object_set_new(out, "indexedVariables", json_integer(indexed));
  if (address) {
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "%lld:%s", (long long)of->rank, address);
    json_object_set_new(out, "memoryReference", json_string(dvm_text_str(&t)));
    dvm_text_fini(&t);
  }
  return out;
}

/* What has parts with numbers has none with names, and the other way round. */
static bool has_none(const struct dap_ref *of, const json_t *args) {
  const char *filter = sdm_dap_text(args, "filter");
  return filter && of->scope && !of->path && !strcmp(filter, "indexed");
}

json_t *sdm_dap_variables(struct dap *d, const json_t *args) {
  const struct dap_ref *r = sdm_dap_find_ref(d, sdm_dap_number(args, "variablesReference", 0));
  if (!r)
    return NULL;
  struct dap_ref of = *r; /* the table grows */
  if (of.facts || (of.scope && !strcmp(of.scope, "dvm")))
    return sdm_dap_facts_variables(d, &of);
  json_t *list = json_array(), *v;
  size_t i;
  if (has_none(&of, args))
    return json_pack("{s:o}", "variables", list);
  json_t *command = inspect(&of, of.scope && !of.path ? "scope_page" : "parts", args);
  json_object_set_new(command, "start", json_integer(sdm_dap_number(args, "start", 0)));
  json_object_set_new(command, "count", json_integer(sdm_dap_number(args, "count", 0)));
  json_t *result = sdm_dap_ask_one(d, of.rank, command);
  json_array_foreach(json_object_get(result, "variables"), i, v) {
    json_t *one = describe(d, &of, v, "value");
    json_object_set(one, "name", json_object_get(v, "name"));
    json_array_append_new(list, one);
  }
  bool good = result != NULL;
  json_decref(result);
  if (good)
    return json_pack("{s:o}", "variables", list);
  json_decref(list);
  return NULL;
}

/* Sends the assignment; the body that tells what the value is then. */
static json_t *assign(struct dap *d, const struct dap_ref *of, const char *part, const char *value, const json_t *args) {
  json_t *command = inspect(of, "assign", args);
  if (part)
    json_object_set_new(command, "part", json_string(part));
  json_object_set_new(command, "value", json_string(value));
  json_t *result = sdm_dap_ask_one(d, of->rank, command);
  json_t *body = result ? describe(d, of, result, "value") : NULL;
  json_object_del(body, "evaluateName");
  if (part) /* the reference would be to the whole */
    json_object_set_new(body, "variablesReference", json_integer(0));
  json_decref(result);
  return body;
}

json_t *sdm_dap_set_variable(struct dap *d, const json_t *args) {
  const struct dap_ref *r = sdm_dap_find_ref(d, sdm_dap_number(args, "variablesReference", 0));
  const char *name = sdm_dap_text(args, "name"), *value = sdm_dap_text(args, "value");
  if (!r)
    return NULL;
  if (!name || !value || r->facts || (r->scope && !strcmp(r->scope, "dvm")))
    return sdm_dap_fail(d, name && value ? "what the checker knows cannot be changed" : "'name' or 'value' is missing");
  struct dap_ref of = *r; /* the table grows */
  return assign(d, &of, name, value, args);
}

json_t *sdm_dap_value(struct dap *d, const struct dap_ref *at, const char *expression, const char *value, const json_t *args) {
  struct dap_ref of = *at;
  of.expression = (char *)expression; /* only looked at */
  of.path = NULL;
  of.scope = NULL;
  if (value)
    return assign(d, &of, NULL, value, args);
  json_t *result = sdm_dap_ask_one(d, of.rank, inspect(&of, "value", args));
  json_t *body = result ? describe(d, &of, result, "result") : NULL;
  json_decref(result);
  return body;
}

json_t *sdm_dap_set_expression(struct dap *d, const json_t *args) {
  const char *expression = sdm_dap_text(args, "expression"), *value = sdm_dap_text(args, "value");
  struct dap_ref at;
  if (!expression || !value)
    return sdm_dap_fail(d, "'expression' or 'value' is missing");
  return sdm_dap_frame_or_any(d, args, &at) ? sdm_dap_value(d, &at, expression, value, args) : NULL;
}
