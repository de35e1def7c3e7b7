/* Start-up of a tree: waiting for servers to register, and wiring all of them up.  Both name who is missing and why. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/net/ctx_private.h"

#define GRACE_US 1500000

static void missing_text(const struct sdm_set *missing, struct dvm_text *t) {
  dvm_text_printf(t, "%u server%s missing: ranks ", sdm_set_size(missing), sdm_set_size(missing) == 1 ? "" : "s");
  struct dvm_text set = DVM_TEXT_INIT;
  sdm_set_print(missing, &set);
  dvm_text_add(t, dvm_text_str(&set));
  dvm_text_fini(&set);
}

int sdm_gather(struct sdm_ctx *c, uint32_t n, uint32_t timeout_ms, struct sdm_table *t, bool (*alive)(void *), void *arg,
               struct dvm_error *err) {
  struct sdm_set *who = n ? sdm_set_add_range(sdm_set_new(), 0, n - 1) : NULL;
  int rc = sdm_gather_these(c, who, timeout_ms, t, alive, arg, err);
  sdm_set_free(who);
  return rc;
}

int sdm_gather_these(struct sdm_ctx *c, const struct sdm_set *who, uint32_t timeout_ms, struct sdm_table *t, bool (*alive)(void *),
                     void *arg, struct dvm_error *err) {
  uint32_t n = who ? sdm_set_size(who) : 0;
  int64_t until = sdm_now_us() + (int64_t)timeout_ms * 1000;
  bool running = true;
  c->gather = t;
  c->gather_size = n;
  while ((!c->gather_size || sdm_set_size(c->gathered) < c->gather_size) && sdm_now_us() < until) {
    sdm_progress(c, 50);
    if (running && alive && !alive(arg)) { /* those who are on their way are still heard, so that the right ones are named */
      running = false;
      until = sdm_now_us() + GRACE_US;
    }
  }
  n = c->gather_size;
  sdm_progress(c, 0); /* the last ones get their answer */
  c->gather = NULL;
  if (n && sdm_set_size(c->gathered) >= n)
    return sdm_table_order(t, err);
  if (!c->gather_size)
    return dvm_error_set(err, running ? -ETIMEDOUT : -ECHILD, "no server connected: %s",
                         running ? "not registered in time" : "the launcher has ended");
  struct sdm_set *missing = who ? sdm_set_copy(who) : sdm_set_add_range(sdm_set_new(), 0, n - 1);
  sdm_set_diff(missing, c->gathered);
  struct dvm_text text = DVM_TEXT_INIT;
  missing_text(missing, &text);
  sdm_table_order(t, err);
  int rc = dvm_error_set(err, running ? -ETIMEDOUT : -ECHILD, "%s: %s", dvm_text_str(&text),
                         running ? "not registered in time" : "the launcher has ended");
  dvm_text_fini(&text);
  sdm_set_free(missing);
  return rc;
}

int sdm_connect_tree(struct sdm_ctx *c, const struct sdm_table *t, uint32_t timeout_ms, struct sdm_set *missing, struct dvm_error *err) {
  c->route_request = 0;
  sdm_answer_free(c->route_answer);
  c->route_answer = NULL;
  uint64_t request = c->opt.role == SDM_ROLE_FRONTEND ? sdm_front_route(c, t, timeout_ms) : sdm_node_route(c->node, t, timeout_ms);
  if (!request)
    return c->opt.role == SDM_ROLE_FRONTEND && !c->front ? dvm_error_set(err, -ENOTCONN, "no master connected")
                                                         : dvm_error_set(err, -EINVAL, "the routing table is damaged");
  c->route_request = request;
  int64_t until = sdm_now_us() + (int64_t)timeout_ms * 1000 + 1000000;
  while (!c->route_answer && sdm_now_us() < until)
    sdm_progress(c, 100);
  struct sdm_set *lacking = sdm_set_new();
  struct dvm_text text = DVM_TEXT_INIT, why = DVM_TEXT_INIT;
  if (c->route_answer) {
    for (size_t i = 0; i < c->route_answer->n; i++) {
      struct sdm_class *k = &c->route_answer->classes[i];
      if (k->kind != SDM_CLASS_ERROR)
        continue;
      sdm_set_union(lacking, k->set);
      dvm_text_add(&why, "\n  ");
      struct dvm_text set = DVM_TEXT_INIT;
      sdm_set_print(k->set, &set);
      dvm_text_printf(&why, "%s: %.*s", dvm_text_str(&set), (int)k->body.len, (const char *)k->body.p);
      dvm_text_fini(&set);
    }
    struct sdm_set *m = sdm_answer_missing(c->route_answer);
    if (!sdm_set_is_empty(m))
      dvm_text_add(&why, "\n  no answer in time from the rest");
    sdm_set_union(lacking, m);
    sdm_set_free(m);
  } else
    sdm_table_ids(t, 0, t->n, lacking);
  int rc = 0;
  if (!sdm_set_is_empty(lacking)) {
    missing_text(lacking, &text);
    rc = dvm_error_set(err, -EHOSTUNREACH, "%s%s", dvm_text_str(&text), dvm_text_str(&why));
  }
  if (missing)
    sdm_set_assign(missing, lacking);
  dvm_text_fini(&text);
  dvm_text_fini(&why);
  sdm_set_free(lacking);
  return rc;
}
