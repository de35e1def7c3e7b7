/* Frames, variables and expressions of the DAP adapter. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/console/console.h"
#include "sdm/dap/dap_private.h"

void sdm_dap_forget(struct dap *d) {
  for (size_t i = 0; i < d->nrefs; i++) {
    free(d->refs[i].expression);
    json_decref(d->refs[i].path);
    json_decref(d->refs[i].facts);
  }
  free(d->refs);
  d->refs = NULL;
  d->nrefs = 0;
}

json_int_t sdm_dap_new_ref(struct dap *d, struct dap_ref r) {
  d->refs = sdm_realloc(d->refs, (d->nrefs + 1) * sizeof(*d->refs));
  d->refs[d->nrefs++] = r;
  return (json_int_t)d->nrefs;
}

const struct dap_ref *sdm_dap_find_ref(struct dap *d, json_int_t id) {
  if (id > 0 && (size_t)id <= d->nrefs)
    return &d->refs[id - 1];
  sdm_dap_fail(d, "the program has continued since");
  return NULL;
}

json_t *sdm_dap_command_at(const struct dap_ref *r, const char *name) {
  return json_pack("{s:s, s:I, s:I}", "cmd", name, "thread", r->thread, "frame", r->frame);
}

static void put_instruction(json_t *frame, json_int_t rank, const char *address) {
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%lld:%s", (long long)rank, address ? address : "");
  if (address)
    json_object_set_new(frame, "instructionPointerReference", json_string(dvm_text_str(&t)));
  dvm_text_fini(&t);
}

json_t *sdm_dap_stack_trace(struct dap *d, const json_t *args) {
  json_int_t id = sdm_dap_number(args, "threadId", 0), low = sdm_dap_number(args, "startFrame", 0);
  json_int_t levels = sdm_dap_number(args, "levels", 0), rank = id / 1000, thread = id % 1000;
  json_t *list = json_array(), *f;
  size_t i;
  levels = levels > 0 && levels < 1000 ? levels : 1000;
  json_t *result = sdm_dap_ask_one(d, rank,
                                   json_pack("{s:s, s:I, s:I, s:I, s:i}", "cmd", "stack", "thread", thread, "low", low, "high",
                                             low + levels, "addresses", 1)); /* one more, to know whether there are */
  if (!result) {
    json_decref(list);
    return NULL;
  }
  json_array_foreach(json_object_get(result, "frames"), i, f) {
    const char *func = sdm_dap_text(f, "func"), *file = sdm_dap_text(f, "file"), *path = sdm_dap_text(f, "path");
    json_int_t level = sdm_dap_number(f, "level", 0);
    if (i == (size_t)levels)
      break;
    json_t *one =
        json_pack("{s:I, s:s, s:I, s:i}", "id", sdm_dap_new_ref(d, (struct dap_ref){.rank = rank, .thread = thread, .frame = level}),
                  "name", func ? func : "??", "line", sdm_dap_number(f, "line", 0), "column", 0);
    put_instruction(one, rank, sdm_dap_text(f, "address"));
    bool here = path && !access(path, R_OK);
    if (file && path)
      json_object_set_new(one, "source",
                          json_pack("{s:s, s:s, s:s}", "name", file, "path", path, "presentationHint", here ? "normal" : "deemphasize"));
    if (!here) /* an editor goes to the first that is not */
      json_object_set_new(one, "presentationHint", json_string("subtle"));
    json_array_append_new(list, one);
  }
  json_int_t known = low + (json_int_t)json_array_size(json_object_get(result, "frames"));
  json_decref(result);
  return json_pack("{s:o, s:I}", "stackFrames", list, "totalFrames", known);
}

static void add_scope(struct dap *d, json_t *list, struct dap_ref of, const char *name, const char *kind, const char *hint,
                      bool expensive) {
  of.scope = kind;
  json_t *one = json_pack("{s:s, s:I, s:b}", "name", name, "variablesReference", sdm_dap_new_ref(d, of), "expensive", expensive);
  if (hint)
    json_object_set_new(one, "presentationHint", json_string(hint));
  json_array_append_new(list, one);
}

json_t *sdm_dap_scopes(struct dap *d, const json_t *args) {
  const struct dap_ref *r = sdm_dap_find_ref(d, sdm_dap_number(args, "frameId", 0));
  if (!r)
    return NULL;
  struct dap_ref of = {.rank = r->rank, .thread = r->thread, .frame = r->frame};
  json_t *list = json_array();
  add_scope(d, list, of, "Locals", "locals", "locals", false);
  add_scope(d, list, of, "Arguments", "args", "arguments", false);
  add_scope(d, list, of, "Globals of the file", "globals", "globals", true);
  add_scope(d, list, of, "Registers", "registers", "registers", true);
  if (sdm_dap_facts_known(d, of.rank))
    add_scope(d, list, of, "DVM", "dvm", NULL, true);
  return json_pack("{s:o}", "scopes", list);
}

/* A line for the console of `dvm debug`: other adapters' signs for it.  What is behind them, or NULL: it is an expression. */
const char *sdm_dap_command_in(const char *text) {
  static const char *const signs[] = {"-exec ", "`"};
  text += strspn(text, " \t");
  for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
    if (!strncmp(text, signs[i], strlen(signs[i])))
      return text + strlen(signs[i]);
  return NULL;
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

/* Where an expression is evaluated: in the frame, else in the innermost one of the lowest rank that stands. */
bool sdm_dap_frame_or_any(struct dap *d, const json_t *args, struct dap_ref *at) {
  json_int_t id = sdm_dap_number(args, "frameId", 0);
  const struct dap_ref *r = id ? sdm_dap_find_ref(d, id) : NULL;
  if (id && !r)
    return false;
  *at = r ? (struct dap_ref){.rank = r->rank, .thread = r->thread, .frame = r->frame}
          : (struct dap_ref){.rank = sdm_dap_lowest(d->s.stopped), .frame = -1};
  return true;
}

json_t *sdm_dap_evaluate(struct dap *d, const json_t *args) {
  const char *expression = sdm_dap_text(args, "expression"), *context = sdm_dap_text(args, "context");
  const char *command = expression && context && !strcmp(context, "repl") ? sdm_dap_command_in(expression) : NULL;
  struct dap_ref at;
  if (!expression)
    return sdm_dap_fail(d, "'expression' is missing");
  if (command)
    return run_command(d, command);
  if (!sdm_dap_frame_or_any(d, args, &at))
    return NULL;
  return sdm_dap_facts_elsewhere(d, &at, expression) ? NULL : sdm_dap_value(d, &at, expression, NULL, args);
}
