/* Frames, variables and expressions of the DAP adapter. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/console/console.h"
#include "sdm/dap/dap_private.h"

void dap_forget(struct dap *d) {
  for (size_t i = 0; i < d->nrefs; i++) {
    free(d->refs[i].expression);
    json_decref(d->refs[i].facts);
  }
  free(d->refs);
  d->refs = NULL;
  d->nrefs = 0;
}

json_int_t dap_new_ref(struct dap *d, struct dap_ref r) {
  d->refs = sdm_realloc(d->refs, (d->nrefs + 1) * sizeof(*d->refs));
  d->refs[d->nrefs++] = r;
  return (json_int_t)d->nrefs;
}

static const struct dap_ref *find_ref(struct dap *d, json_int_t id) {
  if (id > 0 && (size_t)id <= d->nrefs)
    return &d->refs[id - 1];
  dap_fail(d, "the program has run on since");
  return NULL;
}

static json_t *command_at(const struct dap_ref *r, const char *name) {
  return json_pack("{s:s, s:I, s:I}", "cmd", name, "thread", r->thread, "frame", r->frame);
}

json_t *dap_stack_trace(struct dap *d, const json_t *args) {
  json_int_t id = dap_number(args, "threadId", 0), low = dap_number(args, "startFrame", 0);
  json_int_t levels = dap_number(args, "levels", 0), rank = id / 1000, thread = id % 1000;
  json_t *list = json_array(), *f;
  size_t i;
  levels = levels > 0 && levels < 1000 ? levels : 1000;
  json_t *result = dap_ask_one(d, rank, json_pack("{s:s, s:I, s:I, s:I}", "cmd", "stack", "thread", thread, "low", low,
                                                  "high", low + levels - 1));
  if (!result) {
    json_decref(list);
    return NULL;
  }
  json_array_foreach(json_object_get(result, "frames"), i, f) {
    const char *func = dap_text(f, "func"), *file = dap_text(f, "file"), *path = dap_text(f, "path");
    json_int_t level = dap_number(f, "level", 0);
    json_t *one = json_pack("{s:I, s:s, s:I, s:i}", "id", dap_new_ref(d, (struct dap_ref){ .rank = rank, .thread = thread, .frame = level }),
                            "name", func ? func : "??", "line", dap_number(f, "line", 0), "column", 0);
    if (file && path)
      json_object_set_new(one, "source", json_pack("{s:s, s:s}", "name", file, "path", path));
    else
      json_object_set_new(one, "presentationHint", json_string("subtle"));
    json_array_append_new(list, one);
  }
  json_int_t n = (json_int_t)json_array_size(list);
  json_decref(result);
  return json_pack("{s:o, s:I}", "stackFrames", list, "totalFrames", low + n + (n == levels)); /* there may be more */
}

json_t *dap_scopes(struct dap *d, const json_t *args) {
  const struct dap_ref *r = find_ref(d, dap_number(args, "frameId", 0));
  if (!r)
    return NULL;
  struct dap_ref of = { .rank = r->rank, .thread = r->thread, .frame = r->frame, .kind = "locals" };
  json_int_t locals = dap_new_ref(d, of);
  of.kind = "args";
  json_t *body = json_pack("{s:[{s:s, s:s, s:I, s:b}, {s:s, s:s, s:I, s:b}]}", "scopes", "name", "Locals", "presentationHint",
                   "locals", "variablesReference", locals, "expensive", 0, "name", "Arguments", "presentationHint",
                   "arguments", "variablesReference", dap_new_ref(d, of), "expensive", 0);
  if (!dap_facts_known(d, of.rank))
    return body;
  of.kind = "dvm";
  json_array_append_new(json_object_get(body, "scopes"), json_pack("{s:s, s:I, s:b}", "name", "DVM", "variablesReference",
                                                                   dap_new_ref(d, of), "expensive", 1));
  return body;
}

/* Has parts to show: a structure, an array, a pointer that is not text or a function. */
static bool has_parts(const char *value) {
  const char *p = value;
  if (*p == '(') /* gdb puts a pointer's type before it */
    p = strchr(p, ')') ? strchr(p, ')') + 1 : p;
  p += strspn(p, " ");
  return *value == '{' || (!strncmp(p, "0x", 2) && strcmp(p, "0x0") && !strpbrk(p, "\"<"));
}

static json_t *variable(struct dap *d, const struct dap_ref *of, const char *name, const char *value, const char *expression) {
  json_t *v = json_pack("{s:s, s:s, s:s, s:i}", "name", name, "value", value, "evaluateName", expression, "variablesReference", 0);
  if (has_parts(value))
    json_object_set_new(v, "variablesReference", json_integer(dap_new_ref(d, (struct dap_ref){
      .rank = of->rank, .thread = of->thread, .frame = of->frame, .expression = sdm_strdup(expression) })));
  return v;
}

json_t *dap_variables(struct dap *d, const json_t *args) {
  const struct dap_ref *r = find_ref(d, dap_number(args, "variablesReference", 0));
  if (!r)
    return NULL;
  struct dap_ref of = *r; /* the table grows */
  if (of.facts || (of.kind && !strcmp(of.kind, "dvm")))
    return dap_facts_variables(d, &of);
  json_t *command = command_at(&of, of.kind ? "variables" : "children"), *list = json_array(), *v;
  size_t i;
  json_object_set_new(command, of.kind ? "kind" : "expression", json_string(of.kind ? of.kind : of.expression ? of.expression : ""));
  json_t *result = dap_ask_one(d, of.rank, command);
  json_array_foreach(json_object_get(result, "variables"), i, v) {
    const char *name = dap_text(v, "name"), *expression = dap_text(v, "expression");
    json_array_append_new(list, variable(d, &of, name, dap_text(v, "value"), expression ? expression : name));
  }
  bool good = result != NULL;
  json_decref(result);
  if (good)
    return json_pack("{s:o}", "variables", list);
  json_decref(list);
  return NULL;
}

/* The expression of the part 'name' of a reference. */
static char *part_of(struct dap *d, const struct dap_ref *of, const char *name) {
  if (of->kind)
    return sdm_strdup(name);
  json_t *command = command_at(of, "children"), *v;
  char *found = NULL;
  size_t i;
  json_object_set_new(command, "expression", json_string(of->expression ? of->expression : ""));
  json_t *result = dap_ask_one(d, of->rank, command);
  json_array_foreach(json_object_get(result, "variables"), i, v)
    if (!found && !strcmp(dap_text(v, "name"), name))
      found = sdm_strdup(dap_text(v, "expression"));
  json_decref(result);
  return found;
}

json_t *dap_set_variable(struct dap *d, const json_t *args) {
  const struct dap_ref *r = find_ref(d, dap_number(args, "variablesReference", 0));
  const char *name = dap_text(args, "name"), *value = dap_text(args, "value");
  char *expression = r && name ? part_of(d, r, name) : NULL;
  if (!expression || !value) {
    free(expression);
    return d->why[0] ? NULL : dap_fail(d, "there is no such variable");
  }
  json_t *command = command_at(r, "evaluate");
  json_object_set_new(command, "expression", json_string(expression));
  json_object_set_new(command, "value", json_string(value));
  json_t *result = dap_ask_one(d, r->rank, command);
  free(expression);
  json_t *body = result ? json_pack("{s:s}", "value", dap_text(result, "value")) : NULL;
  json_decref(result);
  return body;
}

/* A line for the console of `dvm debug`: it begins with a set, or with a command. */
static bool is_command(const char *text) {
  char word[32];
  size_t n = strcspn(text, " \t/");
  if (*text == '[' || (*text == 'p' && isdigit((unsigned char)text[1]) && strchr(text, ' ')))
    return true;
  if (!n || n >= sizeof(word))
    return false;
  memcpy(word, text, n);
  word[n] = 0;
  return sdm_console_knows(word);
}

static json_t *run_command(struct dap *d, const char *text) {
  sdm_console_line(d->console, text);
  fflush(d->repl);
  size_t n = d->repl_size;
  while (n && d->repl_text[n - 1] == '\n')
    n--;
  json_t *said = json_stringn(d->repl_text ? d->repl_text : "", n);
  rewind(d->repl);
  return json_pack("{s:o, s:i}", "result", said ? said : json_string(""), "variablesReference", 0);
}

json_t *dap_evaluate(struct dap *d, const json_t *args) {
  const char *expression = dap_text(args, "expression"), *context = dap_text(args, "context");
  json_int_t id = dap_number(args, "frameId", 0);
  if (!expression)
    return dap_fail(d, "'expression' is missing");
  if (context && !strcmp(context, "repl") && is_command(expression))
    return run_command(d, expression);
  struct sdm_set_iter it = sdm_set_iter(d->s.stopped);
  sdm_id rank = 0;
  sdm_set_iter_id(&it, &rank);
  const struct dap_ref *r = id ? find_ref(d, id) : NULL;
  if (id && !r)
    return NULL;
  struct dap_ref at = r ? *r : (struct dap_ref){ .rank = rank, .frame = -1 };
  json_t *command = command_at(&at, "evaluate");
  json_object_set_new(command, "expression", json_string(expression));
  json_t *result = dap_ask_one(d, at.rank, command);
  if (!result)
    return NULL;
  json_t *v = variable(d, &at, expression, dap_text(result, "value") ? dap_text(result, "value") : "", expression);
  json_t *body = json_pack("{s:s, s:O}", "result", dap_text(v, "value"), "variablesReference",
                           json_object_get(v, "variablesReference"));
  json_decref(v);
  json_decref(result);
  return body;
}

static void base64(const uint8_t *p, size_t n, struct dvm_text *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < n; i += 3) {
    uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
    char four[4] = { digits[v >> 18], digits[v >> 12 & 63], i + 1 < n ? digits[v >> 6 & 63] : '=', i + 2 < n ? digits[v & 63] : '=' };
    dvm_text_add_n(out, four, 4);
  }
}

/* "memoryReference" is an address, of the lowest stopped rank, or "RANK:ADDRESS". */
json_t *dap_read_memory(struct dap *d, const json_t *args) {
  const char *at = dap_text(args, "memoryReference"), *colon = at ? strchr(at, ':') : NULL;
  struct sdm_set_iter it = sdm_set_iter(d->s.stopped);
  sdm_id rank = 0;
  sdm_set_iter_id(&it, &rank);
  if (!at)
    return dap_fail(d, "'memoryReference' is missing");
  struct dvm_text address = DVM_TEXT_INIT, data = DVM_TEXT_INIT;
  dvm_text_printf(&address, "(char *)(%s) + %lld", colon ? colon + 1 : at, (long long)dap_number(args, "offset", 0));
  json_t *result = dap_ask_one(d, colon ? atoll(at) : rank, json_pack("{s:s, s:s, s:I}", "cmd", "memory", "address",
                                                                      dvm_text_str(&address), "count", dap_number(args, "count", 64)));
  const char *hex = dap_text(result, "bytes");
  size_t n = hex ? strlen(hex) / 2 : 0;
  uint8_t *bytes = sdm_alloc(n + 1);
  for (size_t i = 0; i < n; i++) {
    char two[3] = { hex[2 * i], hex[2 * i + 1], 0 };
    bytes[i] = (uint8_t)strtoul(two, NULL, 16);
  }
  base64(bytes, n, &data);
  json_t *body = result ? json_pack("{s:s, s:s}", "address", at, "data", dvm_text_str(&data)) : NULL;
  free(bytes);
  dvm_text_fini(&address);
  dvm_text_fini(&data);
  json_decref(result);
  return body;
}
