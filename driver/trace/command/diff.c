/* dvm diff: compares two traces. */
#include "base/output.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/html.h"
#include "driver/trace/command/options.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
  "usage: dvm diff [option...] REFERENCE TRACE\n"
  "\n"
  "Compares a trace with a reference: the first difference with its place, construct, iteration and values, then for\n"
  "each variable how many values differ and by how much, and in which order the variables first differed.\n"
  "The exit status is 0 if the two agree, 66 if they differ.\n";

struct feeding {
  struct dvmt_reader *r;
  struct dvmt_sink *sink;
  size_t nsites, nobjects;    /* sent so far */
};

static int send_definitions(struct feeding *f) {
  int rc = 0;
  while (!rc && f->nsites < dvmt_reader_nsites(f->r))
    rc = f->sink->site(f->sink, dvmt_reader_site(f->r, f->nsites++));
  while (!rc && f->nobjects < dvmt_reader_nobjects(f->r))
    rc = f->sink->object(f->sink, dvmt_reader_object(f->r, f->nobjects++));
  return rc;
}

/* Sends the trace to the comparison, but for what both have in the same blocks; what was in damaged blocks is added to 'lost'.
 * 0, or -E... */
static int feed(struct dvmt_reader *r, struct dvmt_compare *c, uint64_t *lost, struct dvm_error *err) {
  struct feeding f = {r, dvmt_compare_sink(c), 0, 0};
  struct dvmt_record rec;
  int more = 1, rc = 0;
  while (!rc && more > 0) {
    if (!dvmt_reader_left(r) && dvmt_compare_skip(c, r)) {
      rc = dvmt_reader_load(r, err);
      if (!rc)
        rc = send_definitions(&f);
      if (!rc)
        dvmt_compare_resume(c, r);
    }
    if (!rc && (more = dvmt_reader_next(r, &rec, err)) > 0) {
      rc = send_definitions(&f);
      if (rec.kind == DVMT_LOST)
        *lost += rec.words[0];
      else if (!rc)
        rc = f.sink->record(f.sink, &rec);
    }
  }
  return rc ? rc : more < 0 ? more : 0;
}

static int diff(struct dvmt_cli *o, char *const *paths, struct dvm_error *err) {
  struct dvmt_reader *a = dvmt_file_open(paths[0], err), *b = a ? dvmt_file_open(paths[1], err) : NULL;
  struct dvmt_html *html = o->html ? dvmt_html_create() : NULL;
  if (html) {
    o->compare.spot = dvmt_html_spot;
    o->compare.spot_arg = html;
  }
  struct dvmt_compare *c = b ? dvmt_compare_create(a, &o->compare) : NULL;
  struct dvmt_summary sa, sb;
  int64_t errors = 0;
  uint64_t lost = 0;
  int rc = c ? 0 : err->code ? err->code : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    rc = dvmt_reader_summary(a, &sa, err);
  if (!rc)
    rc = dvmt_reader_summary(b, &sb, err);
  if (!rc && (!sa.whole || !sb.whole))
    fprintf(stderr, "dvm: warning: '%s' is torn: compared as far as it goes\n", sa.whole ? paths[1] : paths[0]);
  bool same = !rc && sa.whole && sb.whole && dvmt_reader_same(a, b); /* nothing to look into */
  if (!rc && !same)
    rc = feed(b, c, &lost, err);
  dvmt_file_note_lost(paths[1], lost);
  if (!rc && !same)
    rc = dvmt_compare_end(c, sa.whole && sb.complete, err);
  if (!rc)
    dvmt_file_note_lost(paths[0], dvmt_compare_totals(c)->lost);
  if (!rc && (errors = dvmt_report_close(&o->report, c, err)) < 0)
    rc = (int)errors;
  if (!rc && html)
    rc = dvmt_html_write(html, o->html, paths[1], err);
  dvmt_html_destroy(html);
  dvmt_compare_destroy(c);
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
    return dvmt_cli_usage(&o, "'dvm diff' wants a reference and a trace", NULL);
  o.report.reference = argv[optind];
  o.report.run = argv[optind + 1];
  rc = diff(&o, argv + optind, &err);
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
