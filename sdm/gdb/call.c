#include "sdm/gdb/call.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sdm/bytes.h"

struct sdm_call {
  uint64_t request;
  json_t *args;
  sdm_call_end_f end;
  void *arg;
};

struct sdm_call *sdm_call_new(uint64_t request, json_t *args, sdm_call_end_f end, void *arg) {
  struct sdm_call *c = sdm_alloc(sizeof(*c));
  *c = (struct sdm_call){request, args, end, arg};
  return c;
}

const json_t *sdm_call_args(const struct sdm_call *c) { return c->args; }

const char *sdm_call_text(const struct sdm_call *c, const char *key, const char *otherwise) {
  const char *s = json_string_value(json_object_get(c->args, key));
  return s ? s : otherwise;
}

long long sdm_call_number(const struct sdm_call *c, const char *key, long long otherwise) {
  const json_t *j = json_object_get(c->args, key);
  return json_is_integer(j) ? json_integer_value(j) : otherwise;
}

static void finish(struct sdm_call *c, json_t *result, json_t *detail, const char *failure) {
  c->end(c->arg, c->request, c->args, result, detail, failure);
  json_decref(result);
  json_decref(detail);
  json_decref(c->args);
  free(c);
}

void sdm_call_done(struct sdm_call *c, json_t *result, json_t *detail) { finish(c, result ? result : json_object(), detail, NULL); }

void sdm_call_fail(struct sdm_call *c, const char *fmt, ...) {
  struct dvm_text t = DVM_TEXT_INIT;
  va_list ap;
  va_start(ap, fmt);
  dvm_text_vprintf(&t, fmt, ap);
  va_end(ap);
  finish(c, NULL, NULL, dvm_text_str(&t));
  dvm_text_fini(&t);
}

#define ROW(name, member) {name, offsetof(struct sdm_backend_ops, member)}
static const struct {
  const char *name;
  size_t offset;
} commands[] = {
    ROW("launch", launch),
    ROW("attach", attach),
    ROW("core", core),
    ROW("detach", detach),
    ROW("kill", kill),
    ROW("break", break_insert),
    ROW("delete", break_delete),
    ROW("enable", break_enable),
    ROW("disable", break_disable),
    ROW("condition", break_condition),
    ROW("ignore", break_ignore),
    ROW("watch", watch),
    ROW("continue", cont),
    ROW("step", step),
    ROW("next", next),
    ROW("stepi", stepi),
    ROW("nexti", nexti),
    ROW("advance", advance),
    ROW("finish", finish),
    ROW("until", until),
    ROW("interrupt", interrupt),
    ROW("stack", stack),
    ROW("variables", variables),
    ROW("evaluate", evaluate),
    ROW("type", type),
    ROW("memory", memory),
    ROW("registers", registers),
    ROW("threads", threads),
    ROW("handle", handle),
    ROW("list", list),
    ROW("raw", raw),
    ROW("dvm", dvm),
    ROW("inspect", inspect),
    ROW("sources", sources),
    ROW("checkpoint", checkpoint),
    ROW("restart", restart),
    ROW("images", images),
};

void sdm_backend_run(const struct sdm_backend_ops *ops, struct sdm_backend *b, struct sdm_call *c) {
  const char *name = sdm_call_text(c, "cmd", "");
  if (ops->defer && ops->defer(b, c))
    return;
  for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
    if (strcmp(commands[i].name, name))
      continue;
    sdm_backend_f fn = *(const sdm_backend_f *)((const char *)ops + commands[i].offset);
    if (fn)
      fn(b, c);
    else
      sdm_call_fail(c, "the %s back end has no '%s'", ops->name, name);
    return;
  }
  sdm_call_fail(c, "unknown debug command '%s'", name);
}

size_t sdm_frames_of_mpi(const json_t *stack, const char *path_key) {
  size_t i;
  json_t *f;
  json_array_foreach((json_t *)stack, i, f) {
    const char *name = json_string_value(json_object_get(f, "func"));
    if (name && (!strncmp(name, "PMPI_", 5) || !strncmp(name, "MPI_", 4)))
      return json_object_get(f, path_key) ? i + 1 : 0;
  }
  return 0;
}
