#include "driver/trace/command/replay.h"
#include "driver/trace/command/feed.h"
#include "driver/trace/command/replay_values.h"
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the run's side: the reference's records with other values ------------------------------------------------------------------------ */

struct replaying {
  struct dvmt_sink sink;
  struct dvmt_sink *out;
  struct dvmt_replay *p;
  struct dvmt_compare *c;
  struct replay_values values;
  bool first_pass;
  bool partial, left_out; /* iterations that nobody executes are left out; it is one of them */
  size_t nsites;
  const char *construct; /* site text of the reference */
  uint32_t site; /* its number; UINT32_MAX: not met yet */
};

static int take_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  struct replaying *x = (struct replaying *)sink;
  if (x->first_pass)
    return replay_values_site(&x->values, def);
  if (x->construct && def->kind == DVMT_SITE_CONSTRUCT && !strcmp(def->text, x->construct))
    x->site = (uint32_t)x->nsites;
  x->nsites++;
  return x->out->site(x->out, def);
}

static int take_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct replaying *x = (struct replaying *)sink;
  return x->first_pass ? replay_values_object(&x->values, def) : x->out->object(x->out, def);
}

/* With --partial: what the reference has of an iteration that no rank executes. */
static bool leaves_out(struct replaying *x, const struct dvmt_record *r) {
  bool own = r->site == x->site && (r->kind == DVMT_ITER || r->kind == DVMT_LEAVE || r->kind == DVMT_RESULT);
  if (own)
    x->left_out = r->kind == DVMT_ITER && !dvmt_replay_look(x->p, r) && x->partial;
  return x->left_out;
}

static int take_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct replaying *x = (struct replaying *)sink;
  uint64_t words[DVMT_WORDS_MAX];
  struct dvmt_record now = *r;
  if (x->first_pass)
    return replay_values_note(&x->values, r);
  if (replay_values_put(&x->values, r, words))
    now.words = words;
  if (leaves_out(x, r))
    return 0;
  int rc = x->out->record(x->out, &now);
  if (!rc && r->kind == DVMT_ITER && r->site == x->site)
    dvmt_replay_iteration(x->p, x->c, x->construct);
  return rc;
}

/* ---- all ------------------------------------------------------------------------------------------------------------------------------ */

static int feed(struct replaying *x, const struct dvmt_reader *r, struct dvm_error *err) {
  struct dvmt_reader *again = dvmt_reader_again(r, err);
  int rc = again ? dvmt_feed_sink(again, &x->sink, err) : err->code;
  if (rc && !err->code)
    dvm_error_set(err, rc, "comparison stopped: %s", strerror(-rc));
  dvmt_reader_close(again);
  return rc;
}

/* The reference's own text of the construct. */
static char *text_of(const struct dvmt_reader *r, const char *text, struct dvm_error *err) {
  struct dvmt_reader *again = dvmt_reader_again(r, err);
  struct dvmt_where wanted = dvmt_site_where(text);
  struct dvmt_record rec;
  char *found = NULL;
  while (again && !found && dvmt_reader_next(again, &rec, err) > 0) {
    const struct dvmt_site_def *def = rec.kind == DVMT_ENTER ? dvmt_reader_site(again, rec.site) : NULL;
    struct dvmt_where w = def ? dvmt_site_where(def->text) : wanted;
    if (def && def->kind == DVMT_SITE_CONSTRUCT && w.line == wanted.line && w.column == wanted.column)
      found = strdup(def->text);
  }
  dvmt_reader_close(again);
  if (!found && !err->code)
    dvm_error_set(err, -EPROTO, "the reference's program, run again, does not come to the construct at %.*s:%u", (int)wanted.file.n,
                  wanted.file.s, wanted.line);
  return found;
}

int dvmt_replay(struct dvmt_replay *p, struct dvmt_compare *c, struct dvmt_reader *r, struct dvmt_images *images,
                const struct dvmt_step *step, struct dvm_error *err) {
  struct replaying x = {.sink = {.site = take_site, .object = take_object, .record = take_record},
                        .p = p,
                        .c = c,
                        .first_pass = true,
                        .partial = p->partial,
                        .site = UINT32_MAX};
  char *text = p->of_job ? strdup(step->in_reference) : text_of(r, step->in_reference, err);
  dvmt_replay_begin(p, images, NULL);
  x.values.images = images;
  int rc = text ? feed(&x, r, err) : err->code ? err->code : dvm_error_set(err, -ENOMEM, "out of memory");
  x.construct = text;
  x.first_pass = false;
  x.out = dvmt_compare_sink(c);
  x.values.records = 0;
  if (!rc)
    rc = feed(&x, r, err);
  if (!rc)
    dvmt_replay_end(p, c, text, &x.values);
  replay_values_fini(&x.values);
  free(text);
  return rc;
}
