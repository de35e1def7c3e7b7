#define _GNU_SOURCE
#include "driver/trace/command/config_make.h"
#include "driver/trace/command/files.h"
#include "driver/run.h"
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

static void write_construct(const struct construct *c, const struct dvmt_totals totals[NMEASURED], FILE *f) {
  struct dvmt_where w = dvmt_site_where(c->text);
  struct dvmt_span kind = dvmt_site_kind(c->text);
  uint64_t minimal = 2 * c->enters + c->iterations, modify = minimal + c->writes, full = modify + c->reads;
  fprintf(f, "\n# %llu executions, %llu iterations, %llu writes, %llu reads\n", (unsigned long long)c->enters,
          (unsigned long long)c->iterations, (unsigned long long)c->writes, (unsigned long long)c->reads);
  fprintf(f, "# bytes: minimal %llu, modify %llu, full %llu\n", (unsigned long long)part(&totals[0], minimal),
          (unsigned long long)part(&totals[1], modify), (unsigned long long)part(&totals[2], full));
  fprintf(f, "# iterations:");
  for (unsigned d = 0; d < c->ndims; d++)
    fprintf(f, " %u:%lld..%lld", d + 1, (long long)c->low[d], (long long)c->high[d]);
  const char *quote = memchr(w.file.s, ' ', w.file.n) || memchr(w.file.s, '\t', w.file.n) ? "\"" : "";
  fprintf(f, "\n%.*s %s%.*s:%u%s level modify\n", (int)kind.n, kind.s, quote, (int)w.file.n, w.file.s, w.line, quote);
}

static void write_config(const struct measure *m, char *const *command, const struct dvmt_totals totals[NMEASURED], FILE *f) {
  fprintf(f, "# Trace configuration of");
  for (; *command; command++) {
    fputc(' ', f);
    for (const char *p = *command; *p; p++) /* it is one line */
      fputc(*p == '\n' || *p == '\r' ? ' ' : *p, f);
  }
  fprintf(f, "\n# Whole program, bytes: minimal %llu, modify %llu, full %llu (%llu records)\n", (unsigned long long)totals[0].file_bytes,
          (unsigned long long)totals[1].file_bytes, (unsigned long long)totals[2].file_bytes, (unsigned long long)totals[2].records);
  fprintf(f, "# Levels: none, minimal, modify, full, checksum, system.  Ranges: DIMENSION:LOW..HIGH [step N].\n"
             "# start FILE:LINE N   start recording at the N-th execution of this construct\n"
             "# finish FILE:LINE N  stop recording at the end of the N-th execution\n"
             "# tolerance type double relative 1e-10 ulps 4 absolute 0\n"
             "# tolerance variable A relative 1e-6\n\nlevel modify\n");
  for (size_t i = 0; i < m->nsites; i++)
    if (m->sites[i].text && m->sites[i].enters)
      write_construct(&m->sites[i], totals, f);
}

static int run(struct measure *m, char *const *command, int *status, struct dvmt_totals totals[NMEASURED], struct dvm_error *err) {
  const struct dvmt_launch launch = {.command = command, .level = "full", .config = NULL, .quiet = false};
  bool recorded = false;
  int rc = 0;
  for (int i = 0; i < NMEASURED && !rc; i++)
    if (!(m->level[i] = dvmt_writer_create(NULL, "", DVMT_CODEC_ZSTD, err)))
      rc = err->code;
  if (!rc)
    rc = dvmt_launch(&launch, &m->sink, status, &recorded, err);
  if (!rc && !recorded)
    rc = dvm_error_set(err, -EPROTO, "'%s' recorded nothing: compile and link it with 'dvmcc -fdvm=trace'", command[0]);
  for (int i = 0; i < NMEASURED; i++) {
    struct dvm_error ignored = DVM_ERROR_INIT;
    if (m->level[i])
      dvmt_writer_close(m->level[i], true, &totals[i], &ignored);
  }
  return rc;
}

int dvmt_config_make(char *const *command, const char *path, struct dvm_error *err) {
  struct measure m = {.sink = {on_site, on_object, on_record, NULL, 0}};
  struct dvmt_totals totals[NMEASURED] = {{0, 0, 0, 0}};
  int status = 0, rc = run(&m, command, &status, totals, err);
  FILE *f = rc ? NULL : fopen(path, "we");
  if (!rc && !f)
    rc = dvm_error_errno(err, "cannot write '%s'", path);
  if (!rc)
    write_config(&m, command, totals, f);
  int close_rc = f ? dvmt_file_close(f, path, err) : 0;
  rc = rc ? rc : close_rc;
  for (size_t i = 0; i < m.nsites; i++)
    free(m.sites[i].text);
  free(m.sites);
  return rc ? rc : dvm_run_end_like(status);
}
