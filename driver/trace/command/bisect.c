#define _GNU_SOURCE
#include "driver/folder.h"
#include "driver/trace/command/bisect.h"
#include "driver/trace/command/files.h"
#include "base/text.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/command/meta.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/writer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* An execution of a construct after which the sums differ. */
struct step {
  char *construct;        /* site text; owned */
  char *in_reference;     /* the reference's; owned */
  uint64_t execution;
};
struct search {
  struct dvmt_cli *o;
  struct step *steps;     /* owned, in the order of the run */
  size_t nsteps;
  bool failed;            /* no memory */
  const char *program;    /* build id of the reference's program, or NULL */
  char *again;            /* shell command that runs the reference's program; owned */
  char *const *command;
  char folder[CC_TEMPORARY_MAX], config[CC_TEMPORARY_MAX + 8], trace[CC_TEMPORARY_MAX + 8];
};

static void on_spot(void *arg, const struct dvmt_spot *s) {
  struct search *b = arg;
  if (s->object || !s->construct)
    return;
  if (b->nsteps && b->steps[b->nsteps - 1].execution == s->execution && !strcmp(b->steps[b->nsteps - 1].construct, s->construct))
    return; /* another array of the same construct */
  struct step *rows = realloc(b->steps, (b->nsteps + 1) * sizeof(*rows));
  char *text = strdup(s->construct), *there = strdup(s->in_reference ? s->in_reference : s->construct);
  if (rows)
    b->steps = rows;
  if (!rows || !text || !there) {
    free(text);
    free(there);
    b->failed = true;
    return;
  }
  rows[b->nsteps++] = (struct step){text, there, s->execution};
}

/* ---- one run of both ------------------------------------------------------------------------------------------------------- */

/* Only this execution of the construct with site text 'text'. */
static int write_config(const struct search *b, const char *text, uint64_t execution, struct dvm_error *err) {
  struct dvmt_where w = dvmt_site_where(text);
  struct dvmt_span kind = dvmt_site_kind(text);
  FILE *f = fopen(b->config, "we");
  if (!f)
    return dvm_error_errno(err, "cannot write '%s'", b->config);
  fprintf(f, "level none\n%.*s \"%.*s:%u\" level modify\n", (int)kind.n, kind.s, (int)w.file.n, w.file.s, w.line);
  fprintf(f, "start \"%.*s:%u\" %llu\nfinish \"%.*s:%u\" %llu\n", (int)w.file.n, w.file.s, w.line, (unsigned long long)execution,
          (int)w.file.n, w.file.s, w.line, (unsigned long long)execution);
  return fclose(f) ? dvm_error_errno(err, "cannot write '%s'", b->config) : 0;
}

static int record_reference(const struct search *b, struct dvm_error *err) {
  char *const command[] = {"/bin/sh", "-c", b->again, NULL};
  const struct dvmt_launch launch = {.command = command, .level = NULL, .config = b->config, .quiet = true};
  struct dvm_error close_err = DVM_ERROR_INIT;
  int status;
  bool recorded = false;
  struct dvmt_writer *w = dvmt_writer_create(b->trace, "", DVMT_CODEC_ZSTD, err);
  if (!w)
    return err->code;
  int rc = dvmt_launch(&launch, dvmt_writer_sink(w), &status, &recorded, err);
  int close_rc = dvmt_writer_close(w, true, NULL, &close_err);
  if (!rc && close_rc) {
    *err = close_err;
    rc = close_rc;
  }
  if (!rc && !recorded)
    rc = dvm_error_set(err, -EPROTO, "the reference's program could not be run again: %s", b->again);
  return rc;
}

/* Whether the program that ran again is the one that made the reference. */
static bool is_program(const struct search *b, const struct dvmt_reader *r) {
  struct dvmt_record first;
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_reader *head = dvmt_reader_again(r, &err);
  bool same =
      !head || dvmt_reader_next(head, &first, &err) < 0 || !dvmt_reader_program(head) || !strcmp(dvmt_reader_program(head), b->program);
  dvmt_reader_close(head);
  return same;
}

/* 1: the values of this step differ beyond the tolerance, 0: they do not, or -E... */
static int try_step(const struct search *b, const struct step *s, bool report, struct dvm_error *err) {
  struct dvmt_compare_options options = b->o->compare;
  const struct dvmt_launch launch = {.command = b->command, .level = NULL, .config = b->config, .quiet = true};
  int status, rc = write_config(b, s->in_reference, s->execution, err);
  bool recorded = false;
  int64_t errors = 0;
  char cut[64];
  if (!report)
    options.found = NULL;
  options.spot = NULL;
  if (!rc)
    rc = record_reference(b, err);
  if (!rc)
    rc = write_config(b, s->construct, s->execution, err);
  struct dvmt_reader *r = rc ? NULL : dvmt_reader_open(b->trace, err);
  if (r && b->program && !is_program(b, r))
    rc = dvm_error_set(err, -EINVAL, "the reference's program has been rebuilt since: keep a copy of it for '--bisect' (%s)", b->again);
  struct dvmt_compare *c = r ? dvmt_compare_create(r, &options) : NULL;
  if (!rc && !c)
    rc = err->code ? err->code : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    dvmt_compare_begin_at(c, s->in_reference, s->execution);
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

/* Differences grow: what is beyond the tolerance once stays so.  So if the last step is within it, all are; else the first that is
 * not lies between. */
static int search(struct search *b, struct dvm_error *err) {
  size_t low = 0, high = b->nsteps - 1; /* the first bad one is in [low, high] */
  FILE *out = stderr;
  fprintf(out, "dvm: sums differ after %zu executions of constructs; running both programs again\n", b->nsteps);
  int bad = try_step(b, &b->steps[high], false, err);
  if (bad <= 0) {
    if (bad)
      return bad;
    fprintf(out, "dvm: all differences are within the tolerance\n");
    return try_step(b, &b->steps[high], true, err);
  }
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    bad = try_step(b, &b->steps[mid], false, err);
    if (bad < 0)
      return bad;
    if (bad)
      high = mid;
    else
      low = mid + 1;
  }
  struct dvmt_where w = dvmt_site_where(b->steps[low].construct);
  fprintf(out, "dvm: execution %llu of the construct at %.*s:%u is the first beyond the tolerance\n",
          (unsigned long long)b->steps[low].execution, (int)w.file.n, w.file.s, w.line);
  return try_step(b, &b->steps[low], true, err);
}

/* Compares the sums of the whole run. */
static int collect_steps(struct search *b, struct dvmt_reader *r, int *status, struct dvm_error *err) {
  struct dvmt_compare_options options = b->o->compare;
  const struct dvmt_launch launch = {.command = b->command, .level = "checksum", .config = NULL, .quiet = false};
  bool recorded = false;
  char cut[64];
  options.found = NULL;
  options.spot = on_spot;
  options.spot_arg = b;
  struct dvmt_compare *c = dvmt_compare_create(r, &options);
  int rc = c ? dvmt_launch(&launch, dvmt_compare_sink(c), status, &recorded, err) : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc && !recorded)
    rc = dvm_error_set(err, -EPROTO, "'%s' recorded nothing: compile and link it with 'dvmcc -fdvm=trace'", b->command[0]);
  if (!rc)
    rc = dvmt_compare_end(c, dvmt_launch_cut(*status, cut, sizeof(cut)), false, err);
  if (!rc && !dvmt_compare_totals(c)->sums)
    rc = dvm_error_set(err, -EINVAL, "'--bisect' has nothing to go by: the reference and '%s' have no sums of the same constructs or loops",
                       b->command[0]);
  /* Without sums that differ: structure and results of reductions say what there is to say. */
  if (!rc && !b->nsteps) {
    for (size_t i = 0; i < dvmt_compare_nfindings(c); i++)
      dvmt_report_found(&b->o->report, dvmt_compare_finding(c, i));
    int64_t errors = dvmt_report_close(&b->o->report, c, err);
    rc = errors > 0 ? 1 : (int)errors;
  }
  dvmt_compare_destroy(c);
  return b->failed ? dvm_error_set(err, -ENOMEM, "out of memory") : rc;
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
  char *folder = rc || !dvmt_reader_meta(r, "folder") ? NULL : strdup(dvmt_reader_meta(r, "folder"));
  if (!rc) {
    struct dvm_text again = DVM_TEXT_INIT;
    dvm_text_add(&again, "cd");
    dvmt_meta_word(&again, folder ? folder : ".");
    dvm_text_printf(&again, " && exec %s", dvmt_reader_meta(r, "command"));
    b.again = again.s;
    if (again.failed)
      rc = dvm_error_set(err, -ENOMEM, "out of memory");
  }
  free(folder);
  rc = rc ? rc : cc_folder_create(b.folder, "bisect", err);
  if (!rc) {
    snprintf(b.config, sizeof(b.config), "%s/config", b.folder);
    snprintf(b.trace, sizeof(b.trace), "%s/trace", b.folder);
    rc = collect_steps(&b, r, status, err);
    b.program = dvmt_reader_program(r);
    if (!rc && b.nsteps)
      rc = search(&b, err);
    cc_folder_remove(b.folder);
  }
  for (size_t i = 0; i < b.nsteps; i++) {
    free(b.steps[i].construct);
    free(b.steps[i].in_reference);
  }
  free(b.steps);
  free(b.again);
  dvmt_reader_close(r);
  return rc;
}
