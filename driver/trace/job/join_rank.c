#include "driver/trace/job/join_rank.h"
#include "driver/trace/job/relay.h"
#include "runtime/trace/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(struct dvm_error *err) { return dvm_error_set(err, -ENOMEM, "out of memory"); }

/* Looked up by its text once. */
static int64_t construct_of(struct dvmt_join_rank *r, uint32_t site) {
  int64_t *row = dvmt_shape_row(&r->constructs, &r->nconstructs, site);
  int64_t construct = !row ? -ENOMEM : *row ? *row - 1 : dvmt_shape_construct(r->shape, r->names.site(r->names.of, site)->text);
  if (row && construct >= 0)
    *row = construct + 1;
  return construct;
}

static int64_t object_of(struct dvmt_join_rank *r, uint32_t object) {
  int64_t *row = dvmt_shape_row(&r->objects, &r->nobjects, object);
  int64_t number = !row ? -ENOMEM : *row ? *row - 1 : dvmt_shape_object(r->shape, r->names.object(r->names.of, object));
  if (row && number >= 0)
    *row = number + 1;
  return number;
}

static int add_result(struct dvmt_join_step *s, const struct dvmt_record *rec, struct dvm_error *err) {
  struct dvmt_join_result *rows = realloc(s->results, (s->nresults + 1) * sizeof(*rows));
  if (!rows)
    return out_of_memory(err);
  s->results = rows;
  memcpy(rows[s->nresults++].words, rec->words, sizeof(rows->words));
  return 0;
}

static int add_part(struct dvmt_join_rank *r, const struct dvmt_record *rec, struct dvm_error *err) {
  struct dvmt_join_step *s = &r->step;
  const struct dvmt_object_def *def = r->names.object(r->names.of, rec->object);
  int64_t object = object_of(r, rec->object);
  struct dvmt_join_part *rows = s->nparts < s->room ? s->parts : realloc(s->parts, (s->nparts + 8) * sizeof(*rows));
  if (object < 0 || !rows)
    return out_of_memory(err);
  s->room = s->nparts < s->room ? s->room : s->nparts + 8;
  s->parts = rows;
  for (size_t i = 0; i < s->nparts; i++)
    if (rows[i].object == object) /* named twice in the construct */
      return 0;
  const char *text = r->names.site(r->names.of, rec->site)->text;
  struct dvmt_span own = dvmt_text_line(text, DVMRT_ACCESS_TEXT);
  rows[s->nparts++] = (struct dvmt_join_part){.object = object,
                                              .own = own.s,
                                              .shared = dvmt_shape_is_shared(text),
                                              .executed = dvmt_shape_is_executed(text),
                                              .name = def->name,
                                              .elements = rec->words[0],
                                              .digest = rec->words[1],
                                              .part = rec->words[2]};
  return 0;
}

static int begin(struct dvmt_join_rank *r, const struct dvmt_record *rec, struct dvm_error *err) {
  struct dvmt_join_step *s = &r->step;
  r->site = rec->site;
  s->construct = construct_of(r, r->site);
  s->number = rec->nwords ? dvmt_enter_number(rec->words) : 0;
  s->images = r->images && rec->nwords && dvmt_level_has_values(dvmt_enter_level(rec->words)) ? r->images : NULL;
  return s->construct < 0 ? out_of_memory(err) : 0;
}

int dvmt_join_take(struct dvmt_join_rank *r, const struct dvmt_record *rec, struct dvm_error *err) {
  struct dvmt_join_step *s = &r->step;
  bool open = s->construct >= 0;
  r->records++;
  if (rec->kind == DVMT_ENTER && !open)
    return begin(r, rec, err);
  if (open && rec->kind == DVMT_LEAVE && rec->site == r->site)
    return 1;
  if (open && s->images && (rec->kind == DVMT_WRITE || rec->kind == DVMT_DIRECT))
    return dvmt_images_take(s->images, r->reader, rec, r->rank, err);
  if (open && rec->kind == DVMT_RESULT && rec->site == r->site && rec->nwords == 6)
    return add_result(s, rec, err);
  return open && rec->kind == DVMT_DIGEST && rec->nwords >= 3 ? add_part(r, rec, err) : 0;
}

static const struct dvmt_site_def *site_of_reader(const void *of, size_t n) { return dvmt_reader_site(of, n); }
static const struct dvmt_object_def *object_of_reader(const void *of, size_t n) { return dvmt_reader_object(of, n); }

int dvmt_join_next(struct dvmt_join_rank *r, struct dvm_error *err) {
  struct dvmt_record rec;
  struct dvmt_join_step *s = &r->step;
  int more, rc = 0;
  r->names = (struct dvmt_join_names){site_of_reader, object_of_reader, r->reader};
  s->construct = -1;
  s->nparts = s->nresults = 0;
  while (!rc && (more = dvmt_reader_next(r->reader, &rec, err)) > 0) {
    if (rec.kind == DVMT_LOST) {
      r->cut = true;
      break;
    }
    rc = dvmt_join_take(r, &rec, err);
  }
  if (rc)
    return rc > 0 ? 0 : rc;
  if (!r->cut && more < 0)
    return more;
  r->cut |= s->construct >= 0 || dvmt_reader_torn(r->reader);
  s->construct = -1;
  return 0;
}

void dvmt_join_rank_fini(struct dvmt_join_rank *r) {
  free(r->constructs);
  free(r->objects);
  free(r->step.parts);
  free(r->step.results);
}

/* ---- late results ---------------------------------------------------------------------------------------------------------------- */

struct place {
  const char *text;
  struct dvmt_span file;
  unsigned line;
};

static int by_place(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  size_t n = x->file.n < y->file.n ? x->file.n : y->file.n;
  int order = n ? memcmp(x->file.s, y->file.s, n) : 0;
  if (!order)
    order = (x->file.n > y->file.n) - (x->file.n < y->file.n);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* In the order of the source, as those of a program that is compiled to record. */
static int define(struct dvmt_shape *shape, const struct dvmt_reader *r, struct dvm_error *err) {
  struct place *rows = calloc(dvmt_reader_nsites(r) + 1, sizeof(*rows));
  size_t n = 0;
  int rc = rows ? 0 : out_of_memory(err);
  for (size_t i = 0; !rc && i < dvmt_reader_nsites(r); i++) {
    const struct dvmt_site_def *def = dvmt_reader_site(r, i);
    struct dvmt_span place = dvmt_text_line(def->text, DVMRT_ANY_PLACE);
    if (def->kind == DVMT_SITE_CONSTRUCT && dvmt_shape_is_parallel(def->text))
      rows[n++] =
          (struct place){def->text, dvmt_text_line(def->text, DVMRT_ANY_FILE), (unsigned)dvmt_span_number(dvmt_text_field(&place), 0)};
  }
  if (n)
    qsort(rows, n, sizeof(*rows), by_place);
  for (size_t i = 0; !rc && i < n; i++)
    rc = dvmt_shape_construct(shape, rows[i].text) < 0 ? out_of_memory(err) : 0;
  free(rows);
  return rc;
}

static int add_late(struct dvmt_join_late *late, int64_t construct, const struct dvmt_record *rec, struct dvm_error *err) {
  struct dvmt_join_late_row *rows = realloc(late->row, (late->n + 1) * sizeof(*rows));
  if (!rows)
    return out_of_memory(err);
  late->row = rows;
  rows[late->n] = (struct dvmt_join_late_row){.construct = construct};
  memcpy(rows[late->n++].result.words, rec->words, sizeof(rows->result.words));
  return 0;
}

int dvmt_join_late_read(struct dvmt_join_late *late, struct dvmt_shape *shape, const struct dvmt_reader *reader, struct dvm_error *err) {
  struct dvmt_reader *r = dvmt_reader_again(reader, err);
  struct dvmt_record rec;
  bool open = false;
  int more = 1, rc = r ? 0 : err->code;
  size_t nlate = 0;
  uint32_t *sites = NULL;
  while (!rc && (more = dvmt_reader_next(r, &rec, err)) > 0 && rec.kind != DVMT_LOST) {
    if (rec.kind == DVMT_ENTER || rec.kind == DVMT_LEAVE)
      open = rec.kind == DVMT_ENTER;
    else if (rec.kind == DVMT_RESULT && !open && rec.nwords == 6) {
      uint32_t *rows = realloc(sites, (nlate + 1) * sizeof(*rows));
      rc = rows ? add_late(late, 0, &rec, err) : out_of_memory(err);
      if (rows) {
        sites = rows;
        rows[nlate++] = rec.site;
      }
    }
  }
  if (!rc && more < 0)
    rc = more;
  if (!rc)
    rc = define(shape, r, err);
  for (size_t i = 0; !rc && i < nlate; i++)
    late->row[i].construct = dvmt_shape_construct(shape, dvmt_reader_site(r, sites[i])->text);
  free(sites);
  dvmt_reader_close(r);
  return rc;
}

int dvmt_join_late_take(struct dvmt_join_late *late, int64_t construct, struct dvmt_join_step *s) {
  uint64_t seen = 0;
  while (late->first < late->n && late->row[late->first].taken)
    late->first++;
  for (size_t i = late->first; i < late->n; i++) {
    struct dvmt_join_late_row *row = &late->row[i];
    uint64_t bit = row->result.words[0] >> 32 ? 0 : 1ull << (row->result.words[0] & 63); /* others than the first element follow it */
    if (row->taken || row->construct != construct)
      continue;
    if (seen & bit) /* of the next execution */
      break;
    struct dvmt_join_result *rows = realloc(s->results, (s->nresults + 1) * sizeof(*rows));
    if (!rows)
      return -ENOMEM;
    s->results = rows;
    rows[s->nresults++] = row->result;
    seen |= bit;
    row->taken = true;
  }
  return 0;
}
