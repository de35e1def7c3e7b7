#include "driver/trace/command/job_results.h"
#include "driver/trace/job/places.h"
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/value.h"
#include "driver/trace/job/project.h"
#include "runtime/trace/results.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rows {
  struct dvmt_results_row *at;
  size_t n, room;
};

static int by_key(const void *a, const void *b) {
  const struct dvmt_results_row *x = a, *y = b;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  if (x->number != y->number)
    return x->number < y->number ? -1 : 1;
  return (x->execution > y->execution) - (x->execution < y->execution);
}

void dvmt_job_results_tolerance(struct dvmt_results_row *row, const char *text, const struct dvmt_compare_options *o, uint64_t iterations) {
  struct dvmt_type type;
  struct dvmt_span name = dvmt_result_name(text, row->number, &type);
  char variable[256];
  snprintf(variable, sizeof(variable), "%.*s", (int)name.n, name.s ? name.s : "");
  const struct dvmt_result_tolerance of = dvmt_compare_result_tolerance(o, type, variable, text, row->number, iterations);
  const struct dvmt_tolerance t = of.tolerance;
  row->relative = t.exact ? 0 : t.relative;
  row->ulps = t.exact ? 0 : t.ulps;
  row->absolute = t.exact ? 0 : t.absolute;
  row->rounding = of.rounding;
}

/* Of the execution that is over, from row 'first' on: the count of its iterations stands behind its results. */
static void set_tolerances(struct rows *rows, size_t first, const struct dvmt_reader *r, const struct dvmt_compare_options *o,
                           uint64_t iterations) {
  for (size_t i = first; i < rows->n; i++)
    dvmt_job_results_tolerance(&rows->at[i], dvmt_reader_site(r, rows->at[i].place)->text, o, iterations);
}

static bool counts(const struct dvmt_record *r) { return r->kind == DVMT_DIGEST && r->nwords > 2 && r->words[2] == DVMT_DIGEST_EXECUTED; }

/* 'place' is the number of the site until all are known. */
static int collect(struct rows *rows, struct dvmt_reader *r, const struct dvmt_compare_options *o, struct dvm_error *err) {
  struct dvmt_record rec;
  uint64_t *executions = NULL;
  size_t room = 0, first = 0;
  uint64_t iterations = 0;
  int more, rc = 0;
  while (!rc && (more = dvmt_reader_next(r, &rec, err)) > 0) {
    if (rec.kind == DVMT_LEAVE) {
      set_tolerances(rows, first, r, o, iterations);
      first = rows->n;
    }
    if (counts(&rec))
      iterations = rec.words[0];
    if (rec.kind != DVMT_ENTER && rec.kind != DVMT_RESULT)
      continue;
    if (rec.site >= room) {
      size_t want = rec.site + 64;
      uint64_t *p = realloc(executions, want * sizeof(*p));
      if (!p) {
        rc = dvm_error_set(err, -ENOMEM, "out of memory");
        break;
      }
      memset(p + room, 0, (want - room) * sizeof(*p));
      executions = p;
      room = want;
    }
    if (rec.kind == DVMT_ENTER) {
      executions[rec.site] = dvmt_next_number(executions[rec.site], rec.words);
      iterations = 0;
      continue;
    }
    if (rows->n == rows->room) {
      size_t want = rows->room ? 2 * rows->room : 256;
      struct dvmt_results_row *p = realloc(rows->at, want * sizeof(*p));
      if (!p) {
        rc = dvm_error_set(err, -ENOMEM, "out of memory");
        break;
      }
      rows->at = p;
      rows->room = want;
    }
    struct dvmt_results_row *row = &rows->at[rows->n++];
    *row = (struct dvmt_results_row){rec.site, rec.words[0], executions[rec.site], {0}, 0, 0, 0, 0};
    memcpy(row->value, rec.words + 2, sizeof(row->value));
  }
  set_tolerances(rows, first, r, o, 0); /* cut by its end */
  free(executions);
  return rc ? rc : more < 0 ? more : 0;
}

/* By site of the reference: where the run has it, and whether that is known: of a file that the program holds, constructs that are not found
 * there have been changed. */
struct places {
  uint64_t *at; /* owned; of one that cannot be found its own place */
  bool *known; /* owned */
  size_t n;
};

static struct dvmt_span file_of(struct dvmt_compare *c, const char *text) {
  struct dvmt_span file = dvmt_span_base(dvmt_site_where(text).file);
  if (file.s)
    file.s = dvmt_cmp_renamed_file(c, file.s, file.n, &file.n);
  return file;
}

static int find_places(struct places *to, struct dvmt_compare *c, const struct dvmt_reader *r, char *const *command) {
  char program[4096];
  const char *path = dvmt_job_program(command, program, sizeof(program));
  struct dvmt_job_places *p = path ? dvmt_job_places_read(path, command) : NULL;
  *to = (struct places){.n = dvmt_reader_nsites(r)};
  to->at = calloc(to->n + 1, sizeof(*to->at));
  to->known = calloc(to->n + 1, sizeof(*to->known));
  const bool fine = to->at && to->known;
  for (size_t i = 0; fine && p && i < to->n; i++) {
    const char *text = dvmt_reader_site(r, i)->text;
    if (!dvmt_job_places_add(p, text, file_of(c, text))) {
      dvmt_job_places_destroy(p);
      p = NULL;
    }
  }
  for (size_t i = 0; fine && i < to->n; i++) {
    struct dvmt_where own = dvmt_site_where(dvmt_reader_site(r, i)->text), now = {.line = 0};
    if (p)
      now = dvmt_job_places_of(p, i);
    to->known[i] = now.line || (p && own.file.s && dvmt_job_places_know(p, file_of(c, dvmt_reader_site(r, i)->text)));
    if (!now.line)
      now = own;
    to->at[i] = dvmt_results_place(now.file.s, now.file.n, now.line, now.column);
  }
  dvmt_job_places_destroy(p);
  return fine ? 0 : -ENOMEM;
}

static bool is_looked_for(const struct dvmt_reader *r, const struct places *p, size_t i) {
  const struct dvmt_site_def *def = dvmt_reader_site(r, i);
  return !p->known[i] && def->kind == DVMT_SITE_CONSTRUCT && dvmt_shape_is_parallel(def->text);
}

/* The text, with the run's name of the file. */
static bool write_site(FILE *f, struct dvmt_compare *c, const char *text, uint64_t place) {
  static const char zeros[8];
  struct dvmt_span was = dvmt_site_where(text).file, is = file_of(c, text);
  const size_t before = was.s ? (size_t)(was.s - text) : 0;
  const struct dvmt_results_site site = {place, strlen(text) - was.n + is.n};
  return fwrite(&site, sizeof(site), 1, f) == 1 && fwrite(text, 1, before, f) == before && fwrite(is.s, 1, is.n, f) == is.n &&
         fputs(text + before + was.n, f) >= 0 && fwrite(zeros, 1, 8 - site.bytes % 8, f) == 8 - site.bytes % 8;
}

static int write_results(const char *path, struct dvmt_compare *c, const struct dvmt_reader *r, const struct rows *rows,
                         const struct places *p, struct dvm_error *err) {
  struct dvmt_results_head head = {.magic = DVMT_RESULTS_MAGIC, .nrows = rows->n};
  FILE *f = fopen(path, "we");
  for (size_t i = 0; i < p->n; i++)
    head.nsites += is_looked_for(r, p, i);
  bool fine = f && fwrite(&head, sizeof(head), 1, f) == 1 && fwrite(rows->at, sizeof(*rows->at), rows->n, f) == rows->n;
  for (size_t i = 0; i < p->n && fine; i++)
    if (is_looked_for(r, p, i))
      fine = write_site(f, c, dvmt_reader_site(r, i)->text, p->at[i]);
  int rc = fine ? 0 : dvm_error_errno(err, "cannot write '%s'", path);
  if (f && fclose(f) && !rc)
    rc = dvm_error_errno(err, "cannot write '%s'", path);
  return rc;
}

int dvmt_job_results(const char *path, struct dvmt_compare *c, const struct dvmt_reader *trace, const struct dvmt_cli *o,
                     char *const *command, struct dvm_error *err) {
  struct rows rows = {NULL, 0, 0};
  struct places places = {NULL, NULL, 0};
  struct dvmt_reader *r = dvmt_reader_again(trace, err);
  int rc = r ? collect(&rows, r, &o->compare, err) : err->code;
  if (!rc && find_places(&places, c, r, command))
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  for (size_t i = 0; !rc && i < rows.n; i++)
    rows.at[i].place = places.at[rows.at[i].place];
  if (!rc && rows.n)
    qsort(rows.at, rows.n, sizeof(*rows.at), by_key);
  if (!rc)
    rc = write_results(path, c, r, &rows, &places, err);
  free(places.at);
  free(places.known);
  free(rows.at);
  dvmt_reader_close(r);
  return rc;
}
