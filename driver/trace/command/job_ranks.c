/* Jobs of processes that call MPI themselves: each rank with its partner. */
#define _GNU_SOURCE
#include "driver/trace/command/calibrate.h"
#include "driver/trace/command/feed.h"
#include "driver/trace/command/job_private.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/command/meta.h"
#include "driver/trace/command/report_file.h"
#include "driver/trace/format/writer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

int dvmt_job_ranks(struct dvmt_cli *o, const struct dvmt_job *a, const struct dvmt_job *b, char *const *run, const char *cut,
                   struct dvm_error *err) {
  int differ = 0;
  if (a->nranks != b->nranks)
    return dvm_error_set(err, -EINVAL, "the reference has %zu ranks, the run %zu: processes are compared rank by rank", a->nranks,
                         b->nranks);
  struct dvmt_compare **c = calloc(a->nranks + 1, sizeof(*c));
  struct dvmt_html *html = o->html ? dvmt_html_create() : NULL;
  int rc = dvmt_calibrated(a->rank[0], &o->ignore, err);
  if (!rc)
    rc = c && (html || !o->html) ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
  for (size_t r = 0; r < a->nranks && rc >= 0; r++) {
    rc = compare_rank(o, html, a->rank[r], b->rank[r], (int)r, cut, &c[r], err);
    differ |= rc;
  }
  for (int i = 0; i < o->report.nfiles && rc >= 0; i++)
    rc = dvmt_report_write(o->report.file[i], (const struct dvmt_compare *const *)c, a->nranks, true, err);
  const struct dvmt_html_of of = {run, o->report.reference, o->report.closing};
  if (html && rc >= 0 && (rc = dvmt_html_write(html, (const struct dvmt_compare *const *)c, a->nranks, &of, o->html, err)) > 0)
    rc = -rc;
  dvmt_html_destroy(html);
  for (size_t r = 0; c && r < a->nranks; r++)
    dvmt_compare_destroy(c[r]);
  free(c);
  return rc < 0 ? rc : differ;
}

/* As the reference was recorded. */
int dvmt_job_ranks_compare(struct dvmt_cli *o, const struct dvmt_job *reference, char *const *command, int *status, struct dvm_error *err) {
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
    rc = found     ? found
         : *status ? dvmt_launch_nothing(command, *status, "'dvmcc -fdvm=trace'", err)
                   : dvm_error_set(err, -EPROTO,
                                   "the reference is of a job, and '%s' has recorded no ranks: start it by a launcher, compiled and linked "
                                   "with 'dvmcc -fdvm=trace'",
                                   command[0]);
  if (!rc)
    rc = dvmt_job_ranks(o, reference, &job, command, dvmt_launch_cut(*status, cut, sizeof(cut)), err);
  dvmt_job_close(&job);
  if (nowhere) {
    dvmt_writer_close(nowhere, true, NULL, &ignored);
    cc_folder_remove(folder);
  }
  free(level);
  free(text);
  return rc;
}
