#define _GNU_SOURCE
#include "driver/trace/command/calibrate.h"
#include "base/text.h"
#include "driver/trace/command/feed.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/job_private.h"
#include "driver/trace/compare/compare.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/writer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BETWEEN = 0x1f }; /* two entries */

static bool is_by_nature(struct dvmt_span function) {
  static const char *const names[] = {
      "time",       "clock",          "gettimeofday",       "clock_gettime",  "timespec_get", "times",  "getrusage", "ftime",
      "MPI_Wtime",  "omp_get_wtime",  "dvmh_wtime",         "getpid",         "getppid",      "gettid", "getrandom", "getentropy",
      "arc4random", "arc4random_buf", "arc4random_uniform", "a random device"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (dvmt_span_is(function, names[i]))
      return true;
  return false;
}

/* What comes straight from a clock differs, though two runs may have met in one second. */
static void add_natures(const struct dvmt_reader *r, struct dvm_text *masks) {
  const char between = BETWEEN;
  for (size_t i = 0; i < dvmt_reader_nsites(r); i++) {
    const char *text = dvmt_reader_site(r, i)->text;
    struct dvmt_span nature = dvmt_text_line(text, DVMRT_TRACE_NATURE), name = dvmt_text_line(text, DVMRT_ACCESS_VARIABLE);
    struct dvmt_where w = dvmt_site_where(text);
    char one[600];
    if (!nature.s || !is_by_nature(nature) || !name.s || !w.file.s)
      continue;
    snprintf(one, sizeof(one), "%.*s@%.*s:%u", (int)name.n, name.s, (int)w.file.n, w.file.s, w.line);
    if (masks->len && strstr(dvm_text_str(masks), one))
      continue;
    dvm_text_add_n(masks, &between, masks->len > 0);
    dvm_text_add(masks, one);
    fprintf(stderr, "dvm: '%.*s' at %.*s:%u comes from '%.*s': comparisons leave it out\n", (int)name.n, name.s, (int)w.file.n, w.file.s,
            w.line, (int)nature.n, nature.s);
  }
}

/* "NAME@FILE:LINE" of each value that differs; of other differences that there are some. */
static void add_findings(const struct dvmt_compare *c, struct dvm_text *masks) {
  for (size_t i = 0; i < dvmt_compare_nfindings(c); i++) {
    const struct dvmt_finding *f = dvmt_compare_finding(c, i);
    struct dvmt_where w = f->text ? dvmt_site_where(f->text) : (struct dvmt_where){{NULL, 0}, 0, 0};
    const char between = BETWEEN;
    char one[600];
    if (f->warning)
      continue;
    if (f->id == DVMT_FOUND_STRUCTURE || !w.file.s) {
      fprintf(stderr, "dvm: warning: two runs of the program differ in something that no mask can exclude: %s\n", f->message);
      continue;
    }
    snprintf(one, sizeof(one), "%s@%.*s:%u", f->variable, (int)w.file.n, w.file.s, w.line);
    if (masks->len && strstr(dvm_text_str(masks), one)) /* of another rank */
      continue;
    dvm_text_add_n(masks, &between, masks->len > 0);
    dvm_text_add(masks, one);
    fprintf(stderr, "dvm: '%s' at %.*s:%u differs from run to run: comparisons will ignore it\n", f->variable, (int)w.file.n, w.file.s,
            w.line);
  }
}

static int find(const struct dvmt_launch *launch, const char *path, struct dvm_text *masks, struct dvm_error *err) {
  const struct dvmt_compare_options options = {.relative = -1, .ulps = -1};
  struct dvmt_reader *r = dvmt_file_open(path, err);
  struct dvmt_compare *c = r ? dvmt_compare_create(r, &options) : NULL;
  int status = 0, rc = c ? 0 : err->code ? err->code : dvm_error_set(err, -ENOMEM, "out of memory");
  bool recorded = false;
  char cut[64];
  if (!rc)
    rc = dvmt_launch(launch, dvmt_compare_sink(c), &status, &recorded, err);
  if (!rc)
    rc = dvmt_compare_end(c, dvmt_launch_cut(status, cut, sizeof(cut)), false, err);
  if (!rc)
    add_findings(c, masks);
  if (!rc)
    add_natures(r, masks);
  dvmt_compare_destroy(c);
  dvmt_reader_close(r);
  return rc ? rc : masks->failed ? dvm_error_set(err, -ENOMEM, "out of memory") : 0;
}

/* The trace anew, with other lines in its header. */
static int write_again(const char *path, const char *meta, enum dvmt_codec codec, struct dvm_error *err) {
  struct dvmt_reader *r = dvmt_file_open(path, err);
  struct dvmt_summary s;
  struct dvmt_record rec;
  char *to = NULL;
  size_t nsites = 0, nobjects = 0;
  int more = 0, rc = r ? dvmt_reader_summary(r, &s, err) : err->code;
  if (!rc && asprintf(&to, "%s.masked", path) < 0)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  struct dvmt_writer *w = rc ? NULL : dvmt_writer_create(to, meta, codec, err);
  struct dvmt_sink *sink = w ? dvmt_writer_sink(w) : NULL;
  if (!rc && !w)
    rc = err->code;
  for (bool program = false; !rc && (more = dvmt_reader_next(r, &rec, err)) > 0;) {
    if (!program && dvmt_reader_program(r))
      rc = sink->program(sink, dvmt_reader_program(r));
    program = true;
    while (!rc && nsites < dvmt_reader_nsites(r))
      rc = sink->site(sink, dvmt_reader_site(r, nsites++));
    while (!rc && nobjects < dvmt_reader_nobjects(r))
      rc = sink->object(sink, dvmt_reader_object(r, nobjects++));
    if (!rc)
      rc = rec.kind == DVMT_LOST ? -EBADMSG : sink->record(sink, &rec);
  }
  rc = rc ? rc : more;
  struct dvm_error close_err = DVM_ERROR_INIT;
  if (w && !rc && s.status >= 0)
    dvmt_writer_status(w, s.status);
  int close_rc = w ? dvmt_writer_close(w, !rc && s.complete, NULL, &close_err) : 0;
  if (!rc && close_rc) {
    *err = close_err;
    rc = close_rc;
  }
  if (!rc && rename(to, path))
    rc = dvm_error_errno(err, "cannot rename '%s' to '%s'", to, path);
  if (rc && to)
    unlink(to);
  free(to);
  dvmt_reader_close(r);
  return rc;
}

int dvmt_calibrate(const struct dvmt_launch *launch, const char *path, const char *meta, enum dvmt_codec codec, struct dvm_error *err) {
  struct dvm_text masks = DVM_TEXT_INIT, all = DVM_TEXT_INIT;
  int rc = find(launch, path, &masks, err);
  if (!rc && masks.len) {
    dvm_text_printf(&all, "%smask %s\n", meta, dvm_text_str(&masks));
    rc = all.failed ? dvm_error_set(err, -ENOMEM, "out of memory") : write_again(path, dvm_text_str(&all), codec, err);
  }
  dvm_text_fini(&masks);
  dvm_text_fini(&all);
  return rc;
}

/* ---- jobs -------------------------------------------------------------------------------------------------------------------------------- */

/* The program that directives divide: its sums against those of the second run. */
static int find_parallel(const struct dvmt_launch *launch, struct dvmt_job *job, struct dvm_text *masks, struct dvm_error *err) {
  struct dvmt_cli o = {.config = DVMT_CONFIG_INIT};
  struct dvmt_comparing x = {.o = &o, .quiet = true};
  const struct dvmt_compare_options options = {.relative = -1, .ulps = -1, .config = &o.config, .ignore = &o.ignore};
  int status = 0, rc = dvmt_job_begin(&x, &(struct dvmt_side){launch->job, job}, &options, launch->command, NULL, err);
  if (!rc)
    rc = dvmt_job_run(&x, launch->command, &status, err);
  if (!rc)
    add_findings(x.c, masks);
  dvmt_job_end(&x);
  dvmt_select_fini(&o.ignore);
  return rc;
}

static int find_rank(struct dvmt_reader *a, struct dvmt_reader *b, struct dvm_text *masks, struct dvm_error *err) {
  const struct dvmt_compare_options options = {.relative = -1, .ulps = -1};
  struct dvmt_compare *c = dvmt_compare_create(a, &options);
  int rc = c ? dvmt_feed(b, c, err) : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    rc = dvmt_compare_end(c, NULL, false, err);
  if (!rc)
    add_findings(c, masks);
  if (!rc)
    add_natures(a, masks);
  dvmt_compare_destroy(c);
  return rc;
}

/* Processes that call MPI themselves, rank by rank. */
static int find_ranks(const struct dvmt_launch *launch, const struct dvmt_job *job, struct dvm_text *masks, struct dvm_error *err) {
  struct dvmt_writer *nowhere = dvmt_writer_create(NULL, "", DVMT_CODEC_NONE, err);
  char folder[CC_TEMPORARY_MAX], streams[CC_TEMPORARY_MAX + 16];
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct dvmt_launch again = *launch;
  struct dvmt_job second = {0};
  int status, rc = !nowhere ? err->code : cc_folder_create(folder, "calibrate", err);
  bool recorded;
  if (rc)
    return rc;
  snprintf(streams, sizeof(streams), "%s/again", folder);
  again.job = streams;
  again.quiet = true;
  rc = dvmt_launch(&again, dvmt_writer_sink(nowhere), &status, &recorded, err);
  int found = rc ? rc : dvmt_job_open_streams(&second, streams, err);
  if (!rc && (found <= 0 || second.nranks != job->nranks))
    rc = found < 0 ? found
                   : dvm_error_set(err, -EPROTO, "'--calibrate': the second run has %zu ranks, the first %zu", second.nranks, job->nranks);
  for (size_t r = 0; r < job->nranks && !rc; r++)
    rc = find_rank(job->rank[r], second.rank[r], masks, err);
  dvmt_job_close(&second);
  dvmt_writer_close(nowhere, true, NULL, &ignored);
  cc_folder_remove(folder);
  return rc;
}

static int mask_rank(const char *job, const struct dvmt_reader *reader, size_t rank, const char *masks, enum dvmt_codec codec,
                     struct dvm_error *err) {
  char *lines = dvmt_reader_lines(reader), *all = NULL, *path = NULL;
  int rc = lines && asprintf(&all, "%smask %s\n", lines, masks) >= 0 && asprintf(&path, "%s.%zu", job, rank) >= 0
               ? write_again(path, all, codec, err)
               : dvm_error_set(err, -ENOMEM, "out of memory");
  free(lines);
  free(all);
  free(path);
  return rc;
}

int dvmt_calibrate_job(const struct dvmt_launch *launch, struct dvmt_job *job, enum dvmt_codec codec, struct dvm_error *err) {
  struct dvm_text masks = DVM_TEXT_INIT;
  int rc = (job->parallel ? find_parallel(launch, job, &masks, err) : find_ranks(launch, job, &masks, err));
  if (!rc && masks.failed)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  for (size_t r = 0; r < job->nranks && masks.len && !rc; r++)
    rc = mask_rank(launch->job, job->rank[r], r, dvm_text_str(&masks), codec, err);
  dvm_text_fini(&masks);
  return rc;
}

/* ---- what a trace says ------------------------------------------------------------------------------------------------------------------- */

static int add_mask(struct dvmt_select *ignore, const char *text, struct dvm_error *err) {
  int rc = dvmt_select_add(ignore, text, err);
  if (!rc)
    ignore->row[ignore->n - 1].hit = true; /* nobody has mistyped it */
  return rc;
}

static int read_masks(const struct dvmt_reader *r, struct dvmt_select *ignore, bool whole, struct dvm_error *err) {
  const char *value = dvmt_reader_meta(r, "mask");
  char *text = value ? strdup(value) : NULL, *rest = text, variable[600];
  const char between[] = {BETWEEN, 0};
  int rc = 0;
  for (char *one; !rc && rest && (one = strsep(&rest, between));) {
    snprintf(variable, sizeof(variable), "variable:%.*s", (int)strcspn(one, "@"), one);
    if (*one)
      rc = add_mask(ignore, whole ? variable : one, err);
  }
  free(text);
  return rc;
}

int dvmt_calibrated(const struct dvmt_reader *r, struct dvmt_select *ignore, struct dvm_error *err) {
  return read_masks(r, ignore, false, err);
}

int dvmt_calibrated_sums(const struct dvmt_reader *r, struct dvmt_select *ignore, struct dvm_error *err) {
  const char *level = dvmt_reader_meta(r, "level");
  return read_masks(r, ignore, !level || strcmp(level, "checksum") != 0, err);
}
