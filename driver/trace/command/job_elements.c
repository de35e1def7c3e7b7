#include "driver/trace/command/job_elements.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/replay_values.h"
#include "driver/trace/job/relay.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An execution that is compared so, in the order of the reference. */
struct turn {
  const char *text;             /* of the reduced reference's site */
  uint32_t number;
};
/* A reader of the reference, which only goes forward. */
struct scan {
  struct dvmt_reader *r;
  size_t turn;                  /* that it comes to next */
  int depth;                    /* of parallel constructs */
  uint32_t own;                 /* site of the execution that it is in */
};
struct job_elements {
  const struct dvmt_job_levels *levels;
  struct dvmt_reader *reduced;  /* whose texts the turns have */
  struct dvmt_compare *c;
  struct dvmt_replay *replay;
  struct dvmt_html *html;
  struct turn *turn;            /* owned */
  size_t nturns, at;            /* at: behind the last that has been compared */
  struct scan first, second;    /* for the last values; for the records */
  struct replay_values values;
  struct dvmt_relay relay;
};

static int out_of_memory(struct dvm_error *err) { return dvm_error_set(err, -ENOMEM, "out of memory"); }

static int read_turns(struct job_elements *e, struct dvm_error *err) {
  struct dvmt_record rec;
  int more;
  while ((more = dvmt_reader_next(e->reduced, &rec, err)) > 0) {
    if (rec.kind != DVMT_ENTER || !rec.nwords || dvmt_enter_level(rec.words) != DVMT_LEVEL_MODIFY || !dvmt_enter_number(rec.words))
      continue;
    struct turn *rows = e->nturns % 64 ? e->turn : realloc(e->turn, (e->nturns + 64) * sizeof(*rows));
    if (!rows)
      return out_of_memory(err);
    e->turn = rows;
    rows[e->nturns++] = (struct turn){dvmt_reader_site(e->reduced, rec.site)->text, dvmt_enter_number(rec.words)};
  }
  return more;
}

struct job_elements *job_elements_create(const struct dvmt_job_levels *levels, const char *path, const struct dvmt_reader *reduced,
                                         struct dvmt_compare *c, struct dvmt_replay *replay, struct dvmt_html *html,
                                         struct dvm_error *err) {
  struct job_elements *e = calloc(1, sizeof(*e));
  if (!e) {
    out_of_memory(err);
    return NULL;
  }
  *e = (struct job_elements){.levels = levels, .c = c, .replay = replay, .html = html};
  if ((e->reduced = dvmt_reader_again(reduced, err)) && !read_turns(e, err) && (e->first.r = dvmt_file_open(path, err)) &&
      (e->second.r = dvmt_file_open(path, err)))
    return e;
  job_elements_destroy(e);
  return NULL;
}

void job_elements_destroy(struct job_elements *e) {
  if (!e)
    return;
  dvmt_reader_close(e->reduced);
  dvmt_reader_close(e->first.r);
  dvmt_reader_close(e->second.r);
  replay_values_fini(&e->values);
  dvmt_relay_fini(&e->relay);
  free(e->turn);
  free(e);
}

/* ---- the reference -------------------------------------------------------------------------------------------------------------------- */

static bool is_parallel(const struct dvmt_reader *r, uint32_t site) {
  const struct dvmt_site_def *def = dvmt_reader_site(r, site);
  return def->kind == DVMT_SITE_CONSTRUCT && dvmt_shape_is_parallel(def->text);
}

/* 1: a record; it begins ('began') or ends ('over') an execution that is compared so; 0: the end. */
static int scan_next(const struct job_elements *e, struct scan *s, struct dvmt_record *rec, bool *began, bool *over,
                     struct dvm_error *err) {
  int more = dvmt_reader_next(s->r, rec, err);
  *began = *over = false;
  if (more <= 0 || rec->kind == DVMT_LOST || (rec->kind != DVMT_ENTER && rec->kind != DVMT_LEAVE) || !is_parallel(s->r, rec->site))
    return more;
  if (rec->kind == DVMT_ENTER && !s->depth++) {
    *began = dvmt_relay_begins(&e->levels->reference, dvmt_reader_site(s->r, rec->site)->text, rec);
    s->own = rec->site;
  } else if (rec->kind == DVMT_LEAVE && s->depth) {
    *over = !--s->depth;
  }
  return more;
}

/* To the begin of a turn.  0, or -E.. */
static int scan_to(const struct job_elements *e, struct scan *s, size_t turn, struct dvm_error *err) {
  struct dvmt_record rec;
  bool began, over;
  int more;
  while ((more = scan_next(e, s, &rec, &began, &over, err)) > 0) {
    s->turn += began;
    if (began && s->turn > turn)
      return 0;
  }
  return more < 0 ? more : dvm_error_set(err, -EBADMSG, "the reference has changed while it was read");
}

/* ---- one execution ---------------------------------------------------------------------------------------------------------------------- */

static int learn(struct job_elements *e) {
  int rc = 0;
  while (!rc && e->values.nsites < dvmt_reader_nsites(e->first.r))
    rc = replay_values_site(&e->values, dvmt_reader_site(e->first.r, e->values.nsites));
  while (!rc && e->values.nobjects < dvmt_reader_nobjects(e->first.r))
    rc = replay_values_object(&e->values, dvmt_reader_object(e->first.r, e->values.nobjects));
  return rc;
}

static const struct dvmt_object_def *object_of(const void *of, size_t n) { return dvmt_reader_object(of, n); }

static int note(struct job_elements *e, size_t turn, struct dvm_error *err) {
  struct dvmt_record rec;
  bool began, over = false;
  int more = 1, rc = scan_to(e, &e->first, turn, err);
  while (!rc && !over && (more = scan_next(e, &e->first, &rec, &began, &over, err)) > 0)
    if (!over && rec.kind != DVMT_LOST && !(rc = learn(e)))
      rc = replay_values_note(&e->values, &rec);
  return rc ? rc : more < 0 ? more : 0;
}

struct step {
  struct job_elements *e;
  struct dvmt_sink *out;
  int64_t construct;
  const char *text; /* the run's */
  bool left_out; /* in an iteration that no rank executes, with --partial */
};

static int pass_on(struct step *s, const struct dvmt_record *rec) {
  struct job_elements *e = s->e;
  const struct dvmt_reader *r = e->second.r;
  uint64_t words[DVMT_WORDS_MAX];
  struct dvmt_record now = *rec;
  bool iteration = rec->kind == DVMT_ITER && rec->site == e->second.own;
  if (replay_values_put(&e->values, rec, words))
    now.words = words;
  if (iteration)
    s->left_out = !dvmt_replay_look(e->replay, rec) && e->replay->partial;
  if (s->left_out)
    return 0;
  int rc = dvmt_relay_record(&e->relay, s->out, s->construct, e->second.own, &now, dvmt_reader_site(r, rec->site),
                             rec->kind == DVMT_WRITE ? dvmt_reader_object(r, rec->object) : NULL);
  if (!rc && iteration)
    dvmt_replay_iteration(e->replay, e->c, s->text);
  return rc;
}

static int put(struct step *s, size_t turn, struct dvm_error *err) {
  struct job_elements *e = s->e;
  struct dvmt_record rec;
  bool began, over = false;
  int more = 1, rc = scan_to(e, &e->second, turn, err);
  e->values.records = 0;
  while (!rc && !over && (more = scan_next(e, &e->second, &rec, &began, &over, err)) > 0)
    if (!over && rec.kind != DVMT_LOST)
      rc = pass_on(s, &rec);
  return rc ? rc : more < 0 ? more : 0;
}

/* The turn of the reference, from 'at' on; nturns: there is none. */
static size_t find_turn(const struct job_elements *e, const char *text, uint32_t number) {
  const struct dvmt_where run = dvmt_site_where(text), place = dvmt_job_levels_place(e->levels, &run);
  for (size_t i = e->at; place.line && i < e->nturns; i++) {
    struct dvmt_where w = dvmt_site_where(e->turn[i].text);
    if (e->turn[i].number == number && w.line == place.line && w.column == place.column && w.file.n == place.file.n &&
        !memcmp(w.file.s, place.file.s, w.file.n))
      return i;
  }
  return e->nturns;
}

static void show(const struct job_elements *e, const struct dvmt_images *images) {
  for (size_t i = 0; e->html && dvmt_images_at(images, i); i++) {
    const struct dvmt_image *image = dvmt_images_at(images, i);
    dvmt_html_owners(e->html, image->def.name, image->owner, image->bytes / image->def.element_bytes);
  }
}

int job_elements_step(struct job_elements *e, struct dvmt_shape *shape, int64_t construct, uint32_t number, struct dvmt_images *images,
                      struct dvm_error *err) {
  const char *text = dvmt_shape_text(shape, construct);
  size_t turn = images ? find_turn(e, text, number) : e->nturns;
  e->replay->images = NULL;
  if (turn == e->nturns)
    return 0;
  const struct dvmt_where w = dvmt_site_where(e->turn[turn].text);
  const struct dvmt_rule *rule = dvmt_config_rule(&e->levels->reference, w.file.s, w.file.n, w.line, w.column);
  struct step s = {e, dvmt_compare_sink(e->c), construct, text, false};
  e->at = turn + 1;
  e->relay.shape = shape;
  dvmt_replay_begin(e->replay, images, rule && rule->limited ? &rule->limits : NULL);
  int rc = replay_values_begin(&e->values, images, object_of, e->first.r);
  if (!rc)
    rc = note(e, turn, err);
  if (!rc)
    rc = put(&s, turn, err);
  if (!rc)
    dvmt_replay_end(e->replay, e->c, text, &e->values);
  show(e, images);
  return rc ? rc : 1;
}
