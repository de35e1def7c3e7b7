#define _GNU_SOURCE
#include "driver/trace/command/show.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/json.h"
#include "driver/trace/compare/call.h"
#include "runtime/trace/config.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/lead.h"
#include "driver/trace/format/pack.h"
#include "driver/trace/format/reader.h"
#include "driver/trace/format/value.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"?",         "read",   "write",      "iteration", "enter", "leave", "result",
                                         "directive", "digest", "unrecorded", "lost",      "call",  "return"};

static int write_json(json_t *j, FILE *out, struct dvm_error *err) {
  int rc = j ? json_dumpf(j, out, JSON_COMPACT | JSON_REAL_PRECISION(17)) : -1;
  json_decref(j);
  fputc('\n', out);
  return rc ? dvm_error_set(err, -EIO, "cannot write JSON") : 0;
}

/* ---- info ------------------------------------------------------------------------------------------------------------------ */

/* The program is told before the first record. */
static const char *program_of(struct dvmt_reader *r) {
  struct dvmt_record first;
  struct dvm_error none = DVM_ERROR_INIT;
  dvmt_reader_next(r, &first, &none);
  return dvmt_reader_program(r);
}

static const char *state_of(const struct dvmt_summary *s) {
  return !s->whole     ? "torn: the recording did not finish; everything up to the last complete block is here"
         : s->complete ? "complete"
                       : "whole, but the program did not end by itself";
}

int dvmt_show_info(const char *path, const struct dvmt_show *show, FILE *out, struct dvm_error *err) {
  static const char *const keys[] = {"command", "folder", "time", "level", "dvm"};
  struct dvmt_reader *r = dvmt_file_open(path, err);
  struct dvmt_summary s;
  int rc = r ? dvmt_reader_summary(r, &s, err) : err->code;
  if (!rc && show->json) {
    json_t *j = json_object();
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
      if (dvmt_reader_meta(r, keys[i]))
        json_object_set_new(j, keys[i], dvmt_json_text(dvmt_reader_meta(r, keys[i]), strlen(dvmt_reader_meta(r, keys[i]))));
    if (program_of(r))
      json_object_set_new(j, "program", dvmt_json_text(dvmt_reader_program(r), strlen(dvmt_reader_program(r))));
    json_object_set_new(j, "whole", json_boolean(s.whole));
    json_object_set_new(j, "complete", json_boolean(s.complete));
    if (s.status >= 0)
      json_object_set_new(j, "status", json_integer(s.status));
    json_object_set_new(j, "records", json_integer((json_int_t)s.records));
    json_object_set_new(j, "constructs", json_integer((json_int_t)s.enters));
    json_object_set_new(j, "blocks", json_integer((json_int_t)s.blocks));
    json_object_set_new(j, "fileBytes", json_integer((json_int_t)s.file_bytes));
    json_object_set_new(j, "rawBytes", json_integer((json_int_t)s.raw_bytes));
    json_object_set_new(j, "lostBytes", json_integer((json_int_t)s.lost_bytes));
    json_object_set_new(j, "codec", json_string(dvmt_codec_name(s.codec)));
    rc = write_json(j, out, err);
  } else if (!rc) {
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
      fprintf(out, "%-10s %s\n", keys[i], dvmt_reader_meta(r, keys[i]) ? dvmt_reader_meta(r, keys[i]) : "?");
    fprintf(out, "%-10s %s\n", "program", program_of(r) ? dvmt_reader_program(r) : "?");
    if (s.status >= 0)
      fprintf(out, "%-10s %d\n", "ended", s.status);
    fprintf(out, "%-10s %s\n%-10s %llu in %llu blocks\n%-10s %llu bytes, %llu unpacked (%s)\n", "state", state_of(&s), "records",
            (unsigned long long)s.records, (unsigned long long)s.blocks, "size", (unsigned long long)s.file_bytes,
            (unsigned long long)s.raw_bytes, dvmt_codec_name(s.codec));
    if (s.lost_bytes)
      fprintf(out, "%-10s %llu bytes after the last complete block\n", "lost", (unsigned long long)s.lost_bytes);
  }
  dvmt_reader_close(r);
  return rc;
}

/* ---- dump ------------------------------------------------------------------------------------------------------------------ */

static void lead_text(const struct dvmt_reader *r, uint64_t word, char *buf, size_t size) {
  const struct dvmt_object_def *found = NULL;
  for (size_t i = 0; (word & DVMT_LEAD_NAMED) && !found && i < dvmt_reader_nobjects(r); i++) {
    const struct dvmt_object_def *o = dvmt_reader_object(r, i);
    if (!(o->flags & DVMT_OBJECT_POINTED) && dvmt_lead_hash(o->name) == (dvmt_lead_object(word) & (DVMT_LEAD_NUMBERS - 1)))
      found = o;
  }
  dvmt_lead_text(word, found, buf, size);
}

/* What stands behind place and kind. */
static void detail(const struct dvmt_reader *r, const struct dvmt_record *rec, char *buf, size_t size) {
  const char *text = rec->kind == DVMT_LOST ? "" : dvmt_reader_site(r, rec->site)->text;
  char element[256], value[128], call[400];
  buf[0] = 0;
  switch (rec->kind) {
  case DVMT_READ:
  case DVMT_WRITE:
    dvmt_element_text(dvmt_reader_object(r, rec->object), rec->offset, text, element, sizeof(element));
    if (dvmt_type_of(text).kind == 'p')
      lead_text(r, rec->words[0], value, sizeof(value));
    else
      dvmt_value_text(dvmt_type_of(text), rec->words, value, sizeof(value));
    snprintf(buf, size, "%s = %s", element, value);
    break;
  case DVMT_ITER: dvmt_iteration_text(text, rec->words, rec->nwords, buf, size); break;
  case DVMT_ENTER:
    dvmt_call_text(text, rec->words + 1, rec->nwords - 1, call, sizeof(call));
    snprintf(buf, size, "%.*s, level %s%s%s", (int)dvmt_site_kind(text).n, dvmt_site_kind(text).s,
             dvmt_level_name((enum dvmt_level)dvmt_enter_level(rec->words)), *call ? ": " : "", call);
    break;
  case DVMT_DIRECT:
    dvmt_call_text(text, rec->words, rec->nwords, call, sizeof(call));
    snprintf(buf, size, "%.*s %s", (int)dvmt_site_kind(text).n, dvmt_site_kind(text).s, call);
    break;
  case DVMT_LEAVE: snprintf(buf, size, "%.*s", (int)dvmt_site_kind(text).n, dvmt_site_kind(text).s); break;
  case DVMT_RESULT: {
    struct dvmt_type type;
    dvmt_result_name(text, rec->words[0], &type);
    dvmt_text_result(text, rec->words[0], element, sizeof(element));
    dvmt_value_text(type, rec->words + 2, value, sizeof(value));
    snprintf(buf, size, "%s = %s", element, value);
    break;
  }
  case DVMT_DIGEST: snprintf(buf, size, "%s: %016llx", dvmt_reader_object(r, rec->object)->name, (unsigned long long)rec->words[1]); break;
  case DVMT_UNRECORDED:
    snprintf(buf, size, "%s",
             rec->words[0] == DVMT_WHY_THREAD    ? "another thread"
             : rec->words[0] == DVMT_WHY_OPENMP  ? "an OpenMP construct or 'array_copy'"
             : rec->words[0] == DVMT_WHY_FOREIGN ? "foreign code"
                                                 : "foreign code, not examined");
    break;
  case DVMT_CALL:
  case DVMT_RETURN:
    snprintf(buf, size, "%.*s", (int)dvmt_text_line(text, DVMRT_TRACE_FUNCTION).n, dvmt_text_line(text, DVMRT_TRACE_FUNCTION).s);
    break;
  case DVMT_LOST: snprintf(buf, size, "%llu records in a damaged block", (unsigned long long)rec->words[0]); break;
  }
}

static int dump_one(const struct dvmt_reader *r, const struct dvmt_record *rec, uint64_t number, bool as_json, FILE *out,
                    struct dvm_error *err) {
  char what[512], place[512] = "?";
  const char *text = rec->kind == DVMT_LOST ? "" : dvmt_reader_site(r, rec->site)->text;
  struct dvmt_where w = dvmt_site_where(text);
  detail(r, rec, what, sizeof(what));
  if (!as_json) {
    dvmt_where_text(&w, place, sizeof(place));
    fprintf(out, "%10llu  %-9s  %-20s  %s\n", (unsigned long long)number, kind_names[rec->kind], place, what);
    return ferror(out) ? dvm_error_set(err, -EIO, "cannot write") : 0;
  }
  json_t *j = json_object();
  json_object_set_new(j, "record", json_integer((json_int_t)number));
  json_object_set_new(j, "kind", json_string(kind_names[rec->kind]));
  dvmt_json_place(j, text);
  if (rec->kind == DVMT_READ || rec->kind == DVMT_WRITE) {
    char element[256], value[128], type[64];
    dvmt_element_text(dvmt_reader_object(r, rec->object), rec->offset, text, element, sizeof(element));
    dvmt_value_text(dvmt_type_of(text), rec->words, value, sizeof(value));
    json_object_set_new(j, "element", dvmt_json_text(element, strlen(element)));
    json_object_set_new(j, "value", json_string(value));
    json_object_set_new(j, "type", json_string(dvmt_type_name(dvmt_type_of(text), type, sizeof(type))));
  } else {
    json_object_set_new(j, "what", dvmt_json_text(what, strlen(what)));
  }
  return write_json(j, out, err);
}

static void note_torn(const struct dvmt_reader *r, const char *path) {
  if (dvmt_reader_torn(r))
    fprintf(stderr, "dvm: warning: '%s' is torn: %s\n", path, dvmt_reader_torn(r));
}

int dvmt_show_dump(const char *path, struct dvmt_show *show, FILE *out, struct dvm_error *err) {
  struct dvmt_filter f = {.wanted = NULL};
  struct dvmt_record rec;
  uint64_t number, shown = 0;
  struct dvmt_reader *r = dvmt_file_open(path, err);
  int rc = r ? dvmt_filter_begin(&f, &show->wanted, r, err) : err->code, more = 0;
  while (!rc && shown < show->limit && (more = dvmt_filter_next(&f, r, &rec, &number, err)) > 0) {
    rc = dump_one(r, &rec, number, show->json, out, err);
    shown++;
  }
  if (!rc) {
    note_torn(r, path);
    if (!more)
      dvmt_filter_note(&f, path);
  }
  dvmt_reader_close(r);
  dvmt_filter_fini(&f);
  return rc ? rc : more < 0 ? more : 0;
}

/* ---- stat ------------------------------------------------------------------------------------------------------------------ */

struct counts {
  uint64_t enters, iterations, reads, writes;
};
struct stat {
  struct counts *sites, *objects; /* owned */
  size_t nsites, nobjects;
  uint64_t lost;              /* records in damaged blocks */
  uint32_t open[256];
  int depth;
};

static bool fit(struct counts **rows, size_t *n, size_t want) {
  if (want <= *n)
    return true;
  struct counts *p = realloc(*rows, want * sizeof(*p));
  if (!p)
    return false;
  memset(p + *n, 0, (want - *n) * sizeof(*p));
  *rows = p;
  *n = want;
  return true;
}

static bool count(struct stat *s, const struct dvmt_reader *r, const struct dvmt_record *rec) {
  if (rec->kind == DVMT_LOST) {
    s->lost += rec->words[0];
    return true;
  }
  if (!fit(&s->sites, &s->nsites, dvmt_reader_nsites(r)) || !fit(&s->objects, &s->nobjects, dvmt_reader_nobjects(r)))
    return false;
  struct counts *own = &s->sites[rec->site], *in = s->depth ? &s->sites[s->open[s->depth - 1]] : NULL;
  switch (rec->kind) {
  case DVMT_ENTER:
    own->enters++;
    if (s->depth < 256)
      s->open[s->depth++] = rec->site;
    break;
  case DVMT_LEAVE: s->depth -= s->depth > 0; break;
  case DVMT_ITER: own->iterations++; break;
  case DVMT_READ:
    s->objects[rec->object].reads++;
    if (in)
      in->reads++;
    break;
  case DVMT_WRITE:
    s->objects[rec->object].writes++;
    if (in)
      in->writes++;
  }
  return true;
}

static json_t *counts_json(const struct counts *c, bool construct) {
  json_t *j = json_object();
  if (construct) {
    json_object_set_new(j, "executions", json_integer((json_int_t)c->enters));
    json_object_set_new(j, "iterations", json_integer((json_int_t)c->iterations));
  }
  json_object_set_new(j, "reads", json_integer((json_int_t)c->reads));
  json_object_set_new(j, "writes", json_integer((json_int_t)c->writes));
  return j;
}

static int stat_json(const struct stat *s, const struct dvmt_reader *r, FILE *out, struct dvm_error *err) {
  json_t *all = json_object(), *constructs = json_array(), *variables = json_array();
  for (size_t i = 0; i < s->nsites; i++) {
    const char *text = dvmt_reader_site(r, i)->text;
    if (!s->sites[i].enters)
      continue;
    json_t *j = counts_json(&s->sites[i], true);
    json_object_set_new(j, "kind", dvmt_json_text(dvmt_site_kind(text).s, dvmt_site_kind(text).n));
    dvmt_json_place(j, text);
    json_array_append_new(constructs, j);
  }
  for (size_t i = 0; i < s->nobjects; i++) {
    json_t *j = counts_json(&s->objects[i], false);
    json_object_set_new(j, "name", dvmt_json_text(dvmt_reader_object(r, i)->name, strlen(dvmt_reader_object(r, i)->name)));
    json_array_append_new(variables, j);
  }
  json_object_set_new(all, "constructs", constructs);
  json_object_set_new(all, "variables", variables);
  return write_json(all, out, err);
}

static void stat_text(const struct stat *s, const struct dvmt_reader *r, FILE *out) {
  char place[512];
  fprintf(out, "%-12s %-24s %12s %14s %14s %14s\n", "construct", "place", "executions", "iterations", "reads", "writes");
  for (size_t i = 0; i < s->nsites; i++) {
    const struct counts *c = &s->sites[i];
    const char *text = dvmt_reader_site(r, i)->text;
    struct dvmt_where w = dvmt_site_where(text);
    if (!c->enters)
      continue;
    dvmt_where_text(&w, place, sizeof(place));
    fprintf(out, "%-12.*s %-24s %12llu %14llu %14llu %14llu\n", (int)dvmt_site_kind(text).n, dvmt_site_kind(text).s, place,
            (unsigned long long)c->enters, (unsigned long long)c->iterations, (unsigned long long)c->reads, (unsigned long long)c->writes);
  }
  fprintf(out, "\n%-37s %12s %14s %14s %14s\n", "variable", "", "", "reads", "writes");
  for (size_t i = 0; i < s->nobjects; i++)
    if (s->objects[i].reads || s->objects[i].writes)
      fprintf(out, "%-37s %12s %14s %14llu %14llu\n", dvmt_reader_object(r, i)->name, "", "", (unsigned long long)s->objects[i].reads,
              (unsigned long long)s->objects[i].writes);
}

int dvmt_show_stat(const char *path, struct dvmt_show *show, FILE *out, struct dvm_error *err) {
  struct dvmt_filter f = {.wanted = NULL};
  struct dvmt_reader *r = dvmt_file_open(path, err);
  struct stat s = {.depth = 0};
  struct dvmt_record rec;
  uint64_t number;
  int rc = r ? dvmt_filter_begin(&f, &show->wanted, r, err) : err->code, more = 0;
  while (!rc && (more = dvmt_filter_next(&f, r, &rec, &number, err)) > 0)
    if (!count(&s, r, &rec))
      rc = dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc && more < 0)
    rc = more;
  if (!rc && show->json)
    rc = stat_json(&s, r, out, err);
  else if (!rc)
    stat_text(&s, r, out);
  if (!rc) {
    dvmt_file_note_lost(path, s.lost);
    note_torn(r, path);
    dvmt_filter_note(&f, path);
  }
  free(s.sites);
  free(s.objects);
  dvmt_reader_close(r);
  dvmt_filter_fini(&f);
  return rc;
}
