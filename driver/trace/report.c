#define _GNU_SOURCE
#include "driver/trace/report.h"
#include "runtime/trace/name.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const id_names[DVMT_NFINDING_IDS] = {"dvm-trace-value", "dvm-trace-structure", "dvm-trace-nan"};
static const char *const id_meanings[DVMT_NFINDING_IDS] = {
  "a value differs from the reference by more than the tolerance",
  "the run does something else than the reference: other iterations, other constructs, other accesses",
  "a value is NaN or infinite"};

static const char *severity(const struct dvmt_finding *f) { return f->warning ? "warning" : "error"; }

/* ---- text ------------------------------------------------------------------------------------------------------------------ */

static void print_source(FILE *out, const struct dvmt_where *w) {
  char *path = strndup(w->file.s, w->file.n), *line = NULL;
  size_t cap = 0;
  FILE *f = path ? fopen(path, "re") : NULL;
  ssize_t n = -1;
  for (unsigned i = 0; f && i < w->line; i++)
    n = getline(&line, &cap, f);
  if (f && n >= 0 && !feof(f) && strlen(line) < 500) {
    line[strcspn(line, "\r\n")] = 0;
    fprintf(out, "%5u | %s\n      | ", w->line, line);
    for (unsigned i = 0; i + 1 < w->column && line[i]; i++)
      if (((unsigned char)line[i] & 0xc0) != 0x80)
        fputc(line[i] == '\t' ? '\t' : ' ', out);
    fputs("^\n", out);
  }
  if (f)
    fclose(f);
  free(line);
  free(path);
}

void dvmt_report_found(void *arg, const struct dvmt_finding *f) {
  struct dvmt_report *r = arg;
  char place[512];
  if (r->max_errors && r->shown == r->max_errors)
    return;
  r->shown++;
  struct dvmt_where w = f->text ? dvmt_site_where(f->text) : (struct dvmt_where){{NULL, 0}, 0, 0};
  dvmt_where_text(&w, place, sizeof(place));
  fprintf(r->out, "%s%s%s: %s [%s]\n", w.file.s ? place : "", w.file.s ? ": " : "", severity(f), f->message, id_names[f->id]);
  if (w.file.s)
    print_source(r->out, &w);
  if (f->construct) {
    struct dvmt_where at = dvmt_site_where(f->construct);
    struct dvmt_span kind = dvmt_site_kind(f->construct);
    dvmt_where_text(&at, place, sizeof(place));
    fprintf(r->out, "%s: note: in this %.*s%s", place, (int)kind.n, kind.s, kind.s[0] == 'l' ? "" : " construct");
    fprintf(r->out, f->iteration[0] ? ", iteration (%s)\n" : "\n", f->iteration);
  }
  fflush(r->out);
}

/* One line for each variable, and the order in which they first differed. */
static void print_variables(FILE *out, const struct dvmt_compare *c) {
  bool any = false;
  for (size_t i = 0; i < dvmt_compare_nfindings(c); i++) {
    const struct dvmt_finding *f = dvmt_compare_finding(c, i);
    char place[512];
    if (f->id != DVMT_FOUND_VALUE || !f->text)
      continue;
    struct dvmt_where w = dvmt_site_where(f->text);
    dvmt_where_text(&w, place, sizeof(place));
    fprintf(out, "dvm: %s '%s': %llu differ", place, f->variable, (unsigned long long)f->count);
    if (f->greatest_element && f->greatest.relative > 0)
      fprintf(out, ", by %.3g at most ('%s'%s%s%s)", f->greatest.relative, f->greatest_element,
              f->greatest_iteration && f->greatest_iteration[0] ? ", " : "",
              f->greatest_iteration ? f->greatest_iteration : "", "");
    fputc('\n', out);
    any = true;
  }
  if (!any)
    return;
  fputs("dvm: in the order of the first difference:", out);
  const char *before = "";
  for (size_t i = 0; i < dvmt_compare_nfindings(c); i++) {
    const struct dvmt_finding *f = dvmt_compare_finding(c, i);
    bool again = false;
    for (size_t k = 0; k < i; k++)
      again |= dvmt_compare_finding(c, k)->id != DVMT_FOUND_STRUCTURE && !strcmp(dvmt_compare_finding(c, k)->variable, f->variable);
    if (f->id == DVMT_FOUND_STRUCTURE || f->warning || again)
      continue;
    fprintf(out, "%s %s", before, f->variable);
    before = ",";
  }
  fputc('\n', out);
}

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

static bool ends(const char *s, const char *end) {
  size_t n = strlen(s), m = strlen(end);
  return n > m && !strcmp(s + n - m, end);
}

int dvmt_report_add_file(struct dvmt_report *r, const char *path, struct dvm_error *err) {
  if (!ends(path, ".sarif") && !ends(path, ".jsonl"))
    return dvm_error_set(err, -EINVAL, "'%s': expected a file name that ends in .jsonl or .sarif", path);
  if (r->nfiles == DVMT_REPORTS_MAX)
    return dvm_error_set(err, -EINVAL, "at most %d reports", DVMT_REPORTS_MAX);
  r->file[r->nfiles++] = path;
  return 0;
}

static json_t *text_of(const char *s, size_t n) {
  json_t *j = json_stringn(s, n);
  return j ? j : json_string("?");
}
static void set_text(json_t *j, const char *key, const char *s) {
  if (s && *s)
    json_object_set_new(j, key, text_of(s, strlen(s)));
}
static void set_place(json_t *j, const char *text) {
  struct dvmt_where w = dvmt_site_where(text);
  if (!w.file.s)
    return;
  json_object_set_new(j, "file", text_of(w.file.s, w.file.n));
  json_object_set_new(j, "line", json_integer(w.line));
  json_object_set_new(j, "column", json_integer(w.column));
}

/* Fields that only comparisons have. */
static void set_values(json_t *j, const struct dvmt_finding *f) {
  set_text(j, "element", f->element);
  set_text(j, "iteration", f->iteration);
  set_text(j, "value", f->value);
  set_text(j, "reference", f->reference_value);
  if (f->value && f->first.relative <= 1e300) {
    json_object_set_new(j, "relative", json_real(f->first.relative));
    json_object_set_new(j, "ulps", json_real(f->first.ulps <= 1e300 ? f->first.ulps : 0));
    json_object_set_new(j, "greatestRelative", json_real(f->greatest.relative <= 1e300 ? f->greatest.relative : 0));
    set_text(j, "greatestElement", f->greatest_element);
  }
}

static json_t *line_of(const struct dvmt_finding *f) {
  json_t *j = json_object();
  set_text(j, "id", id_names[f->id]);
  set_text(j, "severity", severity(f));
  if (f->text)
    set_place(j, f->text);
  set_text(j, "message", f->message);
  set_text(j, "variable", f->variable);
  if (f->construct) {
    json_t *construct = json_object();
    struct dvmt_span kind = dvmt_site_kind(f->construct);
    json_object_set_new(construct, "kind", text_of(kind.s, kind.n));
    set_place(construct, f->construct);
    json_object_set_new(j, "construct", construct);
  }
  json_object_set_new(j, "notes", json_array());
  json_object_set_new(j, "help", json_array());
  json_object_set_new(j, "count", json_integer((json_int_t)f->count));
  set_values(j, f);
  return j;
}

static json_t *uri_of(struct dvmt_span file) {
  char *out = malloc(3 * file.n + 1);
  size_t n = 0;
  for (size_t i = 0; out && i < file.n; i++) {
    unsigned char ch = (unsigned char)file.s[i];
    if ((ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z') || (ch >= 'a' && ch <= 'z') || strchr("/-._~", ch))
      out[n++] = (char)ch;
    else
      n += (size_t)sprintf(out + n, "%%%02X", ch);
  }
  json_t *j = out ? json_stringn(out, n) : NULL;
  free(out);
  return j;
}

static json_t *location_of(const char *text) {
  struct dvmt_where w = dvmt_site_where(text);
  return json_pack("{s:{s:{s:o},s:{s:i,s:i}}}", "physicalLocation", "artifactLocation", "uri", uri_of(w.file), "region",
                   "startLine", (int)(w.line ? w.line : 1), "startColumn", (int)(w.column ? w.column : 1));
}

static json_t *result_of(const struct dvmt_finding *f) {
  json_t *locations = json_array(), *related = json_array(), *properties = json_object();
  if (f->text && dvmt_site_where(f->text).file.s)
    json_array_append_new(locations, location_of(f->text));
  if (f->construct && dvmt_site_where(f->construct).file.s) {
    json_t *at = location_of(f->construct);
    char note[400];
    snprintf(note, sizeof(note), "in this construct%s%s%s", f->iteration[0] ? ", iteration (" : "", f->iteration, f->iteration[0] ? ")" : "");
    json_object_set_new(at, "message", json_pack("{s:o}", "text", text_of(note, strlen(note))));
    json_array_append_new(related, at);
  }
  set_text(properties, "variable", f->variable);
  set_values(properties, f);
  return json_pack("{s:s,s:i,s:s,s:{s:o},s:o,s:o,s:I,s:o}", "ruleId", id_names[f->id], "ruleIndex", (int)f->id, "level", severity(f),
                   "message", "text", text_of(f->message, strlen(f->message)), "locations", locations, "relatedLocations", related,
                   "occurrenceCount", (json_int_t)f->count, "properties", properties);
}

static json_t *sarif_of(const struct dvmt_compare *c) {
  json_t *rules = json_array(), *results = json_array();
  for (int i = 0; i < DVMT_NFINDING_IDS; i++)
    json_array_append_new(rules, json_pack("{s:s,s:{s:s}}", "id", id_names[i], "shortDescription", "text", id_meanings[i]));
  for (size_t i = 0; i < dvmt_compare_nfindings(c); i++)
    json_array_append_new(results, result_of(dvmt_compare_finding(c, i)));
  return json_pack("{s:s,s:s,s:[{s:{s:{s:s,s:o}},s:s,s:o}]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json", "version",
                   "2.1.0", "runs", "tool", "driver", "name", "dvm", "rules", rules, "columnKind", "unicodeCodePoints", "results", results);
}

static int write_file(const char *path, const struct dvmt_compare *c, struct dvm_error *err) {
  FILE *f = fopen(path, "we");
  int rc = f ? 0 : dvm_error_errno(err, "cannot write '%s'", path);
  if (rc)
    return rc;
  if (ends(path, ".sarif")) {
    json_t *j = sarif_of(c);
    rc = j && !json_dumpf(j, f, JSON_INDENT(1)) ? 0 : -EIO;
    json_decref(j);
    fputc('\n', f);
  } else {
    for (size_t i = 0; i < dvmt_compare_nfindings(c) && !rc; i++) {
      json_t *j = line_of(dvmt_compare_finding(c, i));
      rc = json_dumpf(j, f, JSON_COMPACT) ? -EIO : 0;
      json_decref(j);
      fputc('\n', f);
    }
  }
  if (fclose(f) || rc)
    return dvm_error_set(err, -EIO, "cannot write '%s'", path);
  return 0;
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
  print_variables(r->out, c);
  if (errors || warnings) {
    fprintf(r->out, "dvm: %llu error%s (%llu occurrence%s) against '%s'", (unsigned long long)errors, errors == 1 ? "" : "s",
            (unsigned long long)hits, hits == 1 ? "" : "s", r->reference);
    fprintf(r->out, "; %llu value%s compared", (unsigned long long)t->values, t->values == 1 ? "" : "s");
    if (t->skipped)
      fprintf(r->out, ", %llu records of the reference skipped to find a common construct", (unsigned long long)t->skipped);
    fputc('\n', r->out);
  }
  for (int i = 0; i < r->nfiles && !rc; i++)
    rc = write_file(r->file[i], c, err);
  return rc ? rc : (int64_t)errors;
}
