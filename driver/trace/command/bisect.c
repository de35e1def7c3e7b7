#define _GNU_SOURCE
#include "driver/folder.h"
#include "driver/trace/command/bisect.h"
#include "driver/trace/command/files.h"
#include "base/text.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/command/meta.h"
#include "driver/trace/command/steps.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/writer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct search {
  struct dvmt_cli *o;
  struct dvmt_steps steps;
  struct dvmt_compare *sums; /* the whole of both runs; owned */
  const char *program;    /* build id of the reference's program, or NULL */
  char *again;            /* shell command that runs the reference's program; owned */
  char *const *command;
  char folder[CC_TEMPORARY_MAX], config[CC_TEMPORARY_MAX + 8], trace[CC_TEMPORARY_MAX + 8];
};

/* ---- one run of both ------------------------------------------------------------------------------------------------------- */

/* Only this execution of the construct with site text 'text'. */
int dvmt_bisect_config(const char *path, const char *text, uint64_t execution, struct dvm_error *err) {
  struct dvmt_where w = dvmt_site_where(text);
  struct dvmt_span kind = dvmt_site_kind(text);
  FILE *f = fopen(path, "we");
  if (!f)
    return dvm_error_errno(err, "cannot write '%s'", path);
  char place[600];
  dvmt_where_text(&w, place, sizeof(place));
  fprintf(f, "level none\n%.*s \"%s\" level modify\n", (int)kind.n, kind.s, place);
  fprintf(f, "start \"%s\" %llu\nfinish \"%s\" %llu\n", place, (unsigned long long)execution, place, (unsigned long long)execution);
  return fclose(f) ? dvm_error_errno(err, "cannot write '%s'", path) : 0;
}

int dvmt_bisect_record(const char *again, const char *config, const char *trace, bool other_options, bool nest, struct dvm_error *err) {
  char *const command[] = {"/bin/sh", "-c", (char *)(uintptr_t)again, NULL};
  const struct dvmt_launch launch = {
      .command = command, .level = NULL, .config = config, .quiet = true, .other_options = other_options, .nest = nest};
  struct dvm_error close_err = DVM_ERROR_INIT;
  int status;
  bool recorded = false;
  struct dvmt_writer *w = dvmt_writer_create(trace, "", DVMT_CODEC_ZSTD, err);
  if (!w)
    return err->code;
  int rc = dvmt_launch(&launch, dvmt_writer_sink(w), &status, &recorded, err);
  int close_rc = dvmt_writer_close(w, true, NULL, &close_err);
  if (!rc && close_rc) {
    *err = close_err;
    rc = close_rc;
  }
  if (!rc && !recorded)
    rc = dvm_error_set(err, -EPROTO, "the reference's program could not be run again: %s", again);
  return rc;
}

/* Whether the program that ran again is the one that made the reference. */
bool dvmt_bisect_is_program(const struct dvmt_reader *r, const char *program) {
  struct dvmt_record first;
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_reader *head = dvmt_reader_again(r, &err);
  bool same =
      !head || dvmt_reader_next(head, &first, &err) < 0 || !dvmt_reader_program(head) || !strcmp(dvmt_reader_program(head), program);
  dvmt_reader_close(head);
  return same;
}

/* Records are numbered in what is recorded again, not in the run. */
static void found(void *arg, const struct dvmt_finding *f) {
  struct dvmt_finding own = *f;
  own.record = 0;
  dvmt_report_found(arg, &own);
}

/* 1: the values of this step differ beyond the tolerance, 0: they do not, or -E... */
static int try_step(void *arg, const struct dvmt_step *s, bool report, struct dvm_error *err) {
  const struct search *b = arg;
  struct dvmt_compare_options options = b->o->compare;
  const struct dvmt_launch launch = {.command = b->command, .level = NULL, .config = b->config, .quiet = true, .nest = report};
  int status, rc = dvmt_bisect_config(b->config, s->in_reference, s->reference_execution, err);
  bool recorded = false;
  int64_t errors = 0;
  char cut[64];
  options.found = report ? found : NULL;
  options.spot = NULL;
  if (!rc)
    rc = dvmt_bisect_record(b->again, b->config, b->trace, false, report, err);
  if (!rc)
    rc = dvmt_bisect_config(b->config, s->construct, s->execution, err);
  struct dvmt_reader *r = rc ? NULL : dvmt_reader_open(b->trace, err);
  if (r && b->program && !dvmt_bisect_is_program(r, b->program))
    rc = dvm_error_set(err, -EINVAL, "the reference's program has been rebuilt since: keep a copy of it for '--bisect' (%s)", b->again);
  struct dvmt_compare *c = r ? dvmt_compare_create(r, &options) : NULL;
  if (!rc && !c)
    rc = err->code ? err->code : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    rc = dvmt_launch(&launch, dvmt_compare_sink(c), &status, &recorded, err);
  if (!rc)
    rc = dvmt_compare_end(c, dvmt_launch_cut(status, cut, sizeof(cut)), false, err);
  for (size_t i = 0; !rc && i < dvmt_compare_nfindings(c); i++)
    errors += !dvmt_compare_finding(c, i)->warning;
  if (!rc && report && (errors = dvmt_report_close(&b->o->report, c, err)) < 0)
    rc = (int)errors;
  dvmt_compare_destroy(c);
  dvmt_reader_close(r);
  return rc ? rc : errors > 0;
}

/* ---- the search ------------------------------------------------------------------------------------------------------------ */

/* Compares the sums of the whole run. */
static int collect_steps(struct search *b, struct dvmt_reader *r, int *status, struct dvm_error *err) {
  struct dvmt_compare_options options = b->o->compare;
  const struct dvmt_launch launch = {.command = b->command, .level = "checksum", .config = NULL, .quiet = false};
  bool recorded = false;
  char cut[64];
  options.found = NULL;
  options.spot = dvmt_steps_spot;
  options.spot_arg = &b->steps;
  struct dvmt_compare *c = dvmt_compare_create(r, &options);
  int rc = c ? dvmt_launch(&launch, dvmt_compare_sink(c), status, &recorded, err) : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc && !recorded)
    rc = dvmt_launch_nothing(b->command, *status, "'dvmcc -fdvm=trace'", err);
  if (!rc)
    rc = dvmt_compare_end(c, dvmt_launch_cut(*status, cut, sizeof(cut)), false, err);
  if (!rc && !dvmt_compare_totals(c)->sums)
    rc = dvm_error_set(err, -EINVAL, "'--bisect' has nothing to go by: the reference and '%s' have no sums of the same constructs or loops",
                       b->command[0]);
  for (size_t i = 0; !rc && i < dvmt_compare_nfindings(c); i++)
    b->steps.parted |= dvmt_compare_finding(c, i)->id == DVMT_FOUND_STRUCTURE && !dvmt_compare_finding(c, i)->warning;
  b->sums = c;
  return b->steps.failed ? dvm_error_set(err, -ENOMEM, "out of memory") : rc;
}

/* Where no execution that is recorded again says more: structure, results of reductions, sums. */
static int report_sums(struct search *b, struct dvm_error *err) {
  for (size_t i = 0; i < dvmt_compare_nfindings(b->sums); i++)
    dvmt_report_found(&b->o->report, dvmt_compare_finding(b->sums, i));
  int64_t errors = dvmt_report_close(&b->o->report, b->sums, err);
  return errors > 0 ? 1 : (int)errors;
}

char *dvmt_bisect_again(const struct dvmt_reader *r) {
  char *folder = dvmt_reader_meta(r, "folder") ? strdup(dvmt_reader_meta(r, "folder")) : NULL;
  struct dvm_text again = DVM_TEXT_INIT;
  dvm_text_add(&again, "cd");
  dvmt_meta_word(&again, folder ? folder : ".");
  dvm_text_printf(&again, " && exec %s", dvmt_reader_meta(r, "command"));
  free(folder);
  if (!again.failed)
    return again.s;
  dvm_text_fini(&again);
  return NULL;
}

int dvmt_bisect(struct dvmt_cli *o, const char *reference, char *const *command, int *status, struct dvm_error *err) {
  struct search b = {.o = o, .command = command};
  struct dvmt_reader *r = dvmt_file_open(reference, err);
  if (!r)
    return err->code;
  const char *level = dvmt_reader_meta(r, "level");
  int rc = 0;
  if (!level || strcmp(level, "checksum"))
    rc = dvm_error_set(err, -EINVAL, "'--bisect' needs a reference of level checksum; '%s' has level '%s'", reference, level ? level : "?");
  if (!rc && !(b.again = dvmt_bisect_again(r)))
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  rc = rc ? rc : cc_folder_create(b.folder, "bisect", err);
  if (!rc) {
    snprintf(b.config, sizeof(b.config), "%s/config", b.folder);
    snprintf(b.trace, sizeof(b.trace), "%s/trace", b.folder);
    rc = collect_steps(&b, r, status, err);
    b.program = dvmt_reader_program(r);
    if (!rc && b.steps.n)
      rc = dvmt_steps_search(&b.steps, try_step, &b, err);
    if (!rc && (!b.steps.n || b.steps.parted))
      rc = report_sums(&b, err);
    dvmt_compare_destroy(b.sums);
    cc_folder_remove(b.folder);
  }
  dvmt_steps_fini(&b.steps);
  free(b.again);
  dvmt_reader_close(r);
  return rc;
}
