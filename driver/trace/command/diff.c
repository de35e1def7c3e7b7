/* dvm diff: compares two traces. */
#include "base/output.h"
#include "driver/trace/command/calibrate.h"
#include "driver/trace/command/feed.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/html.h"
#include "driver/trace/command/job_compare.h"
#include "driver/trace/command/meta.h"
#include "driver/trace/command/options.h"
#include "driver/trace/command/source.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: dvm diff [option...] REFERENCE TRACE\n"
    "\n"
    "Compares a trace with a reference: the first difference with its place, construct, iteration and values, then for\n"
    "each variable, how many values differ and by how much, and the order in which the variables first differed.\n"
    "The exit status is 0 if the two agree, 66 if they differ.\n";

static int look_at(struct dvmt_reader *r, const char *path, struct dvmt_summary *s, struct dvm_error *err) {
  int rc = dvmt_reader_summary(r, s, err);
  if (!rc)
    rc = dvmt_file_note_damage(path, r, err);
  if (!rc && !s->whole)
    fprintf(stderr, "dvm: warning: '%s' is torn: compared as far as it goes\n", path);
  return rc;
}

static const char *cut_of(const struct dvmt_summary *s) {
  return !s->whole ? "is torn" : !s->complete ? "was cut before its program ended" : NULL;
}

static int diff(struct dvmt_cli *o, char *const *paths, struct dvm_error *err) {
  struct dvmt_reader *a = dvmt_file_open(paths[0], err), *b = a ? dvmt_file_open(paths[1], err) : NULL;
  struct dvmt_html *html = o->html ? dvmt_html_create() : NULL;
  struct dvmt_compare *c = NULL;
  struct dvmt_summary sa, sb;
  int64_t errors = 0;
  if (html) {
    o->compare.spot = dvmt_html_spot;
    o->compare.spot_arg = html;
  }
  if (b)
    dvmt_source_trace(b);
  int rc = b ? look_at(a, paths[0], &sa, err) : err->code;
  if (!rc)
    rc = look_at(b, paths[1], &sb, err);
  if (!rc)
    rc = dvmt_calibrated(a, &o->ignore, err);
  struct dvmt_config ca = DVMT_CONFIG_INIT, cb = DVMT_CONFIG_INIT;
  if (!rc && !dvmt_meta_same(a, b)) {
    rc = dvmt_meta_recorded(a, &ca, err) ? err->code : dvmt_meta_recorded(b, &cb, err);
    o->compare.reference_recorded = &ca;
    o->compare.run_recorded = &cb;
  }
  if (!rc) {
    o->compare.cut = cut_of(&sa);
    o->report.records = sa.records;
    if (!(c = dvmt_compare_create(a, &o->compare)))
      rc = dvm_error_set(err, -ENOMEM, "out of memory");
  }
  if (!rc) {
    dvmt_reader_go_ahead(b);
    rc = dvmt_feed(b, c, err);
  }
  if (!rc)
    dvmt_compare_statuses(c, sa.status, sb.status);
  if (!rc)
    rc = dvmt_compare_end(c, cut_of(&sb), !sb.whole, err);
  if (!rc && (errors = dvmt_report_close(&o->report, c, err)) < 0)
    rc = (int)errors;
  if (!rc)
    dvmt_cli_note_unused(o);
  const struct dvmt_html_of of = {paths + 1, paths[0], o->report.closing};
  if (!rc && html)
    rc = dvmt_html_write(html, (const struct dvmt_compare *const *)&c, 1, &of, o->html, err);
  dvmt_html_destroy(html);
  dvmt_compare_destroy(c);
  dvmt_config_fini(&ca);
  dvmt_config_fini(&cb);
  dvmt_reader_close(a);
  dvmt_reader_close(b);
  return rc ? rc : errors ? o->exitcode : 0;
}

static int run(int argc, char **argv) {
  struct dvmt_cli o = {.name = "diff", .help = help};
  struct dvm_error err = DVM_ERROR_INIT;
  int rc = dvmt_cli_read(&o, argc, argv);
  if (rc)
    return rc < 0 ? 0 : rc;
  if (o.bisect)
    return dvmt_cli_usage(&o, "'--bisect' needs programs to run: use 'dvm compare'", NULL);
  if (optind + 2 != argc)
    return dvmt_cli_usage(&o, "'dvm diff' needs a reference and a trace", NULL);
  o.report.reference = argv[optind];
  o.report.run = argv[optind + 1];
  struct dvmt_job jobs[2] = {{0}};
  for (int i = 0; i < 2 && rc >= 0; i++)
    rc = dvmt_job_open(&jobs[i], argv[optind + i], &err);
  if (rc >= 0 && jobs[1].nranks)
    dvmt_source_trace(jobs[1].rank[0]);
  if (rc >= 0)
    rc = jobs[0].nranks || jobs[1].nranks ? dvmt_job_diff(&o, argv + optind, jobs, &err) : diff(&o, argv + optind, &err);
  for (int i = 0; i < 2; i++)
    dvmt_job_close(&jobs[i]);
  dvmt_source_forget();
  dvmt_cli_fini(&o);
  if (rc >= 0)
    return rc;
  fprintf(stderr, "dvm: error: %s\n", err.text);
  return rc == -EINVAL ? 2 : 1;
}

int main(int argc, char **argv) {
  dvm_output_begin();
  return dvm_output_end(run(argc, argv));
}
