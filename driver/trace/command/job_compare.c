#define _GNU_SOURCE
#include "driver/trace/command/job_compare.h"
#include "driver/trace/command/calibrate.h"
#include "driver/trace/command/feed.h"
#include "driver/trace/command/files.h"
#include "driver/trace/job/places.h"
#include "driver/trace/command/job_private.h"
#include "driver/trace/command/job_results.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/command/meta.h"
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
static int project(const char *path, struct dvmt_sink *out, const struct dvmt_config *elements, bool valued, uint64_t *sums,
                   struct dvm_error *err) {
  struct dvmt_reader *r = dvmt_file_open(path, err);
  struct dvmt_project *p = r ? dvmt_project_create(out, valued, elements) : NULL;
  int rc = !r ? err->code : p ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    rc = dvmt_feed_sink(r, dvmt_project_sink(p), err);
  if (!rc && sums)
    *sums = dvmt_project_sums(p);
  const char *level = !rc && r ? dvmt_reader_meta(r, "level") : NULL;
  if (!rc && sums && !elements && !*sums && dvmt_project_constructs(p))
    fprintf(stderr, "dvm: warning: '%s' has no sums of arrays (its level is %s): record it with '--level checksum'\n", path,
            level ? level : "?");
  dvmt_project_destroy(p);
  dvmt_reader_close(r);
  return rc;
}

static bool is_valued(const struct dvmt_reader *r) {
  const char *level = dvmt_reader_meta(r, "level");
  return (!level || strcmp(level, "checksum") != 0) && !dvmt_reader_meta(r, "config");
}

static int reduce(const struct dvmt_side *s, const struct dvmt_job_levels *l, const char *to, struct dvmt_join_totals *totals,
                  struct dvm_error *err) {
  struct dvmt_writer *w = dvmt_writer_create(to, "level checksum\n", DVMT_CODEC_ZSTD, err);
  struct dvm_error close_err = DVM_ERROR_INIT;
  if (!w)
    return err->code;
  *totals = (struct dvmt_join_totals){0};
  const struct dvmt_join_options options = {.out = dvmt_writer_sink(w), .differ = warn, .arg = (void *)(uintptr_t)s->path};
  int rc = s->job->nranks ? dvmt_join(s->job, &options, totals, err)
                          : project(s->path, options.out, l->elements ? &l->reference : NULL, l->valued, &totals->sums, err);
  int close_rc = dvmt_writer_close(w, true, NULL, &close_err);
  if (close_rc && !err->code) { /* what the sink has met, too */
    *err = close_err;
    rc = close_rc;
  }
  return rc && !err->code ? dvm_error_set(err, rc, "cannot write '%s': %s", to, strerror(-rc)) : rc;
}

/* ---- the comparison ------------------------------------------------------------------------------------------------------------------ */

/* Ranks of the run that do not fit together. */
static void differ(void *arg, const char *text, const char *variable, const char *message) {
  struct dvmt_comparing *x = arg;
  if (!text || !variable || !dvmt_select_has(&x->o->ignore, variable, text))
    dvmt_cmp_structure(x->c, variable, variable, text, message);
}

/* Each side is left with what both have. */
static void set_levels(struct dvmt_compare_options *options, const struct dvmt_job_levels *l) {
  options->limited = l->limited;
  options->run_recorded = l->any ? &l->reference : NULL; /* places of the reference, of which it leaves what the run has */
  options->reference_recorded = l->any ? &l->run : NULL;
}

int dvmt_job_begin(struct dvmt_comparing *x, const struct dvmt_side *s, const struct dvmt_compare_options *wanted, char *const *command,
                   struct dvmt_reader *other, struct dvm_error *err) {
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
  rc = dvmt_job_levels_find(&x->levels, x->o, s, command, other, command ? x->folder : NULL, err);
  if (!rc)
    rc = dvmt_calibrated_sums(x->levels.reader, &x->o->ignore, err);
  if (!rc)
    rc = reduce(s, &x->levels, x->reference, &totals, err);
  if (!rc && !(x->a = dvmt_reader_open(x->reference, err)))
    rc = err->code;
  if (!rc && !(rc = dvmt_reader_summary(x->a, &summary, err))) {
    x->o->report.records = summary.records;
    options.cut = totals.torn ? "is torn" : NULL;
  }
  set_levels(&options, &x->levels);
  if (!rc && !(x->c = dvmt_compare_create(x->a, &options)))
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  x->replay = (struct dvmt_replay){.report = &x->o->report, .partial = options.partial};
  if (!rc && x->levels.elements && !(x->elements = job_elements_create(&x->levels, s->path, x->a, x->c, &x->replay, x->html, err)))
    rc = err->code;
  return rc;
}

void dvmt_job_end(struct dvmt_comparing *x) {
  job_elements_destroy(x->elements);
  dvmt_html_destroy(x->html);
  dvmt_compare_destroy(x->c);
  dvmt_reader_close(x->a);
  dvmt_job_levels_fini(&x->levels);
  cc_folder_remove(x->folder);
}

static void note_part(void *arg, size_t rank, const char *variable, const char *own) {
  dvmt_html_part(((struct dvmt_comparing *)arg)->html, variable, rank, own, strcspn(own, "\n"));
}

static int take_elements(void *arg, struct dvmt_shape *shape, int64_t construct, uint32_t number, struct dvmt_images *images,
                         struct dvm_error *err) {
  struct dvmt_comparing *x = arg;
  return job_elements_step(x->elements, shape, construct, number, images, err);
}

static int join_run(struct dvmt_comparing *x, const struct dvmt_job *job, struct dvmt_join_totals *totals, struct dvm_error *err) {
  const struct dvmt_join_options options = {.out = dvmt_compare_sink(x->c),
                                            .differ = differ,
                                            .part = x->html ? note_part : NULL,
                                            .elements = x->elements ? take_elements : NULL,
                                            .arg = x};
  int rc = dvmt_join(job, &options, totals, err);
  x->replay.images = NULL; /* they are gone */
  return rc;
}

int dvmt_job_run(struct dvmt_comparing *x, char *const *command, int *status, struct dvm_error *err) {
  struct dvmt_job job = {0};
  struct dvmt_join_totals totals = {0};
  bool recorded = false;
  char cut[64];
  int rc = dvmt_job_results(x->results, x->c, x->a, x->o, command, err);
  struct dvmt_project *p = rc ? NULL : dvmt_project_create(dvmt_compare_sink(x->c), false, NULL);
  if (!rc && !p)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc) {
    const bool levels = x->levels.any;
    const struct dvmt_launch launch = {.command = command,
                                       .level = levels ? NULL : "checksum",
                                       .config = levels ? x->levels.path : NULL,
                                       .quiet = x->quiet,
                                       .job = x->run,
                                       .meta = "",
                                       .results = x->results};
    rc = dvmt_launch(&launch, dvmt_project_sink(p), status, &recorded, err);
  }
  int found = rc || recorded ? 0 : dvmt_job_open_streams(&job, x->run, err);
  if (!rc && found < 0)
    rc = found;
  else if (!rc && !recorded && !found)
    rc = dvmt_launch_nothing(command, *status, dvmt_job_is_parallel(command) ? NULL : "'dvmcc -fdvm=parallel', or '-fdvm=trace'", err);
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
static int report(struct dvmt_comparing *x, char *const *run, struct dvm_error *err) {
  int64_t errors = dvmt_report_close(&x->o->report, x->c, err);
  int rc = errors < 0 ? (int)errors : 0;
  if (!rc)
    dvmt_cli_note_unused(x->o);
  const struct dvmt_html_of of = {run, x->o->report.reference, x->o->report.closing};
  if (!rc && x->html)
    rc = dvmt_html_write(x->html, (const struct dvmt_compare *const *)&x->c, 1, &of, x->o->html, err);
  return rc ? rc : errors > 0;
}

static struct dvmt_compare_options options_of(struct dvmt_comparing *x) {
  struct dvmt_compare_options options = x->o->compare;
  options.found = dvmt_replay_found;
  options.note = dvmt_replay_note;
  options.arg = &x->replay;
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
  int rc = dvmt_job_begin(&x, s, &options, command, NULL, err);
  if (!rc)
    rc = dvmt_job_run(&x, command, status, err);
  if (!rc)
    rc = report(&x, command, err);
  dvmt_job_end(&x);
  return rc;
}

int dvmt_job_compare(struct dvmt_cli *o, const char *reference, struct dvmt_job *job, char *const *command, int *status,
                     struct dvm_error *err) {
  const struct dvmt_side s = {reference, job};
  bool parallel = !job->nranks || job->parallel;
  int rc = dvmt_job_check(o, parallel, err);
  if (rc)
    return rc;
  dvmt_job_note_torn(job, reference);
  if (parallel)
    return (o->bisect ? dvmt_job_bisect : compare_parallel)(o, &s, command, status, err);
  return dvmt_job_ranks_compare(o, job, command, status, err);
}

int dvmt_job_diff(struct dvmt_cli *o, char *const *paths, struct dvmt_job jobs[2], struct dvm_error *err) {
  struct dvmt_comparing x = {.o = o};
  struct dvmt_join_totals totals = {0};
  bool processes[2] = {jobs[0].nranks && !jobs[0].parallel, jobs[1].nranks && !jobs[1].parallel};
  int rc = dvmt_job_check(o, !processes[0] && !processes[1], err);
  if (!rc && processes[0] != processes[1])
    rc = dvm_error_set(err, -EINVAL, "'%s' is of processes that call MPI themselves, '%s' is not: compare single ranks, as in '%s.0'",
                       paths[processes[1]], paths[processes[0]], paths[processes[1]]);
  for (int i = 0; !rc && i < 2; i++)
    dvmt_job_note_torn(&jobs[i], paths[i]);
  if (!rc && processes[0])
    rc = dvmt_job_ranks(o, &jobs[0], &jobs[1], paths + 1, NULL, err);
  if (rc || processes[0])
    return rc > 0 ? o->exitcode : rc;
  const struct dvmt_compare_options options = options_of(&x);
  struct dvmt_reader *b = jobs[1].nranks ? jobs[1].rank[0] : dvmt_file_open(paths[1], err);
  rc = b ? dvmt_job_begin(&x, &(struct dvmt_side){paths[0], &jobs[0]}, &options, NULL, b, err) : err->code;
  const struct dvmt_config *elements = x.levels.elements ? &x.levels.run : NULL;
  if (!rc)
    rc = jobs[1].nranks ? join_run(&x, &jobs[1], &totals, err)
                        : project(paths[1], dvmt_compare_sink(x.c), elements, is_valued(b), NULL, err);
  if (b && !jobs[1].nranks)
    dvmt_reader_close(b);
  if (!rc)
    rc = dvmt_compare_end(x.c, totals.torn ? "is torn" : NULL, totals.torn, err);
  if (!rc)
    rc = report(&x, paths + 1, err);
  dvmt_job_end(&x);
  return rc > 0 ? o->exitcode : rc;
}
