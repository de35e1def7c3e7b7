#include "driver/trace/command/config_job.h"
#include "driver/folder.h"
#include "driver/trace/command/config_make.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/writer.h"
#include "driver/trace/job/job.h"
#include "driver/trace/job/project.h"
#include "runtime/trace/elements.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A piece of an array's memory is told with its address. */
enum { PIECE_BYTES = DVMT_ELEMENTS_PIECE + 8 };

struct construct {
  char *text;                   /* owned */
  uint64_t executions, iterations;
  uint64_t records;             /* of all ranks */
  uint64_t elements;            /* bytes of arrays, before and behind each execution */
  unsigned ndims;
  int64_t low[DVMT_NDIMS_MAX], high[DVMT_NDIMS_MAX];
};
struct config_job {
  struct construct *row;        /* owned, in the order of the first execution */
  size_t n, nranks;
  uint64_t bytes, records;      /* of all streams */
};

static bool same_construct(const char *a, const char *b) {
  struct dvmt_where x = dvmt_site_where(a), y = dvmt_site_where(b);
  return x.line == y.line && x.column == y.column && x.file.n == y.file.n && !memcmp(x.file.s, y.file.s, x.file.n);
}

static struct construct *row_of(struct config_job *m, const char *text) {
  for (size_t i = 0; i < m->n; i++)
    if (same_construct(m->row[i].text, text))
      return &m->row[i];
  struct construct *rows = realloc(m->row, (m->n + 1) * sizeof(*rows));
  if (!rows)
    return NULL;
  m->row = rows;
  rows[m->n] = (struct construct){.text = strdup(text)};
  return rows[m->n].text ? &rows[m->n++] : NULL;
}

static void take_bounds(struct construct *c, const struct dvmt_record *rec) {
  unsigned n = rec->nwords / 2 < DVMT_NDIMS_MAX ? rec->nwords / 2 : DVMT_NDIMS_MAX;
  for (unsigned d = 0; d < n; d++) {
    int64_t low = (int64_t)rec->words[2 * (size_t)d], high = (int64_t)rec->words[2 * (size_t)d + 1];
    c->low[d] = d >= c->ndims || low < c->low[d] ? low : c->low[d];
    c->high[d] = d >= c->ndims || high > c->high[d] ? high : c->high[d];
  }
  c->ndims = n > c->ndims ? n : c->ndims;
}

/* Iterations that all ranks execute are those of the first. */
static void take_digest(struct construct *c, const struct dvmt_record *rec, const struct dvmt_site_def *site,
                        const struct dvmt_object_def *object, bool first) {
  if (dvmt_shape_is_executed(site->text))
    c->iterations += rec->words[2] || first ? rec->words[0] : 0;
  else if (object->flags & DVMT_OBJECT_ARRAY)
    c->elements += 2 * ((rec->words[0] * object->element_bytes + DVMT_ELEMENTS_PIECE - 1) / DVMT_ELEMENTS_PIECE * PIECE_BYTES);
}

static int take_rank(struct config_job *m, struct dvmt_reader *r, bool first, struct dvm_error *err) {
  struct construct *open = NULL;
  struct dvmt_record rec;
  int more;
  while ((more = dvmt_reader_next(r, &rec, err)) > 0) {
    const struct dvmt_site_def *site = rec.kind == DVMT_LOST ? NULL : dvmt_reader_site(r, rec.site);
    m->records++;
    if (rec.kind == DVMT_ENTER && !(open = row_of(m, site->text)))
      return dvm_error_set(err, -ENOMEM, "out of memory");
    if (!open || !site)
      continue;
    open->records++;
    open->executions += rec.kind == DVMT_ENTER && first;
    if (rec.kind == DVMT_DIGEST && rec.nwords >= 3)
      take_digest(open, &rec, site, dvmt_reader_object(r, rec.object), first);
    if (rec.kind == DVMT_DIRECT && dvmt_span_is(dvmt_site_kind(site->text), DVMT_ELEMENTS_BOUNDS))
      take_bounds(open, &rec);
    if (rec.kind == DVMT_LEAVE)
      open = NULL;
  }
  return more;
}

static int take_job(struct config_job *m, const struct dvmt_job *job, struct dvm_error *err) {
  struct dvmt_summary s;
  int rc = 0;
  m->nranks = job->nranks;
  for (size_t r = 0; r < job->nranks && !rc; r++) {
    rc = dvmt_reader_summary(job->rank[r], &s, err);
    m->bytes += rc ? 0 : s.file_bytes;
    if (!rc)
      rc = take_rank(m, job->rank[r], !r, err);
  }
  return rc;
}

static int measure(struct config_job *m, char *const *command, const char *streams, int *status, struct dvm_error *err) {
  struct dvmt_writer *nowhere = dvmt_writer_create(NULL, "", DVMT_CODEC_NONE, err);
  const struct dvmt_launch launch = {.command = command, .level = "checksum", .job = streams, .options = "trace_bounds=1"};
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct dvmt_job job = {0};
  bool recorded;
  int rc = nowhere ? dvmt_launch(&launch, dvmt_writer_sink(nowhere), status, &recorded, err) : err->code;
  int found = rc ? rc : dvmt_job_open_streams(&job, streams, err);
  if (!rc && found <= 0)
    rc = found ? found : dvmt_launch_nothing(command, *status, "'dvmcc -fdvm=parallel,trace'", err);
  if (!rc)
    rc = take_job(m, &job, err);
  dvmt_job_close(&job);
  if (nowhere)
    dvmt_writer_close(nowhere, true, NULL, &ignored);
  return rc;
}

struct config_job *config_job_run(char *const *command, int *status, struct dvm_error *err) {
  char folder[CC_TEMPORARY_MAX], streams[CC_TEMPORARY_MAX + 16];
  struct config_job *m = calloc(1, sizeof(*m));
  int rc = m ? cc_folder_create(folder, "config", err) : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc) {
    snprintf(streams, sizeof(streams), "%s/ranks", folder);
    rc = measure(m, command, streams, status, err);
    cc_folder_remove(folder);
  }
  if (!rc)
    return m;
  config_job_destroy(m);
  return NULL;
}

void config_job_destroy(struct config_job *m) {
  for (size_t i = 0; m && i < m->n; i++)
    free(m->row[i].text);
  if (m)
    free(m->row);
  free(m);
}

/* ---- the file ----------------------------------------------------------------------------------------------------------------------- */

static void write_construct(const struct config_job *m, const struct construct *c, FILE *f) {
  uint64_t sums = m->records ? (uint64_t)((double)m->bytes * (double)c->records / (double)m->records) : 0;
  fprintf(f, "\n# %llu executions, %llu iterations\n# bytes: checksum %llu, modify at most %llu\n", (unsigned long long)c->executions,
          (unsigned long long)c->iterations, (unsigned long long)sums, (unsigned long long)(sums + c->elements));
  dvmt_config_write_rule(c->text, c->ndims, c->low, c->high, "checksum", f);
}

void config_job_write(const struct config_job *m, FILE *f) {
  uint64_t elements = 0;
  for (size_t i = 0; i < m->n; i++)
    elements += m->row[i].elements;
  fprintf(f, "# Whole program on %zu rank%s, bytes: checksum %llu, modify at most %llu (%llu records)\n", m->nranks,
          m->nranks == 1 ? "" : "s", (unsigned long long)m->bytes, (unsigned long long)(m->bytes + elements),
          (unsigned long long)m->records);
  fprintf(f, "# Levels: none, system (order and results), minimal (iterations are counted), checksum, modify (elements of arrays), full "
             "(and each\n"
             "# iteration).  Ranges, of modify and full: DIMENSION:LOW..HIGH [step N].\n");
  dvmt_config_write_points(f);
  fprintf(f, "level checksum\n");
  for (size_t i = 0; i < m->n; i++)
    write_construct(m, &m->row[i], f);
}
