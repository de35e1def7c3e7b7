/* Lines that go to gdb as they are.  They may move, end or leave the program, and MI says nothing of that, or without a place:
 * gdb is asked for it behind them. */
#include <ctype.h>

#include "sdm/gdb/gdb_private.h"

static const json_t *innermost(const struct sdm_mi_record *r) { return json_array_get(json_object_get(r->results, "stack"), 0); }

static json_t *place_event(struct sdm_backend *b, const char *reason, const json_t *frame) {
  json_t *e = json_pack("{s:s, s:s, s:i}", "event", "stopped", "reason", reason, "thread", b->thread ? b->thread : 1);
  if (frame)
    sdm_gdb_put_place(e, frame);
  sdm_gdb_note_place(b, frame);
  return e;
}

static json_t *end_event(struct sdm_backend *b, const char *said) {
  b->left = false;
  return strstr(said, "detached") ? json_pack("{s:s, s:s}", "event", "exited", "reason", "detached")
                                  : json_pack("{s:s, s:s, s:s}", "event", "exited", "reason", "exited-signalled", "signal", "SIGKILL");
}

/* What the line has done, as part of the answer: an event may come after it. */
static void got_state(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const char *said = p->kept ? json_string_value(p->kept) : "";
  const json_t *frame = innermost(r);
  json_t *now = NULL;
  if (b->running)
    now = json_pack("{s:s}", "event", "running");
  else if (b->left)
    now = end_event(b, said);
  else if (frame && !sdm_gdb_is_at_place(b, frame))
    now = place_event(b, "moved", frame);
  sdm_call_done(p->call, json_pack("{s:s, s:o*}", "text", said, "now", now), NULL);
}

static void got_raw(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)r;
  while (p->text.len && isspace((unsigned char)p->text.s[p->text.len - 1]))
    p->text.s[--p->text.len] = 0;
  struct gdb_pending *next = sdm_gdb_send(b, p->call, got_state, "-stack-list-frames 0 0");
  next->errors_too = true; /* it runs, or there is no program */
  next->kept = json_string(dvm_text_str(&p->text));
}

void sdm_gdb_raw(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  sdm_gdb_put_where(b, &t, c);
  dvm_text_add(&t, " console ");
  sdm_mi_quote(&t, sdm_call_text(c, "text", ""));
  if (sdm_gdb_start(b, c))
    sdm_gdb_send(b, c, got_raw, "-interpreter-exec%s", dvm_text_str(&t))->calls = true;
  dvm_text_fini(&t);
}

static void got_return_place(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)p;
  if (!b->running)
    b->host.event(b->host.arg, place_event(b, "call-returned", innermost(r)));
}

/* A function that gdb called stopped on its way, went on, and has come to its end: gdb takes its frame away, and says no place. */
bool sdm_gdb_stopped_nowhere(struct sdm_backend *b, const json_t *stop) {
  if (sdm_gdb_field(stop, "reason") || json_object_get(stop, "frame"))
    return false;
  sdm_gdb_send(b, NULL, got_return_place, "-stack-list-frames 0 0");
  return true;
}
