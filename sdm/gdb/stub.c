/* The stub back end: answers from a script, for tests without a debugger.  A script is a JSON list of rules; the first
 * whose "cmd" (and "rank", if given) fits is taken:
 *   {"cmd": "evaluate", "rank": 3, "result": {...}, "fail": "...", "delay_ms": 20, "event": {...}, "output": "...",
 *    "die": true}
 * "%r" in a result's or event's text stands for the rank.  Without a rule a command answers {}, and "launch" is
 * followed by a stop in main. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/gdb/backend.h"
#include "sdm/bytes.h"
#include "sdm/iolist.h"
#include "sdm/net/rank.h"

struct delayed {
  struct sdm_backend *b;
  struct sdm_call *call;
  json_t *rule; /* borrowed from the script */
  struct sdm_timer *timer;
  struct delayed *next;
};

struct sdm_backend {
  struct sdm_backend_host host;
  json_t *script;
  sdm_id rank;
  struct delayed *delayed;
};

static struct sdm_backend *stub_create(const struct sdm_backend_host *host, const char *path, struct dvm_error *err) {
  struct sdm_backend *b = sdm_alloc(sizeof(*b));
  struct dvm_error ignored;
  json_error_t where;
  b->host = *host;
  if (sdm_rank_from_environment(&b->rank, &ignored) && getenv("SDM_RANK")) /* without a launcher */
    b->rank = (sdm_id)strtoul(getenv("SDM_RANK"), NULL, 10);
  b->script = path ? json_load_file(path, 0, &where) : json_array();
  if (json_is_array(b->script))
    return b;
  dvm_error_set(err, -22, "stub script '%s': %s", path, b->script ? "not a list" : where.text);
  json_decref(b->script);
  free(b);
  return NULL;
}

static void stub_destroy(struct sdm_backend *b) {
  while (b->delayed) {
    struct delayed *d = b->delayed;
    b->delayed = d->next;
    sdm_timer_free(d->timer);
    sdm_call_fail(d->call, "the back end is closed");
    free(d);
  }
  json_decref(b->script);
  free(b);
}

/* A copy with the rank put in. */
static json_t *filled(const struct sdm_backend *b, const json_t *j) {
  char *text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
  struct dvm_text t = DVM_TEXT_INIT;
  for (const char *p = text; p && *p; p++)
    if (p[0] == '%' && p[1] == 'r') {
      dvm_text_printf(&t, "%u", b->rank);
      p++;
    } else
      dvm_text_add_n(&t, p, 1);
  json_t *copy = json_loads(dvm_text_str(&t), JSON_DECODE_ANY, NULL);
  dvm_text_fini(&t);
  free(text);
  return copy;
}

static void answer(struct sdm_backend *b, struct sdm_call *c, const json_t *rule) {
  const char *fail = json_string_value(json_object_get(rule, "fail")), *cmd = sdm_call_text(c, "cmd", "");
  const char *output = json_string_value(json_object_get(rule, "output"));
  json_t *event = json_object_get(rule, "event"), *result = json_object_get(rule, "result");
  bool launch = !strcmp(cmd, "launch"), run = launch || !strcmp(cmd, "continue");
  if (json_is_true(json_object_get(rule, "die")))
    _exit(3);
  if (fail) {
    sdm_call_fail(c, "%s", fail);
    return;
  }
  sdm_call_done(c, result ? filled(b, result) : json_object(), NULL);
  if (run)
    b->host.event(b->host.arg, json_pack("{s:s}", "event", "running"));
  if (output)
    b->host.output(b->host.arg, SDM_STDOUT, false, output, strlen(output));
  if (event)
    b->host.event(b->host.arg, filled(b, event));
  else if (launch)
    b->host.event(b->host.arg, json_pack("{s:s, s:s, s:s, s:s, s:i}", "event", "stopped", "reason", "breakpoint-hit", "func", "main",
                                         "file", "stub.c", "line", 1));
}

static void on_time(void *arg) {
  struct delayed *d = arg;
  struct sdm_backend *b = d->b;
  for (struct delayed **p = &b->delayed; *p; p = &(*p)->next)
    if (*p == d) {
      *p = d->next;
      break;
    }
  sdm_timer_free(d->timer);
  answer(b, d->call, d->rule);
  free(d);
}

static void stub_any(struct sdm_backend *b, struct sdm_call *c) {
  json_t *rule, *found = NULL;
  size_t i;
  json_array_foreach(b->script, i, rule) {
    const char *cmd = json_string_value(json_object_get(rule, "cmd"));
    json_t *rank = json_object_get(rule, "rank");
    if (!found && cmd && !strcmp(cmd, sdm_call_text(c, "cmd", "")) && (!rank || json_integer_value(rank) == b->rank))
      found = rule;
  }
  long long delay = json_integer_value(json_object_get(found, "delay_ms"));
  if (delay <= 0) {
    answer(b, c, found);
    return;
  }
  struct delayed *d = sdm_alloc(sizeof(*d));
  *d = (struct delayed){.b = b, .call = c, .rule = found, .next = b->delayed};
  b->delayed = d;
  d->timer = sdm_loop_timer(b->host.loop, sdm_now_us() + delay * 1000, on_time, d);
}

/* What is typed comes back. */
static void stub_input(struct sdm_backend *b, bool eof, const void *p, size_t len) { b->host.output(b->host.arg, SDM_STDOUT, eof, p, len); }

static void stub_resume(struct sdm_backend *b) { (void)b; }

#define ANY stub_any
const struct sdm_backend_ops sdm_backend_stub = {
    .name = "stub",
    .create = stub_create,
    .destroy = stub_destroy,
    .input = stub_input,
    .resume = stub_resume,
    .launch = ANY,
    .attach = ANY,
    .core = ANY,
    .detach = ANY,
    .kill = ANY,
    .break_insert = ANY,
    .break_delete = ANY,
    .break_enable = ANY,
    .break_disable = ANY,
    .break_condition = ANY,
    .break_ignore = ANY,
    .watch = ANY,
    .cont = ANY,
    .step = ANY,
    .next = ANY,
    .stepi = ANY,
    .nexti = ANY,
    .advance = ANY,
    .finish = ANY,
    .until = ANY,
    .interrupt = ANY,
    .stack = ANY,
    .variables = ANY,
    .evaluate = ANY,
    .type = ANY,
    .memory = ANY,
    .registers = ANY,
    .threads = ANY,
    .handle = ANY,
    .list = ANY,
    .raw = ANY,
    .dvm = ANY,
    .inspect = ANY,
    .sources = ANY,
};
