#define _GNU_SOURCE
#include "driver/trace/command/config_make.h"
#include "driver/trace/command/config_job.h"
#include "driver/trace/command/files.h"
#include "driver/folder.h"
#include "driver/run.h"
#include "driver/trace/command/feed.h"
#include "driver/trace/command/job_compare.h"
#include "driver/trace/command/launch.h"
#include "runtime/trace/config.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/writer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NMEASURED = 3, DEPTH_MAX = 256 }; /* minimal, modify, full */

struct construct {
  char *text;               /* owned; NULL: no construct */
  uint64_t enters, iterations, reads, writes;
  unsigned ndims;
  int64_t low[DVMT_NDIMS_MAX], high[DVMT_NDIMS_MAX];
};

struct measure {
  struct dvmt_sink sink;
  struct dvmt_writer *level[NMEASURED];
  struct construct *sites;  /* owned */
  size_t nsites;
  uint32_t open[DEPTH_MAX];
  int depth;
};

static int on_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  struct measure *m = (struct measure *)sink;
  struct construct *rows = realloc(m->sites, (m->nsites + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  m->sites = rows;
  bool kept = def->kind == DVMT_SITE_CONSTRUCT || def->kind == DVMT_SITE_LOOP;
  rows[m->nsites] = (struct construct){.text = kept ? strdup(def->text) : NULL};
  if (kept && !rows[m->nsites].text)
    return -ENOMEM;
  m->nsites++;
  for (int i = 0; i < NMEASURED; i++)
    dvmt_writer_sink(m->level[i])->site(dvmt_writer_sink(m->level[i]), def);
  return 0;
}

static int on_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct measure *m = (struct measure *)sink;
  for (int i = 0; i < NMEASURED; i++)
    dvmt_writer_sink(m->level[i])->object(dvmt_writer_sink(m->level[i]), def);
  return 0;
}

static void on_iteration(struct construct *c, const struct dvmt_record *r) {
  for (uint32_t d = 0; d < r->nwords && d < DVMT_NDIMS_MAX; d++) {
    int64_t v = (int64_t)r->words[d];
    if (!c->iterations || v < c->low[d])
      c->low[d] = v;
    if (!c->iterations || v > c->high[d])
      c->high[d] = v;
  }
  c->ndims = r->nwords < DVMT_NDIMS_MAX ? r->nwords : DVMT_NDIMS_MAX;
  c->iterations++;
}

static int on_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct measure *m = (struct measure *)sink;
  struct construct *own = &m->sites[r->site], *in = m->depth ? &m->sites[m->open[m->depth - 1]] : NULL;
  int first = r->kind == DVMT_READ ? 2 : r->kind == DVMT_WRITE ? 1 : 0, rc = 0;
  if (r->kind == DVMT_ENTER) {
    own->enters++;
    if (m->depth < DEPTH_MAX)
      m->open[m->depth++] = r->site;
  } else if (r->kind == DVMT_LEAVE) {
    m->depth -= m->depth > 0;
  } else if (r->kind == DVMT_ITER) {
    on_iteration(own, r);
  } else if (in && r->kind == DVMT_READ) {
    in->reads++;
  } else if (in && r->kind == DVMT_WRITE) {
    in->writes++;
  }
  for (int i = first; i < NMEASURED && !rc; i++)
    rc = dvmt_writer_sink(m->level[i])->record(dvmt_writer_sink(m->level[i]), r);
  return rc;
}

/* ---- the file -------------------------------------------------------------------------------------------------------------- */

/* A construct's part of a level's bytes, by its records. */
static uint64_t part(const struct dvmt_totals *t, uint64_t records) {
  return t->records ? (uint64_t)((double)t->file_bytes * (double)records / (double)t->records) : 0;
}

static void write_place(const char *text, FILE *f) {
  struct dvmt_where w = dvmt_site_where(text);
  struct dvmt_span kind = dvmt_site_kind(text);
  const char *quote = memchr(w.file.s, ' ', w.file.n) || memchr(w.file.s, '\t', w.file.n) ? "\"" : "";
  fprintf(f, "%.*s %s%.*s:%u%s", (int)kind.n, kind.s, quote, (int)w.file.n, w.file.s, w.line, quote);
}

void dvmt_config_write_rule(const char *text, unsigned ndims, const int64_t *low, const int64_t *high, const char *level, FILE *f) {
  fprintf(f, "# iterations:");
  for (unsigned d = 0; d < ndims; d++)
    fprintf(f, " %u:%lld..%lld", d + 1, (long long)low[d], (long long)high[d]);
  fputc('\n', f);
  write_place(text, f);
  fprintf(f, " level %s\n", level);
}

void dvmt_config_write_points(FILE *f) {
  fprintf(f, "# start FILE:LINE N   start recording at the N-th execution of this construct\n"
             "# finish FILE:LINE N  stop recording at the end of the N-th execution\n"
             "# tolerance type double relative 1e-10 ulps 4 absolute 0\n"
             "# tolerance variable A relative 1e-6\n\n");
}

static void write_construct(const struct construct *c, const struct dvmt_totals totals[NMEASURED], FILE *f) {
  uint64_t minimal = 2 * c->enters + c->iterations, modify = minimal + c->writes, full = modify + c->reads;
  fprintf(f, "\n# %llu executions, %llu iterations, %llu writes, %llu reads\n", (unsigned long long)c->enters,
          (unsigned long long)c->iterations, (unsigned long long)c->writes, (unsigned long long)c->reads);
  fprintf(f, "# bytes: minimal %llu, modify %llu, full %llu\n", (unsigned long long)part(&totals[0], minimal),
          (unsigned long long)part(&totals[1], modify), (unsigned long long)part(&totals[2], full));
  dvmt_config_write_rule(c->text, c->ndims, c->low, c->high, "modify", f);
}

static void write_command(char *const *command, FILE *f) {
  fprintf(f, "# Trace configuration of");
  for (; *command; command++) {
    fputc(' ', f);
    for (const char *p = *command; *p; p++) /* it is one line */
      fputc(*p == '\n' || *p == '\r' ? ' ' : *p, f);
  }
  fputc('\n', f);
}

static void write_config(const struct measure *m, const struct dvmt_totals totals[NMEASURED], FILE *f) {
  fprintf(f, "# Whole program, bytes: minimal %llu, modify %llu, full %llu (%llu records)\n", (unsigned long long)totals[0].file_bytes,
          (unsigned long long)totals[1].file_bytes, (unsigned long long)totals[2].file_bytes, (unsigned long long)totals[2].records);
  fprintf(f, "# Levels: none, minimal, modify, full, checksum, system.  Ranges: DIMENSION:LOW..HIGH [step N].\n");
  dvmt_config_write_points(f);
  fprintf(f, "level modify\n");
  for (size_t i = 0; i < m->nsites; i++)
    if (m->sites[i].text && m->sites[i].enters)
      write_construct(&m->sites[i], totals, f);
}

static int begin(struct measure *m, struct dvm_error *err) {
  *m = (struct measure){.sink = {on_site, on_object, on_record, NULL, 0}};
  for (int i = 0; i < NMEASURED; i++)
    if (!(m->level[i] = dvmt_writer_create(NULL, "", DVMT_CODEC_ZSTD, err)))
      return err->code;
  return 0;
}

/* Adds what it would take at each level. */
static void end(struct measure *m, struct dvmt_totals totals[NMEASURED]) {
  for (int i = 0; i < NMEASURED; i++) {
    struct dvm_error ignored = DVM_ERROR_INIT;
    struct dvmt_totals own = {0, 0, 0, 0};
    if (m->level[i])
      dvmt_writer_close(m->level[i], true, &own, &ignored);
    totals[i].records += own.records;
    totals[i].file_bytes += own.file_bytes;
    m->level[i] = NULL;
  }
}

static void fini(struct measure *m) {
  for (size_t i = 0; i < m->nsites; i++)
    free(m->sites[i].text);
  free(m->sites);
}

/* ---- ranks of a job: constructs with the same text are one ---------------------------------------------------------------------------- */

static void add_construct(struct construct *to, const struct construct *c) {
  for (unsigned d = 0; d < c->ndims; d++) {
    bool first = d >= to->ndims || !to->iterations;
    to->low[d] = first || c->low[d] < to->low[d] ? c->low[d] : to->low[d];
    to->high[d] = first || c->high[d] > to->high[d] ? c->high[d] : to->high[d];
  }
  to->ndims = c->ndims > to->ndims ? c->ndims : to->ndims;
  to->enters = c->enters > to->enters ? c->enters : to->enters;
  to->iterations += c->iterations;
  to->reads += c->reads;
  to->writes += c->writes;
}

static int add_rank(struct measure *m, struct measure *rank) {
  for (size_t i = 0; i < rank->nsites; i++) {
    struct construct *c = &rank->sites[i];
    size_t k = 0;
    while (c->text && k < m->nsites && (!m->sites[k].text || strcmp(m->sites[k].text, c->text)))
      k++;
    if (!c->text)
      continue;
    if (k < m->nsites) {
      add_construct(&m->sites[k], c);
      continue;
    }
    struct construct *rows = realloc(m->sites, (m->nsites + 1) * sizeof(*rows));
    if (!rows)
      return -ENOMEM;
    m->sites = rows;
    rows[m->nsites++] = *c;
    c->text = NULL; /* the row has it */
  }
  return 0;
}

static int measure_job(struct measure *m, const struct dvmt_job *job, struct dvmt_totals totals[NMEASURED], struct dvm_error *err) {
  int rc = 0;
  for (size_t r = 0; r < job->nranks && !rc; r++) {
    struct measure rank;
    rc = begin(&rank, err);
    if (!rc)
      rc = dvmt_feed_sink(job->rank[r], &rank.sink, err);
    end(&rank, totals);
    if (!rc && add_rank(m, &rank))
      rc = dvm_error_set(err, -ENOMEM, "out of memory");
    fini(&rank);
  }
  return rc;
}

static int run(struct measure *m, char *const *command, int *status, struct dvmt_totals totals[NMEASURED], struct dvm_error *err) {
  char folder[CC_TEMPORARY_MAX], streams[CC_TEMPORARY_MAX + 16];
  struct dvmt_job job = {0};
  bool recorded = false;
  int found = 0, rc = cc_folder_create(folder, "config", err);
  if (rc)
    return rc;
  snprintf(streams, sizeof(streams), "%s/ranks", folder);
  const struct dvmt_launch launch = {.command = command, .level = "full", .job = streams};
  rc = begin(m, err);
  if (!rc)
    rc = dvmt_launch(&launch, &m->sink, status, &recorded, err);
  end(m, totals);
  if (!rc && !recorded && (found = dvmt_job_open_streams(&job, streams, err)) < 0)
    rc = found;
  if (!rc && found > 0)
    rc = measure_job(m, &job, totals, err);
  else if (!rc && !recorded)
    rc = dvmt_launch_nothing(command, *status, "'dvmcc -fdvm=trace'", err);
  dvmt_job_close(&job);
  cc_folder_remove(folder);
  return rc;
}

int dvmt_config_make(char *const *command, const char *path, struct dvm_error *err) {
  struct measure m = {.nsites = 0};
  struct dvmt_totals totals[NMEASURED] = {{0, 0, 0, 0}};
  bool parallel = dvmt_job_is_parallel(command);
  int status = 0, rc = 0;
  struct config_job *job = parallel ? config_job_run(command, &status, err) : NULL;
  rc = !parallel ? run(&m, command, &status, totals, err) : job ? 0 : err->code;
  FILE *f = rc ? NULL : fopen(path, "we");
  if (!rc && !f)
    rc = dvm_error_errno(err, "cannot write '%s'", path);
  if (!rc)
    write_command(command, f);
  if (!rc && parallel)
    config_job_write(job, f);
  else if (!rc)
    write_config(&m, totals, f);
  int close_rc = f ? dvmt_file_close(f, path, err) : 0;
  rc = rc ? rc : close_rc;
  fini(&m);
  config_job_destroy(job);
  return rc ? rc : dvm_run_end_like(status);
}
