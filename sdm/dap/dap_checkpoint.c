/* Checkpoints for the DAP adapter: requests beyond the protocol, and what the client is told so that its threads stay right. */
#include <stdlib.h>
#include <string.h>

#include "sdm/console/console.h"
#include "sdm/dap/dap_private.h"
#include "sdm/session/checkpoints.h"

/* Those of the focus that there are. */
static struct sdm_set *present(struct dap *d) { return sdm_set_diff(sdm_dap_focus_set(d), d->s.exited); }

/* A row for each answer; NULL where nobody has said yes, with the first reason. */
static json_t *rows(struct dap *d, struct sdm_answer *a) {
  json_t *list = json_array();
  bool good = false;
  for (size_t i = 0; i < a->n; i++) {
    char *ranks = sdm_set_text(a->classes[i].set);
    json_t *one = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    good |= one != NULL;
    if (!one)
      one = json_pack("{s:o}", "error", json_stringn((const char *)a->classes[i].body.p, a->classes[i].body.len));
    json_object_set_new(one, "ranks", json_string(ranks));
    json_array_append_new(list, one);
    free(ranks);
  }
  sdm_answer_free(a);
  if (good)
    return list;
  const char *why = sdm_dap_text(json_array_get(list, 0), "error");
  sdm_dap_fail(d, "%s", why ? why : "no rank answers");
  json_decref(list);
  return NULL;
}

json_t *sdm_dap_do_checkpoint(struct dap *d, const json_t *args) {
  struct sdm_set *to = present(d);
  json_t *list = rows(d, sdm_session_save(&d->s, to, sdm_dap_text(args, "options") ? sdm_dap_text(args, "options") : "", NULL));
  sdm_set_free(to);
  return list ? json_pack("{s:o}", "saved", list) : NULL;
}

json_t *sdm_dap_do_checkpoints(struct dap *d, const json_t *args) {
  struct sdm_set *of = sdm_dap_focus_set(d);
  json_t *images = sdm_session_images(&d->s, of);
  (void)args;
  sdm_set_free(of);
  return json_pack("{s:o}", "images", images);
}

/* Breakpoints that the image has brought with it: the client does not know them. */
static void tell_breaks(struct dap *d, const struct sdm_answer *a) {
  const json_t *one;
  size_t k;
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    json_array_foreach(json_object_get(body, "breakpoints"), k, one) {
      sdm_dap_break_known(d, a->classes[i].set, one);
      sdm_dap_event(d, "breakpoint",
                    json_pack("{s:s, s:{s:I, s:b}}", "reason", "new", "breakpoint", "id", sdm_dap_number(one, "id", 0), "verified", 1));
    }
    json_decref(body);
  }
}

/* "checkpoint": a number, or "handle": an image; none: the last. */
json_t *sdm_dap_do_restart_image(struct dap *d, const json_t *args) {
  struct dvm_error err = DVM_ERROR_INIT;
  json_int_t number = sdm_dap_number(args, "checkpoint", 0);
  char text[24] = "";
  struct sdm_set *to = sdm_dap_focus_set(d);
  if (number)
    snprintf(text, sizeof(text), "%lld", (long long)number);
  sdm_dap_forget(d);
  struct sdm_answer *a = sdm_session_restart(&d->s, to, sdm_dap_text(args, "handle") ? sdm_dap_text(args, "handle") : text, &err);
  sdm_set_free(to);
  if (!a)
    return sdm_dap_fail(d, "%s", err.text);
  d->over = false;
  tell_breaks(d, a);
  json_t *list = rows(d, a);
  return list ? json_pack("{s:o}", "restarted", list) : NULL;
}

/* ---- threads ---- */

void sdm_dap_note_threads(struct dap *d, const json_t *threads) {
  const json_t *t;
  size_t i;
  json_decref(d->told_threads);
  d->told_threads = json_array();
  json_array_foreach(threads, i, t) json_array_append(d->told_threads, json_object_get(t, "id"));
}

static bool has(const json_t *ids, const json_t *id) {
  const json_t *one;
  size_t i;
  json_array_foreach(ids, i, one) if (json_equal(one, (json_t *)id)) return true;
  return false;
}

static void tell_difference(struct dap *d, const json_t *from, const json_t *to, const char *reason) {
  const json_t *id;
  size_t i;
  json_array_foreach(from, i, id) if (!has(to, id)) sdm_dap_event(d, "thread", json_pack("{s:s, s:O}", "reason", reason, "threadId", id));
}

/* gdb has left a process and come to it again: its threads may have other numbers, and frames are no more. */
void sdm_dap_threads_changed(struct dap *d) {
  json_t *before = d->told_threads ? json_incref(d->told_threads) : json_array();
  d->threads_changed = false;
  sdm_dap_forget(d);
  json_decref(sdm_dap_do_threads(d, NULL));
  tell_difference(d, before, d->told_threads, "exited");
  tell_difference(d, d->told_threads, before, "started");
  json_decref(before);
}

void sdm_dap_tell_saved(struct dap *d, const struct sdm_set *set, const json_t *event) {
  char *ranks = sdm_set_text(set);
  struct dvm_text t = DVM_TEXT_INIT;
  json_int_t number = sdm_dap_number(event, "checkpoint", 0);
  if (sdm_dap_text(event, "handle"))
    dvm_text_printf(&t, "[%s] saved as checkpoint %lld: %s\n", ranks, (long long)number, sdm_dap_text(event, "handle"));
  else
    dvm_text_printf(&t, "[%s] was asked for a checkpoint from outside, but refused or did not answer\n", ranks);
  sdm_dap_event(d, "output", json_pack("{s:s, s:s, s:{s:s}}", "category", "console", "output", dvm_text_str(&t), "data", "ranks", ranks));
  d->threads_changed = true;
  dvm_text_fini(&t);
  free(ranks);
}

/* After the threads: those that stand do so anew, for a client to look at them again. */
void sdm_dap_tell_standing(struct dap *d, const struct sdm_set *set) {
  struct sdm_set *stand = sdm_set_intersect(sdm_set_copy(set), d->s.stopped);
  struct sdm_set_iter it = sdm_set_iter(stand);
  sdm_id rank;
  while (sdm_set_iter_id(&it, &rank))
    for (size_t i = 0; i < d->s.nplaces; i++)
      if (sdm_set_contains(d->s.places[i].set, rank))
        sdm_dap_event(d, "stopped",
                      json_pack("{s:s, s:s, s:I, s:b, s:b}", "reason", "pause", "description", "saved", "threadId",
                                (json_int_t)rank * DAP_THREADS_A_RANK + sdm_dap_number(d->s.places[i].event, "thread", 1),
                                "preserveFocusHint", 1, "allThreadsStopped", 0));
  sdm_set_free(stand);
}
