/* From a construct to its elements: the reference's program records that execution again; the parallel program tells what each rank has of
 * the arrays behind it, and which iterations are whose.  The reference's records are then compared with themselves, where the last value
 * of each element is the one that its owner is left with. */
#define _GNU_SOURCE
#include "driver/trace/command/bisect.h"
#include "driver/trace/command/feed.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/job_again.h"
#include "driver/trace/command/job_private.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/command/replay.h"
#include "driver/trace/command/steps.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/writer.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct searching {
  struct dvmt_cli *o;
  struct dvmt_steps steps;
  bool shared_first;            /* before all of them a variable differs that no clause names: no element explains it */
  const char *program;          /* build id of the reference's, or NULL */
  char *again;                  /* command line of the reference's; owned */
  bool of_job;                  /* it is one of ranks */
  char *const *command;
  const char *results, *folder;
  char config[CC_TEMPORARY_MAX + 16], trace[CC_TEMPORARY_MAX + 16], run[CC_TEMPORARY_MAX + 16], said[CC_TEMPORARY_MAX + 16];
};

/* ---- one run of both -------------------------------------------------------------------------------------------------------------- */

/* Of a reference that is a job too, and which nobody has recorded: made of what its ranks have. */
static int record_job(const struct searching *b, const struct dvmt_step *step, const struct dvmt_images *run, struct dvm_error *err) {
  char *const command[] = {"/bin/sh", "-c", b->again, NULL};
  const struct job_again a = {.command = command, .folder = b->folder, .program = b->program, .reference = true};
  struct dvmt_images *reference = run ? job_again_run(&a, step->in_reference, step->reference_execution, err) : NULL;
  int rc = reference ? job_again_write(b->trace, reference, run, step, err) : err->code;
  dvmt_images_destroy(reference);
  return rc;
}

static int record_alone(const struct searching *b, const struct dvmt_step *step, struct dvm_error *err) {
  int rc = dvmt_bisect_config(b->config, step->in_reference, step->reference_execution, err);
  return rc ? rc : dvmt_bisect_record(b->again, b->config, b->trace, true, false, err);
}

/* 1: values behind this step differ beyond the tolerance, or iterations are not executed once; 0; -E... */
static int attempt(void *arg, const struct dvmt_step *step, bool report, struct dvm_error *err) {
  const struct searching *b = arg;
  struct dvmt_html *html = report && b->o->html ? dvmt_html_create() : NULL;
  struct dvmt_compare_options options = b->o->compare;
  struct dvmt_replay replay = {
      .report = report ? &b->o->report : NULL, .alone = true, .of_job = b->of_job, .partial = b->o->compare.partial};
  const struct job_again again = {.command = b->command, .folder = b->folder, .results = b->results};
  int64_t errors = 0;
  int rc = b->of_job ? 0 : record_alone(b, step, err);
  struct dvmt_images *images = rc ? NULL : job_again_run(&again, step->construct, step->execution, err);
  if (images && b->of_job)
    rc = record_job(b, step, images, err);
  struct dvmt_reader *r = images && !rc ? dvmt_reader_open(b->trace, err) : NULL;
  if (r && b->program && !dvmt_bisect_is_program(r, b->program))
    rc = dvm_error_set(err, -EINVAL, "the reference's program has been rebuilt since: keep a copy of it for '--bisect' (%s)", b->again);
  options.found = report ? dvmt_replay_found : NULL;
  options.note = dvmt_replay_note;
  options.arg = &replay;
  options.nrenames = 0; /* the reference's records, with the ranks' values put in */
  options.spot = html ? dvmt_html_spot : NULL;
  options.spot_arg = html;
  struct dvmt_compare *c = r && !rc ? dvmt_compare_create(r, &options) : NULL;
  if (!rc && !c)
    rc = err->code ? err->code : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    rc = dvmt_replay(&replay, c, r, images, step, err);
  if (!rc)
    rc = dvmt_compare_end(c, NULL, false, err);
  for (size_t i = 0; !rc && i < dvmt_compare_nfindings(c); i++)
    errors += !dvmt_compare_finding(c, i)->warning;
  if (!rc && report && (errors = dvmt_report_close(&b->o->report, c, err)) < 0)
    rc = (int)errors;
  for (size_t i = 0; !rc && html && dvmt_images_at(images, i); i++) {
    const struct dvmt_image *image = dvmt_images_at(images, i);
    dvmt_html_owners(html, image->def.name, image->owner, image->bytes / image->def.element_bytes);
  }
  const struct dvmt_html_of of = {b->command, b->o->report.reference, b->o->report.closing};
  if (!rc && html)
    rc = dvmt_html_write(html, (const struct dvmt_compare *const *)&c, 1, &of, b->o->html, err);
  dvmt_html_destroy(html);
  dvmt_compare_destroy(c);
  dvmt_reader_close(r);
  dvmt_images_destroy(images);
  return rc ? rc : errors > 0;
}

/* ---- why -------------------------------------------------------------------------------------------------------------------------- */

/* Of a reduction that is evaluated a second time: it is the cause only where the first evaluation gives something else. */
static bool is_told_otherwise(const char *line, const struct dvmt_finding *result) {
  const char *give = strstr(line, "[dvm-reduction-mismatch]") ? strstr(line, " give ") : NULL;
  if (!strstr(line, "[dvm-reduction-mismatch]"))
    return true;
  if (!result || !result->value || !give)
    return false;
  double first = strtod(result->value, NULL), second = strtod(give + 6, NULL);
  return fabs(first - second) > 1e-6 * (fabs(first) + fabs(second));
}

/* What the run itself says when it looks at each access: the wrong directive, if it is one that ranks can see. */
static void say_cause(const struct searching *b, const struct dvmt_finding *result) {
  struct dvmt_writer *nowhere;
  struct dvm_error ignored = DVM_ERROR_INIT;
  int status;
  bool recorded = false, said = false;
  char *line = NULL;
  size_t room = 0;
  const struct dvmt_launch launch = {.command = b->command,
                                     .level = "checksum",
                                     .quiet = true,
                                     .job = b->run,
                                     .meta = "level checksum\n",
                                     .results = b->results,
                                     .options = "poison=1",
                                     .said = b->said};
  if (!(nowhere = dvmt_writer_create(NULL, "", DVMT_CODEC_NONE, &ignored)))
    return;
  int rc = dvmt_launch(&launch, dvmt_writer_sink(nowhere), &status, &recorded, &ignored);
  dvmt_writer_close(nowhere, true, NULL, &ignored);
  dvmt_job_sweep(b->run);
  FILE *f = rc ? NULL : fopen(b->said, "re");
  while (f && getline(&line, &room, f) > 0) {
    bool error = strstr(line, ": error: ") && strstr(line, "[dvm-") && is_told_otherwise(line, result);
    if (said && !strncmp(line, "help: ", 6)) {
      fputs(line, stderr);
      break;
    }
    if (said)
      break;
    if (error) {
      fprintf(stderr, "dvm: run with 'poison=1', which looks at each access, it says:\n%s", line);
      said = true;
    }
  }
  free(line);
  if (f)
    fclose(f);
}

/* ---- all -------------------------------------------------------------------------------------------------------------------------- */

static bool is_of_iterations(const struct dvmt_finding *f) {
  return !strcmp(f->variable, "lost iteration") || !strcmp(f->variable, "repeated iteration");
}

static bool is_of_array(const struct dvmt_finding *f) { return f->id == DVMT_FOUND_VALUE && !f->reference_value; }

/* A result of a reduction differs, and no array that the same execution writes: no element explains it. */
static bool is_result(const struct dvmt_compare *c) {
  const struct dvmt_finding *f = dvmt_compare_nfindings(c) ? dvmt_compare_finding(c, 0) : NULL;
  if (!f || f->id != DVMT_FOUND_VALUE || !f->reference_value)
    return false;
  for (size_t i = 1; i < dvmt_compare_nfindings(c); i++) {
    const struct dvmt_finding *other = dvmt_compare_finding(c, i);
    if (is_of_array(other) && other->execution == f->execution && other->construct && f->construct &&
        !strcmp(other->construct, f->construct))
      return false;
  }
  return true;
}

/* Of variables that are no arrays there are no elements to look at. */
static void take_spot(void *arg, const struct dvmt_spot *s) {
  struct searching *b = arg;
  if (!s->shared)
    dvmt_steps_spot(&b->steps, s);
  else
    b->shared_first |= !b->steps.n;
}

/* Ranks that differ among themselves no element explains. */
static bool is_first_by_sums(const struct dvmt_compare *c, const struct searching *b) {
  const struct dvmt_finding *f = b->steps.n && !b->shared_first && dvmt_compare_nfindings(c) ? dvmt_compare_finding(c, 0) : NULL;
  return f && (f->id == DVMT_FOUND_VALUE || is_of_iterations(f)) && !is_result(c);
}

/* They do not stay wrong as values do: the first construct is the place. */
static int search_iterations(struct searching *b, struct dvm_error *err) {
  struct dvmt_where w = dvmt_site_where(b->steps.row[0].construct);
  fprintf(stderr, "dvm: execution %llu of the construct at %.*s:%u is the first whose iterations differ; running both programs again\n",
          (unsigned long long)b->steps.row[0].execution, (int)w.file.n, w.file.s, w.line);
  return attempt(b, &b->steps.row[0], true, err);
}

static int report_sums(struct dvmt_cli *o, const struct dvmt_compare *c, struct dvm_error *err) {
  for (size_t i = 0; i < dvmt_compare_nfindings(c); i++)
    dvmt_report_found(&o->report, dvmt_compare_finding(c, i));
  int64_t errors = dvmt_report_close(&o->report, c, err);
  return errors > 0 ? 1 : (int)errors;
}

static int prepare(struct searching *b, const struct dvmt_side *s, struct dvm_error *err) {
  struct dvmt_reader *r = s->job->nranks ? dvmt_reader_again(s->job->rank[0], err) : dvmt_file_open(s->path, err);
  struct dvmt_record first;
  if (!r)
    return err->code;
  int rc = dvmt_reader_next(r, &first, err) < 0 ? err->code : 0;
  const char *program = rc ? NULL : dvmt_reader_program(r);
  if (program)
    b->program = strdup(program);
  if (!rc && (!(b->again = dvmt_bisect_again(r)) || (program && !b->program)))
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  dvmt_reader_close(r);
  return rc;
}

int dvmt_job_bisect(struct dvmt_cli *o, const struct dvmt_side *s, char *const *command, int *status, struct dvm_error *err) {
  struct searching b = {.o = o, .command = command};
  struct dvmt_comparing x = {.o = o};
  struct dvmt_compare_options options = o->compare;
  if (s->job->nranks && o->compare.partial)
    return dvm_error_set(err, -EINVAL, "'--bisect' with '--partial' needs the reference of a sequential run, and '%s' is of a job",
                         s->path);
  b.of_job = s->job->nranks > 0;
  options.found = NULL;
  options.spot = take_spot;
  options.spot_arg = &b;
  int rc = prepare(&b, s, err);
  if (!rc)
    rc = dvmt_job_begin(&x, s, &options, command, NULL, err);
  if (!rc)
    rc = dvmt_job_run(&x, command, status, err);
  if (!rc && b.steps.failed)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  b.results = x.results;
  b.folder = x.folder;
  snprintf(b.config, sizeof(b.config), "%s/config", x.folder);
  snprintf(b.trace, sizeof(b.trace), "%s/trace", x.folder);
  snprintf(b.run, sizeof(b.run), "%s/again", x.folder);
  snprintf(b.said, sizeof(b.said), "%s/said", x.folder);
  bool iterations = !rc && dvmt_compare_nfindings(x.c) && is_of_iterations(dvmt_compare_finding(x.c, 0));
  if (!rc && (!is_first_by_sums(x.c, &b) || (iterations && b.of_job))) {
    rc = report_sums(o, x.c, err);
    if (rc > 0 && (is_result(x.c) || iterations || b.shared_first))
      say_cause(&b, is_result(x.c) ? dvmt_compare_finding(x.c, 0) : NULL);
  } else if (!rc) {
    rc = iterations ? search_iterations(&b, err) : dvmt_steps_search(&b.steps, attempt, &b, err);
    if (!rc && iterations) /* run again, they were as they should be */
      rc = report_sums(o, x.c, err);
    else if (rc > 0)
      say_cause(&b, NULL);
  }
  dvmt_job_end(&x);
  dvmt_steps_fini(&b.steps);
  free(b.again);
  free((char *)(uintptr_t)b.program);
  return rc;
}
