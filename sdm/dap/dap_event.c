/* What the client of the DAP adapter is told unasked: stops, ends, output. */
#include <stdlib.h>
#include <string.h>

#include "sdm/dap/dap_private.h"

#define COMPANY_US 50000
#define OUTPUT_BYTES 32768 /* of an event, about */

/* Events of the session wait until the request at hand has its response. */
void sdm_dap_on_event(void *arg, const struct sdm_set *ids, const json_t *event) {
  struct dap *d = arg;
  d->last_event = sdm_now_us();
  for (size_t i = d->nnews; i-- > 0;) {
    if (json_equal(d->news[i].event, (json_t *)event)) {
      sdm_set_union(d->news[i].set, ids);
      return;
    }
    if (sdm_set_overlaps(d->news[i].set, ids))
      break;
  }
  if (!d->nnews)
    d->news_since = sdm_now_us();
  d->news = sdm_realloc(d->news, (d->nnews + 1) * sizeof(*d->news));
  d->news[d->nnews++] = (struct sdm_place){json_incref((json_t *)event), sdm_set_copy(ids)};
}

/* Bytes that are no UTF-8 are written as in C. */
static void add_bytes(struct dvm_text *t, const void *p, size_t len) {
  json_t *text = json_stringn(p, len);
  if (text)
    dvm_text_add(t, json_string_value(text));
  for (size_t i = 0; !text && i < len; i++)
    dvm_text_printf(t, ((const uint8_t *)p)[i] < 128 && ((const char *)p)[i] ? "%c" : "\\x%02x", ((const uint8_t *)p)[i]);
  json_decref(text);
}

void sdm_dap_text_event(struct dap *d, const char *category, const char *p, size_t len) {
  struct dvm_text t = DVM_TEXT_INIT;
  add_bytes(&t, p, len);
  sdm_dap_event(d, "output", json_pack("{s:s, s:s}", "category", category, "output", dvm_text_str(&t)));
  dvm_text_fini(&t);
}

/* Lines that the same ranks wrote one after another are one event: editors need far longer for an event than we for a line. */
void sdm_dap_flush_output(struct dap *d) {
  struct sdm_dap_output *o = &d->output;
  char *ranks = o->ranks;
  if (!ranks)
    return;
  o->ranks = NULL; /* the event would come here again */
  sdm_dap_event(d, "output",
                json_pack("{s:s, s:s, s:{s:s}}", "category", o->stream == SDM_STDERR ? "stderr" : "stdout", "output",
                          dvm_text_str(&o->text), "data", "ranks", ranks));
  dvm_text_clear(&o->text);
  free(ranks);
}

static void on_output(void *arg, const struct sdm_set *ids, unsigned stream, const void *p, size_t len) {
  struct dap *d = arg;
  struct sdm_dap_output *o = &d->output;
  char *ranks = sdm_set_text(ids);
  if (o->ranks && (strcmp(o->ranks, ranks) || o->stream != stream || o->text.len > OUTPUT_BYTES))
    sdm_dap_flush_output(d);
  dvm_text_printf(&o->text, "[%s] ", ranks);
  add_bytes(&o->text, p, len);
  if (o->text.s[o->text.len - 1] != '\n')
    dvm_text_add(&o->text, "\n");
  o->stream = stream;
  free(o->ranks);
  o->ranks = ranks;
}

static void on_output_end(void *arg) { sdm_dap_flush_output(arg); }

static void on_lost(void *arg, const struct sdm_set *ids, const char *why) {
  char *ranks = sdm_set_text(ids);
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "[%s] server lost: %s\n", ranks, why);
  sdm_dap_event(arg, "output", json_pack("{s:s, s:s}", "category", "important", "output", dvm_text_str(&t)));
  dvm_text_fini(&t);
  free(ranks);
}

static void on_back(void *arg, const struct sdm_set *ids) {
  char *ranks = sdm_set_text(ids);
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "[%s] server is back\n", ranks);
  sdm_dap_event(arg, "output", json_pack("{s:s, s:s}", "category", "important", "output", dvm_text_str(&t)));
  dvm_text_fini(&t);
  free(ranks);
}

static const char *stop_reason(const json_t *event, bool entry) {
  static const char *const map[][2] = {{"breakpoint-hit", "breakpoint"},
                                       {"end-stepping-range", "step"},
                                       {"function-finished", "step"},
                                       {"location-reached", "step"},
                                       {"moved", "step"},
                                       {"call-returned", "step"},
                                       {"signal-received", "exception"},
                                       {"watchpoint-trigger", "data breakpoint"},
                                       {"read-watchpoint-trigger", "data breakpoint"},
                                       {"access-watchpoint-trigger", "data breakpoint"},
                                       {"interrupted", "pause"},
                                       {"restarted", "pause"},
                                       {"diagnostic", "exception"}};
  const char *reason = sdm_dap_text(event, "reason");
  if (entry && !json_object_get(event, "bp") && reason && strcmp(reason, "signal-received"))
    return "entry";
  for (size_t i = 0; reason && i < sizeof(map) / sizeof(*map); i++)
    if (!strcmp(map[i][0], reason))
      return map[i][1];
  return "pause";
}

/* Does the editor go to this thread?  To the one that was stepped, else to the first that stops, and to the first exception; not to those who were
 * stopped because of another. */
static bool takes_focus(struct dap *d, const struct sdm_set *set, sdm_id rank, const char *reason, bool first) {
  bool exception = !strcmp(reason, "exception"), chosen = d->wanted >= 0 && (!strcmp(reason, "step") || !strcmp(reason, "pause"));
  if (d->followers && !strcmp(reason, "pause") && sdm_set_contains(d->followers, rank))
    return false;
  if (chosen && sdm_dap_by_class(d))
    return sdm_set_contains(set, (sdm_id)d->wanted);
  if (chosen)
    return rank == (sdm_id)d->wanted;
  return first && (exception ? !d->alarmed : !d->focused);
}

static void tell_stop(struct dap *d, const struct sdm_set *set, const json_t *event, bool last) {
  char *ranks = sdm_set_text(set);
  struct dvm_text t = DVM_TEXT_INIT;
  const char *signal = sdm_dap_text(event, "diagnostic"), *func = sdm_dap_text(event, "func");
  signal = signal ? signal : sdm_dap_text(event, "signal"); /* what an exception says */
  const char *reason = stop_reason(event, d->entry), *filter = sdm_dap_filter_of(d, sdm_dap_number(event, "bp", 0));
  if (filter && strcmp(filter, "dvm")) {
    reason = "exception";
    signal = !strcmp(filter, "mpi")     ? (sdm_dap_text(event, "error") ? sdm_dap_text(event, "error") : "MPI error")
             : !strcmp(filter, "throw") ? "C++ throw"
                                        : "C++ catch";
  }
  json_int_t bp = sdm_dap_number(event, "bp", 0), thread = sdm_dap_number(event, "thread", 1);
  struct sdm_set_iter it = sdm_set_iter(set);
  sdm_id rank;
  dvm_text_printf(&t, "rank%s %s: %s in %s", sdm_set_size(set) == 1 ? "" : "s", ranks,
                  !strcmp(reason, "exception") && signal ? signal : reason, func ? func : "??");
  if (d->followers && !strcmp(reason, "pause") && sdm_set_is_subset(set, d->followers))
    dvm_text_add(&t, ", stopped because another rank has stopped");
  for (bool first = true; sdm_set_iter_id(&it, &rank); first = false) {
    bool focus = takes_focus(d, set, rank, reason, first);
    d->focused |= focus;
    d->alarmed |= focus && !strcmp(reason, "exception");
    json_t *body = json_pack("{s:s, s:s, s:I, s:b, s:b, s:s}", "reason", reason, "description", dvm_text_str(&t), "threadId",
                             (json_int_t)rank * DAP_THREADS_A_RANK + thread, "preserveFocusHint", !focus, "allThreadsStopped",
                             first && last, "dvmRanks", ranks);
    if (bp)
      json_object_set_new(body, "hitBreakpointIds", json_pack("[I]", bp));
    if (signal)
      json_object_set_new(body, "text", json_string(signal));
    sdm_dap_event(d, "stopped", body);
    if (sdm_dap_by_class(d))
      break;
  }
  dvm_text_fini(&t);
  free(ranks);
}

static void tell_exit(struct dap *d, const struct sdm_set *set, const json_t *event) {
  json_int_t code = sdm_dap_number(event, "code", sdm_dap_text(event, "signal") ? 128 : 0);
  char *ranks = sdm_set_text(set);
  struct dvm_text t = DVM_TEXT_INIT;
  d->exit_code = code > d->exit_code ? code : d->exit_code;
  if (sdm_dap_text(event, "signal"))
    dvm_text_printf(&t, "[%s] killed by %s\n", ranks, sdm_dap_text(event, "signal"));
  else
    dvm_text_printf(&t, "[%s] exited with status %d\n", ranks, (int)code);
  sdm_dap_event(d, "output", json_pack("{s:s, s:s}", "category", "console", "output", dvm_text_str(&t)));
  dvm_text_fini(&t);
  free(ranks);
}

static void tell_log(struct dap *d, const struct sdm_set *set, const json_t *event) {
  char *ranks = sdm_set_text(set);
  struct dvm_text t = DVM_TEXT_INIT;
  if (sdm_dap_text(event, "signal"))
    dvm_text_printf(&t, "[%s] received %s, still running\n", ranks, sdm_dap_text(event, "signal"));
  else
    dvm_text_printf(&t, "[%s] %s\n", ranks, sdm_dap_text(event, "text") ? sdm_dap_text(event, "text") : "");
  sdm_dap_event(d, "output", json_pack("{s:s, s:s, s:{s:s}}", "category", "console", "output", dvm_text_str(&t), "data", "ranks", ranks));
  dvm_text_fini(&t);
  free(ranks);
}

void sdm_dap_drop_news(struct dap *d) {
  for (size_t i = 0; i < d->nnews; i++) {
    sdm_set_free(d->news[i].set);
    json_decref(d->news[i].event);
  }
  d->nnews = 0;
}

/* Ranks rarely stop at the very same moment: a little patience makes one event of many. */
static void tell_saved(struct dap *d, const struct sdm_set *set, const json_t *event) {
  if (!d->saved)
    d->saved = sdm_set_new();
  sdm_set_union(d->saved, set);
  sdm_dap_tell_saved(d, set, event);
}

/* When all is told: asking for threads may bring more. */
static void look_again(struct dap *d) {
  struct sdm_set *saved = d->saved;
  d->saved = NULL;
  if (d->threads_changed)
    sdm_dap_threads_changed(d);
  if (saved)
    sdm_dap_tell_standing(d, saved);
  sdm_set_free(saved);
}

void sdm_dap_tell_news(struct dap *d) {
  size_t stops = 0;
  if (d->nnews && !sdm_set_is_empty(d->s.running) && sdm_now_us() - d->news_since < COMPANY_US)
    return;
  for (size_t i = 0; i < d->nnews; i++) /* a rank that runs again by now has not stopped */
    if (!strcmp(sdm_dap_text(d->news[i].event, "event"), "stopped"))
      stops += !sdm_set_is_empty(sdm_set_intersect(d->news[i].set, d->s.stopped));
  for (size_t i = 0; i < d->nnews; i++) {
    const char *name = sdm_dap_text(d->news[i].event, "event");
    d->threads_changed |= sdm_dap_text(d->news[i].event, "reason") && !strcmp(sdm_dap_text(d->news[i].event, "reason"), "restarted");
    if (!strcmp(name, "stopped") && !sdm_set_is_empty(d->news[i].set))
      tell_stop(d, d->news[i].set, d->news[i].event, !--stops && sdm_set_is_empty(d->s.running));
    else if (!strcmp(name, "exited"))
      tell_exit(d, d->news[i].set, d->news[i].event);
    else if (!strcmp(name, "log") || !strcmp(name, "signal"))
      tell_log(d, d->news[i].set, d->news[i].event);
    else if (!strcmp(name, "saved"))
      tell_saved(d, d->news[i].set, d->news[i].event);
    else if (!strcmp(name, "debugger-died"))
      on_lost(d, d->news[i].set, "gdb died");
    sdm_set_free(d->news[i].set);
    json_decref(d->news[i].event);
  }
  d->nnews = 0;
  look_again(d);
  if (d->started && !d->over && sdm_set_is_empty(d->s.running) && sdm_set_is_empty(d->s.stopped)) {
    d->over = true;
    sdm_dap_event(d, "exited", json_pack("{s:I}", "exitCode", d->exit_code));
    sdm_dap_event(d, "terminated", NULL);
  }
}

void sdm_dap_hear(struct dap *d) {
  d->s.on_event = sdm_dap_on_event;
  d->s.on_output = on_output;
  d->s.on_output_end = on_output_end;
  d->s.on_lost = on_lost;
  d->s.on_back = on_back;
  d->s.on_late = NULL;
  d->s.arg = d;
}
