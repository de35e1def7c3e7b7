#define _GNU_SOURCE
#include "driver/trace/command/report_file.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/json.h"
#include "driver/trace/command/source.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[DVMT_NFINDING_IDS] = {"dvm-trace-value", "dvm-trace-structure", "dvm-trace-nan"};
static const char *const meanings[DVMT_NFINDING_IDS] = {
    "a value differs from the reference by more than the tolerance",
    "the run does something other than the reference: different iterations, constructs or accesses", "a value is NaN or infinite"};

const char *dvmt_finding_name(enum dvmt_finding_id id) { return names[id]; }
const char *dvmt_finding_severity(const struct dvmt_finding *f) { return f->warning ? "warning" : "error"; }

static bool ends(const char *s, const char *end) {
  size_t n = strlen(s), m = strlen(end);
  return n > m && !strcmp(s + n - m, end);
}

bool dvmt_finding_help(const struct dvmt_finding *f, char *buf, size_t size) {
  struct dvmt_span from =
      f->text && f->id != DVMT_FOUND_STRUCTURE ? dvmt_text_line(f->text, DVMRT_TRACE_NATURE) : (struct dvmt_span){NULL, 0};
  if (!from.s)
    return false;
  snprintf(buf, size, "this value comes from '%.*s' and varies from run to run: '--ignore variable:%s' excludes it", (int)from.n, from.s,
           f->variable);
  return true;
}

bool dvmt_report_is_known(const char *path) { return ends(path, ".sarif") || ends(path, ".jsonl"); }

/* ---- parts that both formats have ------------------------------------------------------------------------------------------ */

static void set_text(json_t *j, const char *key, const char *s) {
  if (s && *s)
    json_object_set_new(j, key, dvmt_json_text(s, strlen(s)));
}
static void set_number(json_t *j, const char *key, double x) {
  if (x <= 1e300) /* neither infinite nor NaN */
    json_object_set_new(j, key, json_real(x));
}

/* Fields that only comparisons have. */
static void set_values(json_t *j, const struct dvmt_finding *f) {
  set_text(j, "element", f->element);
  set_text(j, "iteration", f->iteration);
  if (f->execution)
    json_object_set_new(j, "execution", json_integer((json_int_t)f->execution));
  if (!f->doubt && f->record)
    json_object_set_new(j, "record", json_integer((json_int_t)f->record - 1));
  set_text(j, "calls", f->calls);
  set_text(j, "value", f->value);
  set_text(j, "reference", f->reference_value);
  if (f->value && f->first.relative <= 1e300) {
    set_number(j, "relative", f->first.relative);
    set_number(j, "ulps", f->first.ulps);
    set_number(j, "greatestRelative", f->greatest.relative);
    set_text(j, "greatestElement", f->greatest_element);
  }
}

static bool has_place(const char *text) { return text && dvmt_site_where(text).file.s; }

static json_t *note_of(const struct dvmt_finding *f) {
  bool in_iteration = f->iteration && f->iteration[0];
  struct dvmt_span kind = dvmt_site_kind(f->construct);
  char note[400];
  snprintf(note, sizeof(note), "in this %.*s%s%s%s%s", (int)kind.n, kind.s, kind.n && kind.s[0] == 'l' ? "" : " construct",
           in_iteration ? ", iteration (" : "", in_iteration ? f->iteration : "", in_iteration ? ")" : "");
  return dvmt_json_text(note, strlen(note));
}

static json_t *help_of(const struct dvmt_finding *f) {
  json_t *all = json_array();
  char help[400];
  if (dvmt_finding_help(f, help, sizeof(help)))
    json_array_append_new(all, dvmt_json_text(help, strlen(help)));
  return all;
}

/* ---- JSON lines ------------------------------------------------------------------------------------------------------------ */

static json_t *line_of(const struct dvmt_finding *f, int rank) {
  json_t *j = json_object(), *notes = json_array();
  set_text(j, "id", names[f->id]);
  set_text(j, "severity", dvmt_finding_severity(f));
  if (rank >= 0)
    json_object_set_new(j, "rank", json_integer(rank));
  if (f->text)
    dvmt_json_place(j, f->text);
  set_text(j, "message", f->message);
  json_object_set_new(j, "variable", dvmt_json_text(f->variable, strlen(f->variable)));
  if (f->construct) {
    json_t *construct = json_object(), *note = json_object();
    struct dvmt_span kind = dvmt_site_kind(f->construct);
    json_object_set_new(construct, "kind", dvmt_json_text(kind.s, kind.n));
    dvmt_json_place(construct, f->construct);
    json_object_set_new(j, "construct", construct);
    dvmt_json_place(note, f->construct);
    json_object_set_new(note, "message", note_of(f));
    json_array_append_new(notes, note);
  }
  json_object_set_new(j, "notes", notes);
  json_object_set_new(j, "help", help_of(f));
  json_object_set_new(j, "count", json_integer((json_int_t)f->count));
  set_values(j, f);
  return j;
}

/* ---- SARIF ----------------------------------------------------------------------------------------------------------------- */

/* An absolute name becomes a file URI; a relative one is a reference to be resolved by the reader. */
static json_t *uri_of(struct dvmt_span file) {
  char *out = malloc(3 * file.n + 8);
  size_t n = 0;
  if (out && file.n && file.s[0] == '/')
    n = (size_t)sprintf(out, "file://");
  for (size_t i = 0; out && i < file.n; i++) {
    unsigned char ch = (unsigned char)file.s[i];
    if ((ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z') || (ch >= 'a' && ch <= 'z') || (ch && strchr("/-._~+", ch)))
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
  return json_pack("{s:{s:{s:o},s:{s:i,s:i}}}", "physicalLocation", "artifactLocation", "uri", uri_of(w.file), "region", "startLine",
                   (int)(w.line ? w.line : 1), "startColumn", (int)dvmt_source_column(&w));
}

/* '](' would be a link to a reader of SARIF: a blank parts the two. */
static json_t *message_of(const char *s) {
  char *out = malloc(2 * strlen(s) + 1);
  size_t n = 0;
  for (; out && *s; s++) {
    out[n++] = *s;
    if (s[0] == ']' && s[1] == '(')
      out[n++] = ' ';
  }
  json_t *j = out ? dvmt_json_text(out, n) : NULL;
  free(out);
  return json_pack("{s:o}", "text", j);
}

static json_t *message_with_help(const struct dvmt_finding *f) {
  char help[400], *all = NULL;
  bool has = dvmt_finding_help(f, help, sizeof(help));
  if (asprintf(&all, "%s%s%s", f->message, has ? "\n" : "", has ? help : "") < 0)
    return NULL;
  json_t *j = message_of(all);
  free(all);
  return j;
}

static json_t *result_of(const struct dvmt_finding *f, int rank) {
  json_t *locations = json_array(), *related = json_array(), *properties = json_object(), *notes = json_array();
  if (has_place(f->text))
    json_array_append_new(locations, location_of(f->text));
  if (has_place(f->construct)) {
    json_t *at = location_of(f->construct);
    json_object_set_new(at, "id", json_integer(0));
    json_object_set_new(at, "message", json_pack("{s:o}", "text", note_of(f)));
    json_array_append_new(related, at);
  } else if (f->construct) {
    json_array_append_new(notes, note_of(f));
  }
  json_object_set_new(properties, "variable", dvmt_json_text(f->variable, strlen(f->variable)));
  json_object_set_new(properties, "notes", notes);
  if (rank >= 0)
    json_object_set_new(properties, "rank", json_integer(rank));
  set_values(properties, f);
  return json_pack("{s:s,s:i,s:s,s:o,s:o,s:o,s:I,s:o}", "ruleId", names[f->id], "ruleIndex", (int)f->id, "level", dvmt_finding_severity(f),
                   "message", message_with_help(f), "locations", locations, "relatedLocations", related, "occurrenceCount",
                   (json_int_t)f->count, "properties", properties);
}

static json_t *rule_of(int id) {
  char help[80];
  snprintf(help, sizeof(help), "'dvm help %s' shows an example and its repair", names[id]);
  return json_pack("{s:s,s:{s:s},s:{s:s},s:{s:s}}", "id", names[id], "shortDescription", "text", meanings[id], "help", "text", help,
                   "defaultConfiguration", "level", "error");
}

static json_t *sarif_of(const struct dvmt_compare *const *c, size_t n, bool ranks) {
  json_t *rules = json_array(), *results = json_array();
  for (int i = 0; i < DVMT_NFINDING_IDS; i++)
    json_array_append_new(rules, rule_of(i));
  for (size_t r = 0; r < n; r++)
    for (size_t i = 0; i < dvmt_compare_nfindings(c[r]); i++)
      json_array_append_new(results, result_of(dvmt_compare_finding(c[r], i), ranks ? (int)r : -1));
  return json_pack("{s:s,s:s,s:[{s:{s:{s:s,s:o}},s:s,s:o}]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json", "version",
                   "2.1.0", "runs", "tool", "driver", "name", "dvm", "rules", rules, "columnKind", "unicodeCodePoints", "results", results);
}

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

static int write_lines(FILE *f, const struct dvmt_compare *const *c, size_t n, bool ranks) {
  int rc = 0;
  for (size_t r = 0; r < n; r++)
    for (size_t i = 0; i < dvmt_compare_nfindings(c[r]) && !rc; i++) {
      json_t *j = line_of(dvmt_compare_finding(c[r], i), ranks ? (int)r : -1);
      rc = json_dumpf(j, f, JSON_COMPACT) ? -EIO : 0;
      json_decref(j);
      fputc('\n', f);
    }
  return rc;
}

static int write_sarif(FILE *f, const struct dvmt_compare *const *c, size_t n, bool ranks) {
  json_t *j = sarif_of(c, n, ranks);
  int rc = j && !json_dumpf(j, f, JSON_INDENT(1)) ? 0 : -EIO;
  json_decref(j);
  fputc('\n', f);
  return rc;
}

int dvmt_report_write(const char *path, const struct dvmt_compare *const *c, size_t n, bool ranks, struct dvm_error *err) {
  FILE *f = fopen(path, "we");
  if (!f)
    return dvm_error_errno(err, "cannot write '%s'", path);
  int rc = (ends(path, ".sarif") ? write_sarif : write_lines)(f, c, n, ranks);
  int close_rc = dvmt_file_close(f, path, err);
  return close_rc || !rc ? close_rc : dvm_error_set(err, rc, "cannot write '%s'", path);
}
