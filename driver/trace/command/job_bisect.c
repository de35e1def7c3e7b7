/* From a construct to its elements: the reference's program records that execution again; the parallel program tells what each rank has of
 * the arrays behind it, and which iterations are whose.  The reference's records are then compared with themselves, where the last value
 * of each element is the one that its owner is left with. */
#define _GNU_SOURCE
#include "driver/trace/command/bisect.h"
#include "driver/trace/command/feed.h"
#include "driver/trace/command/files.h"
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
  const char *program;          /* build id of the reference's, or NULL */
  char *again;                  /* command line of the reference's; owned */
  char *const *command;
  const char *results;
  char config[CC_TEMPORARY_MAX + 16], trace[CC_TEMPORARY_MAX + 16], run[CC_TEMPORARY_MAX + 16], said[CC_TEMPORARY_MAX + 16];
};

/* ---- one run of both -------------------------------------------------------------------------------------------------------------- */

static struct dvmt_images *run_ranks(const struct searching *b, const struct dvmt_step *step, struct dvm_error *err) {
  struct dvmt_where w = dvmt_site_where(step->construct);
  struct dvmt_writer *nowhere = dvmt_writer_create(NULL, "", DVMT_CODEC_NONE, err);
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct dvmt_images *images = NULL;
  struct dvmt_job job = {0};
  char spec[600];
  int status = 0;
  bool recorded = false;
  snprintf(spec, sizeof(spec), "%llu@%.*s:%u", (unsigned long long)step->execution, (int)w.file.n, w.file.s, w.line);
  const struct dvmt_launch launch = {.command = b->command,
                                     .level = "checksum",
                                     .quiet = true,
                                     .job = b->run,
                                     .meta = "level checksum\n",
                                     .results = b->results,
                                     .elements = spec,
                                     .said = b->said};
  int rc = nowhere ? dvmt_launch(&launch, dvmt_writer_sink(nowhere), &status, &recorded, err) : err->code;
  int found = rc ? rc : dvmt_job_open_streams(&job, b->run, err);
  if (!rc && found > 0)
    images = dvmt_images_read(&job, err);
  if (!err->code && (found <= 0 || !images || !dvmt_images_told(images))) {
    dvm_error_set(err, -EPROTO, "run again, '%s' does not come to execution %llu of the construct at %.*s:%u", b->command[0],
                  (unsigned long long)step->execution, (int)w.file.n, w.file.s, w.line);
    dvmt_images_destroy(images);
    images = NULL;
  }
  dvmt_job_close(&job);
  dvmt_job_sweep(b->run);
  if (nowhere)
    dvmt_writer_close(nowhere, true, NULL, &ignored);
  return images;
}

/* 1: values behind this step differ beyond the tolerance, or iterations are not executed once; 0; -E... */
static int attempt(void *arg, const struct dvmt_step *step, bool report, struct dvm_error *err) {
  const struct searching *b = arg;
  struct dvmt_html *html = report && b->o->html ? dvmt_html_create() : NULL;
  struct dvmt_compare_options options = b->o->compare;
  struct dvmt_replay replay = {.report = report ? &b->o->report : NULL, .alone = true, .partial = b->o->compare.partial};
  int64_t errors = 0;
  int rc = dvmt_bisect_config(b->config, step->in_reference, step->reference_execution, err);
  if (!rc)
    rc = dvmt_bisect_record(b->again, b->config, b->trace, true, false, err);
  struct dvmt_images *images = rc ? NULL : run_ranks(b, step, err);
  struct dvmt_reader *r = images ? dvmt_reader_open(b->trace, err) : NULL;
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

/* Ranks that differ among themselves no element explains. */
static bool is_first_by_sums(const struct dvmt_compare *c, const struct dvmt_steps *s) {
  const struct dvmt_finding *f = s->n && dvmt_compare_nfindings(c) ? dvmt_compare_finding(c, 0) : NULL;
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
  struct dvmt_reader *r = dvmt_file_open(s->path, err);
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
  if (s->job->nranks)
    return dvm_error_set(err, -EINVAL,
                         "'--bisect' of a parallel run needs the reference of a sequential one, and '%s' is of a job: record the "
                         "program compiled with '-fdvm=trace', by 'dvm record --level checksum'",
                         s->path);
  options.found = NULL;
  options.spot = dvmt_steps_spot;
  options.spot_arg = &b.steps;
  int rc = prepare(&b, s, err);
  if (!rc)
    rc = dvmt_job_begin(&x, s, &options, command, NULL, err);
  if (!rc)
    rc = dvmt_job_run(&x, command, status, err);
  if (!rc && b.steps.failed)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  b.results = x.results;
  snprintf(b.config, sizeof(b.config), "%s/config", x.folder);
  snprintf(b.trace, sizeof(b.trace), "%s/trace", x.folder);
  snprintf(b.run, sizeof(b.run), "%s/again", x.folder);
  snprintf(b.said, sizeof(b.said), "%s/said", x.folder);
  if (!rc && !is_first_by_sums(x.c, &b.steps)) {
    rc = report_sums(o, x.c, err);
    if (rc > 0 && is_result(x.c))
      say_cause(&b, dvmt_compare_finding(x.c, 0));
  } else if (!rc) {
    bool iterations = is_of_iterations(dvmt_compare_finding(x.c, 0));
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
