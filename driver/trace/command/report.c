#define _GNU_SOURCE
#include "driver/trace/command/report.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/report_file.h"
#include "driver/trace/command/source.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int dvmt_report_init(struct dvmt_report *r, struct dvm_error *err) {
  *r = (struct dvmt_report){.max_errors = 20};
  r->out = open_memstream(&r->text, &r->text_bytes);
  return r->out ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
}

void dvmt_report_fini(struct dvmt_report *r) {
  if (r->out)
    fclose(r->out);
  free(r->text);
  free(r->closing);
}

void dvmt_report_show(struct dvmt_report *r) {
  fflush(stdout);
  fflush(r->out);
  fwrite(r->text, 1, r->text_bytes, stderr);
  fflush(stderr);
  rewind(r->out);
  fflush(r->out);
}

/* ---- text ------------------------------------------------------------------------------------------------------------------ */

static void print_source(FILE *out, const struct dvmt_where *w) {
  char *line = dvmt_source_line(w);
  if (line && strlen(line) < 500) {
    fprintf(out, "%5u | %s\n      | ", w->line, line);
    for (unsigned i = 0; i + 1 < w->column && line[i]; i++)
      if (((unsigned char)line[i] & 0xc0) != 0x80)
        fputc(line[i] == '\t' ? '\t' : ' ', out);
    fputs("^\n", out);
  }
  free(line);
}

/* What to do about it. */
static void print_help(FILE *out, const struct dvmt_finding *f) {
  char help[400];
  if (dvmt_finding_help(f, help, sizeof(help)))
    fprintf(out, "help: %s\n", help);
}

void dvmt_report_found(void *arg, const struct dvmt_finding *f) {
  struct dvmt_report *r = arg;
  char place[512];
  if (r->max_errors && r->shown == r->max_errors)
    return;
  r->shown++;
  struct dvmt_where w = f->text ? dvmt_site_where(f->text) : (struct dvmt_where){{NULL, 0}, 0, 0};
  dvmt_where_text(&w, place, sizeof(place));
  fprintf(r->out, "%s%s%s: %s%s [%s]\n", w.file.s ? place : "", w.file.s ? ": " : "", dvmt_finding_severity(f), r->who ? r->who : "",
          f->message, dvmt_finding_name(f->id));
  if (w.file.s)
    print_source(r->out, &w);
  if (f->construct) {
    struct dvmt_where at = dvmt_site_where(f->construct);
    struct dvmt_span kind = dvmt_site_kind(f->construct);
    dvmt_where_text(&at, place, sizeof(place));
    fprintf(r->out, "%s: note: in this %.*s%s", place, (int)kind.n, kind.s, kind.s[0] == 'l' ? "" : " construct");
    if (f->iteration[0])
      fprintf(r->out, ", iteration (%s)", f->iteration);
    if (f->execution)
      fprintf(r->out, ", execution %llu", (unsigned long long)f->execution);
    fputc('\n', r->out);
  }
  if (!f->doubt && f->record)
    fprintf(r->out, "note: record %llu of the run%s%s\n", (unsigned long long)f->record - 1, f->calls ? ", in " : "",
            f->calls ? f->calls : "");
  else if (!f->doubt && f->calls)
    fprintf(r->out, "note: in %s\n", f->calls);
  if (f->note)
    fprintf(r->out, "note: %s\n", f->note);
  print_help(r->out, f);
}

static void print_one(FILE *out, const struct dvmt_finding *f) {
  char place[512] = "";
  if (f->text) {
    struct dvmt_where w = dvmt_site_where(f->text);
    dvmt_where_text(&w, place, sizeof(place));
    strcat(place, " ");
  }
  if (f->id == DVMT_FOUND_STRUCTURE) {
    fprintf(out, "dvm: %s[%s] %llu time%s\n", place, dvmt_finding_name(f->id), (unsigned long long)f->count, f->count == 1 ? "" : "s");
    return;
  }
  fprintf(out, "dvm: %s'%s': %llu differ", place, f->variable, (unsigned long long)f->count);
  if (f->greatest_element && f->greatest.relative > 0 && f->greatest.relative <= 1e300)
    fprintf(out, ", by %.3g at most ('%s'%s%s)", f->greatest.relative, f->greatest_element,
            f->greatest_iteration && f->greatest_iteration[0] ? ", " : "", f->greatest_iteration ? f->greatest_iteration : "");
  fputc('\n', out);
}

/* One line for each, in the order in which they were found; then the variables in that order. */
static void print_findings(FILE *out, const struct dvmt_compare *c) {
  const char *before = "";
  for (size_t i = 0; i < dvmt_compare_nfindings(c); i++)
    if (!dvmt_compare_finding(c, i)->warning && !dvmt_compare_finding(c, i)->doubt)
      print_one(out, dvmt_compare_finding(c, i));
  for (size_t i = 0; i < dvmt_compare_nfindings(c); i++) {
    const struct dvmt_finding *f = dvmt_compare_finding(c, i);
    bool again = false;
    for (size_t k = 0; k < i; k++)
      again |= dvmt_compare_finding(c, k)->id != DVMT_FOUND_STRUCTURE && !strcmp(dvmt_compare_finding(c, k)->variable, f->variable);
    if (f->id == DVMT_FOUND_STRUCTURE || f->warning || again)
      continue;
    fprintf(out, *before ? ", %s" : "dvm: in the order of the first difference: %s", f->variable);
    before = ",";
  }
  if (*before)
    fputc('\n', out);
}

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

int dvmt_report_add_file(struct dvmt_report *r, const char *path, struct dvm_error *err) {
  if (!dvmt_report_is_known(path))
    return dvm_error_set(err, -EINVAL, "'%s': expected a file name that ends in .jsonl or .sarif", path);
  if (r->nfiles == DVMT_REPORTS_MAX)
    return dvm_error_set(err, -EINVAL, "at most %d reports", DVMT_REPORTS_MAX);
  r->file[r->nfiles++] = path;
  return 0;
}

int dvmt_report_check_files(const struct dvmt_report *r, struct dvm_error *err) {
  int rc = 0;
  for (int i = 0; i < r->nfiles && !rc; i++)
    rc = dvmt_file_writable(r->file[i], err);
  return rc;
}

static void print_digits(FILE *out, const struct dvmt_compare *c) {
  struct dvmt_digits d;
  size_t at = 0;
  bool any = false;
  while (dvmt_compare_digits(c, &at, &d)) {
    if (!any)
      fprintf(out, "dvm: digits %-24s %14s %14s %8s %8s\n", "variable", "values", "identical", "mean", "least");
    any = true;
    fprintf(out, "dvm: digits %-24s %14llu %14llu %8.1f %8.1f\n", d.variable, (unsigned long long)d.values, (unsigned long long)d.identical,
            d.sum / (double)d.values, d.least);
  }
}

/* A share in per cent; 100 only if it is all. */
static const char *share_of(uint64_t part, uint64_t whole, char *buf, size_t size) {
  double share = whole ? 100.0 * (double)part / (double)whole : 100;
  if (part >= whole)
    snprintf(buf, size, "100 %%");
  else
    snprintf(buf, size, share < 0.01 ? "%.2g %%" : "%.2f %%", share < 0.01 ? share : (double)(uint64_t)(100 * share) / 100);
  return buf;
}

/* The one line that every comparison ends with. */
static void print_closing(struct dvmt_report *r, const struct dvmt_compare_totals *t) {
  char a[32], b[32];
  fflush(r->out);
  size_t start = r->text_bytes;
  fprintf(r->out, "dvm: %scompared %llu records (%s of the reference, %s of the run): %llu identical, %llu within tolerance",
          r->who ? r->who : "", (unsigned long long)t->compared, share_of(t->compared, r->records, a, sizeof(a)),
          share_of(t->compared, t->records + t->run_lost, b, sizeof(b)), (unsigned long long)t->identical, (unsigned long long)t->within);
  if (t->worst)
    fprintf(r->out, " (the worst by %s)", t->worst);
  if (t->untyped)
    fprintf(r->out, " (%llu of them of a type that nobody knows: as numbers of floating point)", (unsigned long long)t->untyped);
  fprintf(r->out, ", %llu different", (unsigned long long)t->differing);
  if (t->reductions)
    fprintf(r->out, "; %llu of reductions under way", (unsigned long long)t->reductions);
  if (t->left_out)
    fprintf(r->out, "; %llu of the run at another level", (unsigned long long)t->left_out);
  if (t->alone)
    fprintf(r->out, "; %llu sum%s of the run left out, which the reference does not have (%s)", (unsigned long long)t->alone,
            t->alone == 1 ? "" : "s", t->alone_names);
  if (t->shared)
    fprintf(r->out, "; variables that no clause names are compared with a reference of '--level checksum' alone");
  if (t->partly)
    fprintf(r->out, "; %llu sum%s left out of arrays that constructs without all iterations have written (%s)",
            (unsigned long long)t->partly, t->partly == 1 ? "" : "s", t->partly_names);
  if (t->uncounted)
    fprintf(r->out, "; the iterations of %llu executions of constructs not compared, since one side has not counted them",
            (unsigned long long)t->uncounted);
  if (t->masked)
    fprintf(r->out, "; %llu ignored", (unsigned long long)t->masked);
  if (t->retyped)
    fprintf(r->out, "; of another type: %s", t->retyped);
  fputc('\n', r->out);
  fflush(r->out);
  free(r->closing);
  r->closing = strndup(r->text + start, r->text_bytes - start - 1);
}

int64_t dvmt_report_close(struct dvmt_report *r, const struct dvmt_compare *c, struct dvm_error *err) {
  const struct dvmt_compare_totals *t = dvmt_compare_totals(c);
  uint64_t errors = 0, hits = 0, warnings = 0;
  int rc = 0;
  for (size_t i = 0; i < dvmt_compare_nfindings(c); i++) {
    const struct dvmt_finding *f = dvmt_compare_finding(c, i);
    errors += !f->warning;
    warnings += f->warning;
    hits += f->warning ? 0 : f->count;
  }
  if (r->max_errors && dvmt_compare_nfindings(c) > r->shown)
    fprintf(r->out, "dvm: %llu more are not shown\n", (unsigned long long)(dvmt_compare_nfindings(c) - r->shown));
  print_findings(r->out, c);
  if (errors || warnings) {
    fprintf(r->out, "dvm: %llu error%s (%llu occurrence%s) against '%s'", (unsigned long long)errors, errors == 1 ? "" : "s",
            (unsigned long long)hits, hits == 1 ? "" : "s", r->reference);
    if (t->same)
      fprintf(r->out, ", %llu records in blocks that are the same", (unsigned long long)t->same);
    if (t->skipped)
      fprintf(r->out, ", %llu records of the reference skipped to find a common construct", (unsigned long long)t->skipped);
    fputc('\n', r->out);
  }
  print_digits(r->out, c);
  print_closing(r, t);
  dvmt_report_show(r);
  for (int i = 0; i < r->nfiles && !rc && !r->who; i++)
    rc = dvmt_report_write(r->file[i], &c, 1, false, err);
  return rc ? rc : (int64_t)errors;
}
