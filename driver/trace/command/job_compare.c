#define _GNU_SOURCE
#include "driver/trace/command/job_compare.h"
#include "driver/trace/command/feed.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/job_places.h"
#include "driver/trace/command/job_private.h"
#include "driver/trace/command/job_results.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/command/meta.h"
#include "driver/trace/command/report_file.h"
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/format/writer.h"
#include "driver/trace/job/project.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- programs -------------------------------------------------------------------------------------------------------------------- */

bool dvmt_job_is_parallel(char *const *command) {
  char path[4096];
  return dvmt_job_program(command, path, sizeof(path));
}

/* ---- both sides reduced to what any number of ranks has ------------------------------------------------------------------------------ */

/* Ranks of a reference that do not fit together. */
static void warn(void *arg, const char *text, const char *variable, const char *message) {
  char place[512] = "";
  struct dvmt_where w = text ? dvmt_site_where(text) : (struct dvmt_where){{NULL, 0}, 0, 0};
  (void)variable;
  dvmt_where_text(&w, place, sizeof(place));
  fprintf(stderr, "%s%sdvm: warning: of '%s': %s\n", w.file.s ? place : "", w.file.s ? ": " : "", (const char *)arg, message);
}

/* The ordinary trace at 'path' to a sink that takes what is left of it. */
static int project(const char *path, struct dvmt_sink *out, uint64_t *sums, struct dvm_error *err) {
  struct dvmt_reader *r = dvmt_file_open(path, err);
  const char *level = r ? dvmt_reader_meta(r, "level") : NULL;
  struct dvmt_project *p = r ? dvmt_project_create(out, !level || strcmp(level, "checksum") != 0) : NULL;
  int rc = !r ? err->code : p ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    rc = dvmt_feed_sink(r, dvmt_project_sink(p), err);
  if (!rc && sums)
    *sums = dvmt_project_sums(p);
  level = !rc && r ? dvmt_reader_meta(r, "level") : NULL;
  if (!rc && sums && !*sums && dvmt_project_constructs(p))
    fprintf(stderr, "dvm: warning: '%s' has no sums of arrays (its level is %s): record it with '--level checksum'\n", path,
            level ? level : "?");
  dvmt_project_destroy(p);
  dvmt_reader_close(r);
  return rc;
}

static int reduce(const struct dvmt_side *s, const char *to, struct dvmt_join_totals *totals, struct dvm_error *err) {
  struct dvmt_writer *w = dvmt_writer_create(to, "level checksum\n", DVMT_CODEC_ZSTD, err);
  struct dvm_error close_err = DVM_ERROR_INIT;
  if (!w)
    return err->code;
  *totals = (struct dvmt_join_totals){0};
  const struct dvmt_join_options options = {.out = dvmt_writer_sink(w), .differ = warn, .arg = (void *)(uintptr_t)s->path};
  int rc = s->job->nranks ? dvmt_join(s->job, &options, totals, err) : project(s->path, options.out, &totals->sums, err);
  int close_rc = dvmt_writer_close(w, true, NULL, &close_err);
  if (!rc && close_rc) {
    *err = close_err;
    rc = close_rc;
  }
  return rc;
}

/* ---- the comparison ------------------------------------------------------------------------------------------------------------------ */

/* Ranks of the run that do not fit together. */
static void differ(void *arg, const char *text, const char *variable, const char *message) {
  struct dvmt_comparing *x = arg;
  if (!text || !variable || !dvmt_select_has(&x->o->ignore, variable, text))
    dvmt_cmp_structure(x->c, variable, variable, text, message);
}

int dvmt_job_begin(struct dvmt_comparing *x, const struct dvmt_side *s, const struct dvmt_compare_options *wanted, struct dvm_error *err) {
  struct dvmt_compare_options options = *wanted;
  options.by_sums = true;
  struct dvmt_join_totals totals;
  struct dvmt_summary summary;
  int rc = cc_folder_create(x->folder, "compare", err);
  if (rc)
    return rc;
  snprintf(x->reference, sizeof(x->reference), "%s/reference", x->folder);
  snprintf(x->results, sizeof(x->results), "%s/results", x->folder);
  snprintf(x->run, sizeof(x->run), "%s/run", x->folder);
  rc = reduce(s, x->reference, &totals, err);
  if (!rc && !(x->a = dvmt_reader_open(x->reference, err)))
    rc = err->code;
  if (!rc && !(rc = dvmt_reader_summary(x->a, &summary, err))) {
    x->o->report.records = summary.records;
    options.cut = totals.torn ? "is torn" : NULL;
  }
  if (!rc && !(x->c = dvmt_compare_create(x->a, &options)))
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  return rc;
}

void dvmt_job_end(struct dvmt_comparing *x) {
  dvmt_html_destroy(x->html);
  dvmt_compare_destroy(x->c);
  dvmt_reader_close(x->a);
  cc_folder_remove(x->folder);
}

static void note_part(void *arg, size_t rank, const char *variable, const char *own) {
  dvmt_html_part(((struct dvmt_comparing *)arg)->html, variable, rank, own, strcspn(own, "\n"));
}

static int join_run(struct dvmt_comparing *x, const struct dvmt_job *job, struct dvmt_join_totals *totals, struct dvm_error *err) {
  const struct dvmt_join_options options = {.out = dvmt_compare_sink(x->c), .differ = differ, .part = x->html ? note_part : NULL, .arg = x};
  return dvmt_join(job, &options, totals, err);
}

int dvmt_job_run(struct dvmt_comparing *x, char *const *command, int *status, struct dvm_error *err) {
  struct dvmt_job job = {0};
  struct dvmt_join_totals totals = {0};
  bool recorded = false;
  char cut[64];
  int rc = dvmt_job_results(x->results, x->c, x->a, x->o, command, err);
  struct dvmt_project *p = rc ? NULL : dvmt_project_create(dvmt_compare_sink(x->c), false);
  if (!rc && !p)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc) {
    const struct dvmt_launch launch = {
        .command = command, .level = "checksum", .job = x->run, .meta = "level checksum\n", .results = x->results};
    rc = dvmt_launch(&launch, dvmt_project_sink(p), status, &recorded, err);
  }
  int found = rc || recorded ? 0 : dvmt_job_open_streams(&job, x->run, err);
  if (!rc && found < 0)
    rc = found;
  else if (!rc && !recorded && !found)
    rc =
        dvm_error_set(err, -EPROTO, "'%s' recorded nothing: compile and link it with 'dvmcc -fdvm=parallel', or '-fdvm=trace'", command[0]);
  else if (found && !job.parallel)
    rc = dvm_error_set(err, -EINVAL, "the run is one of processes that call MPI themselves: they are compared with a reference of as many");
  if (!rc && found)
    rc = join_run(x, &job, &totals, err);
  if (found > 0)
    dvmt_launch_note_killed(*status);
  const char *how = rc ? NULL : dvmt_launch_cut(*status, cut, sizeof(cut));
  if (!rc)
    rc = dvmt_compare_end(x->c, how ? how : totals.torn ? "is torn" : NULL, totals.torn, err);
  dvmt_project_destroy(p);
  dvmt_job_close(&job);
  return rc;
}

/* The report, and the page.  1: something differs. */
static int report(struct dvmt_comparing *x, const char *title, struct dvm_error *err) {
  int64_t errors = dvmt_report_close(&x->o->report, x->c, err);
  int rc = errors < 0 ? (int)errors : 0;
  if (!rc)
    dvmt_cli_note_unused(x->o);
  if (!rc && x->html)
    rc = dvmt_html_write(x->html, (const struct dvmt_compare *const *)&x->c, 1, x->o->report.closing, x->o->html, title, err);
  return rc ? rc : errors > 0;
}

static struct dvmt_compare_options options_of(struct dvmt_comparing *x) {
  struct dvmt_compare_options options = x->o->compare;
  x->html = x->o->html ? dvmt_html_create() : NULL;
  if (x->html) {
    options.spot = dvmt_html_spot;
    options.spot_arg = x->html;
  }
  return options;
}

static int compare_parallel(struct dvmt_cli *o, const struct dvmt_side *s, char *const *command, int *status, struct dvm_error *err) {
  struct dvmt_comparing x = {.o = o};
  const struct dvmt_compare_options options = options_of(&x);
  int rc = dvmt_job_begin(&x, s, &options, err);
  if (!rc)
    rc = dvmt_job_run(&x, command, status, err);
  if (!rc)
    rc = report(&x, command[0], err);
  dvmt_job_end(&x);
  return rc;
}

/* ---- processes: each rank with its partner -------------------------------------------------------------------------------------------- */

static int compare_rank(struct dvmt_cli *o, struct dvmt_html *html, struct dvmt_reader *a, struct dvmt_reader *b, int rank, const char *cut,
                        struct dvmt_compare **kept, struct dvm_error *err) {
  struct dvmt_summary sa, sb;
  struct dvmt_compare *c = NULL;
  char who[32];
  int64_t errors = 0;
  snprintf(who, sizeof(who), "rank %d: ", rank);
  int rc = dvmt_reader_summary(a, &sa, err) ? err->code : dvmt_reader_summary(b, &sb, err);
  if (rc)
    return rc;
  o->report.who = who;
  o->report.records = sa.records;
  o->report.shown = 0;
  o->compare.cut = !sa.whole ? "is torn" : !sa.complete ? "was cut before its program ended" : NULL;
  if (html) {
    dvmt_html_rank(html, rank);
    o->compare.spot = dvmt_html_spot;
    o->compare.spot_arg = html;
  }
  if (!(c = dvmt_compare_create(a, &o->compare)))
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    rc = dvmt_feed(b, c, err);
  if (!rc)
    rc = dvmt_compare_end(c, !sb.whole ? (cut ? cut : "is torn") : NULL, !sb.whole, err);
  if (!rc && (errors = dvmt_report_close(&o->report, c, err)) < 0)
    rc = (int)errors;
  *kept = c;
  o->compare.spot = NULL;
  o->report.who = NULL;
  return rc ? rc : errors > 0;
}

static int compare_ranks(struct dvmt_cli *o, const struct dvmt_job *a, const struct dvmt_job *b, const char *title, const char *cut,
                         struct dvm_error *err) {
  int differ = 0;
  if (a->nranks != b->nranks)
    return dvm_error_set(err, -EINVAL, "the reference has %zu ranks, the run %zu: processes are compared rank by rank", a->nranks,
                         b->nranks);
  struct dvmt_compare **c = calloc(a->nranks + 1, sizeof(*c));
  struct dvmt_html *html = o->html ? dvmt_html_create() : NULL;
  int rc = c && (html || !o->html) ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
  for (size_t r = 0; r < a->nranks && rc >= 0; r++) {
    rc = compare_rank(o, html, a->rank[r], b->rank[r], (int)r, cut, &c[r], err);
    differ |= rc;
  }
  for (int i = 0; i < o->report.nfiles && rc >= 0; i++)
    rc = dvmt_report_write(o->report.file[i], (const struct dvmt_compare *const *)c, a->nranks, true, err);
  if (html && rc >= 0 &&
      (rc = dvmt_html_write(html, (const struct dvmt_compare *const *)c, a->nranks, o->report.closing, o->html, title, err)) > 0)
    rc = -rc;
  dvmt_html_destroy(html);
  for (size_t r = 0; c && r < a->nranks; r++)
    dvmt_compare_destroy(c[r]);
  free(c);
  return rc < 0 ? rc : differ;
}

/* As the reference was recorded. */
static int compare_processes(struct dvmt_cli *o, const struct dvmt_job *reference, char *const *command, int *status,
                             struct dvm_error *err) {
  struct dvmt_writer *nowhere = dvmt_writer_create(NULL, "", DVMT_CODEC_NONE, err); /* for what one process alone records */
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct dvmt_job job = {0};
  char folder[CC_TEMPORARY_MAX], run[CC_TEMPORARY_MAX + 16], config[CC_TEMPORARY_MAX + 16], cut[64];
  char *level = dvmt_reader_meta(reference->rank[0], "level") ? strdup(dvmt_reader_meta(reference->rank[0], "level")) : NULL;
  char *text = dvmt_meta_config(reference->rank[0]);
  bool recorded = false;
  int rc = nowhere ? cc_folder_create(folder, "compare", err) : err->code;
  snprintf(run, sizeof(run), "%s/run", folder);
  snprintf(config, sizeof(config), "%s/config", folder);
  FILE *f = rc || !text ? NULL : fopen(config, "we");
  if (!rc && text && (!f || fputs(text, f) < 0 || fclose(f)))
    rc = dvm_error_errno(err, "cannot write '%s'", config);
  if (!rc) {
    const struct dvmt_launch launch = {.command = command,
                                       .level = level,
                                       .config = o->config_path ? o->config_path
                                                 : text         ? config
                                                                : NULL,
                                       .job = run,
                                       .meta = ""};
    rc = dvmt_launch(&launch, dvmt_writer_sink(nowhere), status, &recorded, err);
  }
  int found = rc ? 0 : dvmt_job_open_streams(&job, run, err);
  if (!rc && found <= 0)
    rc = found ? found
               : dvm_error_set(err, -EPROTO,
                               "the reference is of a job, and '%s' has recorded no ranks: start it by a launcher, compiled and linked "
                               "with 'dvmcc -fdvm=trace'",
                               command[0]);
  if (!rc)
    rc = compare_ranks(o, reference, &job, command[0], dvmt_launch_cut(*status, cut, sizeof(cut)), err);
  dvmt_job_close(&job);
  if (nowhere) {
    dvmt_writer_close(nowhere, true, NULL, &ignored);
    cc_folder_remove(folder);
  }
  free(level);
  free(text);
  return rc;
}

int dvmt_job_compare(struct dvmt_cli *o, const char *reference, struct dvmt_job *job, char *const *command, int *status,
                     struct dvm_error *err) {
  const struct dvmt_side s = {reference, job};
  bool parallel = !job->nranks || job->parallel;
  int rc = dvmt_job_check(o, parallel, err);
  if (rc)
    return rc;
  if (parallel)
    return (o->bisect ? dvmt_job_bisect : compare_parallel)(o, &s, command, status, err);
  return compare_processes(o, job, command, status, err);
}

int dvmt_job_diff(struct dvmt_cli *o, char *const *paths, struct dvmt_job jobs[2], struct dvm_error *err) {
  struct dvmt_comparing x = {.o = o};
  struct dvmt_join_totals totals = {0};
  bool processes[2] = {jobs[0].nranks && !jobs[0].parallel, jobs[1].nranks && !jobs[1].parallel};
  int rc = dvmt_job_check(o, !processes[0] && !processes[1], err);
  if (!rc && processes[0] != processes[1])
    rc = dvm_error_set(err, -EINVAL, "'%s' is of processes that call MPI themselves, '%s' is not: compare single ranks, as in '%s.0'",
                       paths[processes[1]], paths[processes[0]], paths[processes[1]]);
  if (!rc && processes[0])
    rc = compare_ranks(o, &jobs[0], &jobs[1], paths[1], NULL, err);
  if (rc || processes[0])
    return rc > 0 ? o->exitcode : rc;
  const struct dvmt_compare_options options = options_of(&x);
  rc = dvmt_job_begin(&x, &(struct dvmt_side){paths[0], &jobs[0]}, &options, err);
  if (!rc)
    rc = jobs[1].nranks ? join_run(&x, &jobs[1], &totals, err) : project(paths[1], dvmt_compare_sink(x.c), NULL, err);
  if (!rc)
    rc = dvmt_compare_end(x.c, totals.torn ? "is torn" : NULL, totals.torn, err);
  if (!rc)
    rc = report(&x, paths[1], err);
  dvmt_job_end(&x);
  return rc > 0 ? o->exitcode : rc;
}
