/* Values as text, one in a line, or as columns of numpy's.  Of each: its record, whether it was read, written or a result, variable, element,
 * place, function and value.  Files of columns have an array for each variable and what is in it: NAME.value, NAME.element (number of the
 * element, or byte where it has no shape), NAME.record, NAME.site; sites and shapes are in 'trace.json' beside them. */
#define _GNU_SOURCE
#include "driver/trace/command/export.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/json.h"
#include "driver/trace/command/npz.h"
#include "driver/trace/format/value.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A value with its type, wherever it stands in the record. */
struct value {
  struct dvmt_type type;
  const uint64_t *words;
};

/* Of each site what is written again and again. */
struct site_text {
  char *csv, *json; /* owned */
  struct dvmt_type type;
};
struct group {
  char *name;
  uint32_t object;
  uint8_t kind;
  struct dvmt_type type;
  int value, imaginary, element, record, site;
};
struct exporting {
  struct dvmt_reader *r;
  FILE *out;
  struct dvmt_npz *npz;
  struct site_text *sites; /* owned */
  size_t nsites;
  struct group *groups; /* owned */
  size_t ngroups, last;
};

static const char *kind_of(uint8_t kind) { return kind == DVMT_READ ? "read" : kind == DVMT_WRITE ? "write" : "result"; }

static struct value value_of(const struct exporting *e, const struct dvmt_record *rec, struct dvmt_span *name) {
  struct value v = {e->sites[rec->site].type, rec->words};
  if (rec->kind == DVMT_RESULT) {
    *name = dvmt_result_name(dvmt_reader_site(e->r, rec->site)->text, rec->words[0], &v.type);
    v.words = rec->words + 2;
    return v;
  }
  const char *s = dvmt_reader_object(e->r, rec->object)->name;
  *name = (struct dvmt_span){s, strlen(s)};
  return v;
}

/* ---- text -------------------------------------------------------------------------------------------------------------------------- */

/* "file,line,function" with quotation marks where they are needed; and the same for JSON. */
static int make_text(struct site_text *t, const char *text) {
  struct dvmt_where w = dvmt_site_where(text);
  struct dvmt_span f = dvmt_text_line(text, DVMRT_TRACE_FUNCTION);
  bool quoted = w.file.s && (memchr(w.file.s, ',', w.file.n) || memchr(w.file.s, '"', w.file.n));
  json_t *j = json_pack("{s:o,s:i,s:i,s:o}", "file", dvmt_json_text(w.file.s ? w.file.s : "", w.file.n), "line", (int)w.line, "column",
                        (int)w.column, "function", dvmt_json_text(f.s ? f.s : "", f.n));
  t->json = json_dumps(j, JSON_COMPACT);
  json_decref(j);
  t->type = dvmt_type_of(text);
  if (asprintf(&t->csv, "%s%.*s%s,%u,%.*s", quoted ? "\"" : "", (int)w.file.n, w.file.s ? w.file.s : "", quoted ? "\"" : "", w.line,
               (int)f.n, f.s ? f.s : "") < 0)
    t->csv = NULL;
  return t->csv && t->json ? 0 : -ENOMEM;
}

static int learn(struct exporting *e) {
  size_t n = dvmt_reader_nsites(e->r);
  struct site_text *rows = n > e->nsites ? realloc(e->sites, n * sizeof(*rows)) : e->sites;
  if (n && !rows)
    return -ENOMEM;
  e->sites = rows;
  for (; e->nsites < n; e->nsites++)
    if (make_text(&e->sites[e->nsites], dvmt_reader_site(e->r, e->nsites)->text))
      return -ENOMEM;
  return 0;
}

/* As many digits as tell a number from its neighbours, without a search for the fewest. */
static void number_text(const struct value *v, char *buf, size_t size) {
  double d;
  float s;
  if (v->type.kind == 'f' && v->type.bytes == 8) {
    memcpy(&d, v->words, 8);
    snprintf(buf, size, "%.17g", d);
  } else if (v->type.kind == 'f' && v->type.bytes == 4) {
    memcpy(&s, v->words, 4);
    snprintf(buf, size, "%.9g", (double)s);
  } else {
    dvmt_value_text(v->type, v->words, buf, size);
  }
}

static bool is_json_number(const struct value *v) {
  return (v->type.kind == 'f' && !dvmt_value_special(v->type, v->words)) || v->type.kind == 'i' || v->type.kind == 'u' ||
         v->type.kind == 'b';
}

static void write_text(struct exporting *e, const struct dvmt_record *rec, uint64_t number, bool json) {
  struct dvmt_span name;
  struct value v = value_of(e, rec, &name);
  char element[300], text[160];
  const struct site_text *t = &e->sites[rec->site];
  if (rec->kind == DVMT_RESULT)
    snprintf(element, sizeof(element), "%.*s", (int)name.n, name.s);
  else
    dvmt_element_text(dvmt_reader_object(e->r, rec->object), rec->offset, dvmt_reader_site(e->r, rec->site)->text, element,
                      sizeof(element));
  number_text(&v, text, sizeof(text));
  if (!json) {
    fprintf(e->out, "%llu,%s,%.*s,\"%s\",%s,%s\n", (unsigned long long)number, kind_of(rec->kind), (int)name.n, name.s, element, t->csv,
            text);
    return;
  }
  json_t *j = dvmt_json_text(element, strlen(element));
  char *quoted = json_dumps(j, JSON_ENCODE_ANY);
  const char *mark = is_json_number(&v) ? "" : "\"";
  fprintf(e->out, "{\"record\":%llu,\"kind\":\"%s\",\"variable\":\"%.*s\",\"element\":%s,\"value\":%s%s%s,%s\n", (unsigned long long)number,
          kind_of(rec->kind), (int)name.n, name.s, quoted ? quoted : "\"\"", mark, text, mark, t->json + 1);
  free(quoted);
  json_decref(j);
}

/* ---- columns ------------------------------------------------------------------------------------------------------------------------ */

static const char *numpy_type(struct dvmt_type t, unsigned *bytes) {
  *bytes = t.bytes;
  switch (t.kind) {
  case 'f': return t.bytes == 4 ? "<f4" : t.bytes == 8 ? "<f8" : t.bytes == 2 ? "<f2" : "<f16";
  case 'c': return t.bytes == 8 ? "<c8" : t.bytes == 16 ? "<c16" : "<c32";
  case 'i': return t.bytes == 1 ? "|i1" : t.bytes == 2 ? "<i2" : t.bytes == 4 ? "<i4" : t.bytes == 8 ? "<i8" : "|V16";
  case 'u': return t.bytes == 1 ? "|u1" : t.bytes == 2 ? "<u2" : t.bytes == 4 ? "<u4" : t.bytes == 8 ? "<u8" : "|V16";
  case 'b':
  case 'p': *bytes = 1; return "|b1";
  case 'q': return "|V16";
  default: return NULL;
  }
}

static struct group *new_group(struct exporting *e, const struct dvmt_record *rec, struct dvmt_span name, struct dvmt_type type) {
  struct group *rows = realloc(e->groups, (e->ngroups + 1) * sizeof(*rows)), *g;
  const char *more = rec->kind == DVMT_READ ? "@read" : rec->kind == DVMT_RESULT ? "@result" : "";
  char column[400], *full = NULL;
  unsigned bytes;
  const char *numpy = numpy_type(type, &bytes);
  size_t same = 0;
  if (!rows || !numpy)
    return NULL;
  e->groups = rows;
  for (size_t i = 0; i < e->ngroups; i++) { /* of another type or shape */
    size_t n = strlen(rows[i].name);
    same += n >= name.n && !strncmp(rows[i].name, name.s, name.n) && !strncmp(rows[i].name + name.n, more, strlen(more)) &&
            (rows[i].name[name.n + strlen(more)] == 0 || rows[i].name[name.n + strlen(more)] == '#');
  }
  if (asprintf(&full, same ? "%.*s%s#%zu" : "%.*s%s", (int)name.n, name.s, more, same + 1) < 0)
    return NULL;
  for (char *p = full; *p; p++)
    if (*p == '/')
      *p = '_';
  g = &rows[e->ngroups++];
  *g = (struct group){full, rec->object, rec->kind, type, 0, 0, 0, 0, 0};
  static const char *const parts[] = {"value", "element", "record", "site"};
  int *const to[] = {&g->value, &g->element, &g->record, &g->site};
  for (int i = 0; i < 4; i++) {
    snprintf(column, sizeof(column), "%s.%s", full, parts[i]);
    *to[i] = dvmt_npz_column(e->npz, column, i == 0 ? numpy : i == 3 ? "<u4" : i == 1 ? "<i8" : "<u8", i == 0 ? bytes : i == 3 ? 4 : 8);
  }
  return g;
}

static struct group *group_of(struct exporting *e, const struct dvmt_record *rec, struct dvmt_span name, struct dvmt_type type) {
  for (size_t i = 0; i < e->ngroups; i++) {
    struct group *g = &e->groups[(e->last + i) % e->ngroups];
    if (g->object == rec->object && g->kind == rec->kind && g->type.kind == type.kind && g->type.bytes == type.bytes &&
        (rec->kind != DVMT_RESULT || !strncmp(g->name, name.s, name.n))) {
      e->last = (size_t)(g - e->groups);
      return g;
    }
  }
  return new_group(e, rec, name, type);
}

static int write_columns(struct exporting *e, const struct dvmt_record *rec, uint64_t number) {
  struct dvmt_span name;
  struct value v = value_of(e, rec, &name);
  struct group *g = v.type.bytes && v.type.kind != 'o' ? group_of(e, rec, name, v.type) : NULL;
  if (!g)
    return 0;
  const struct dvmt_object_def *o = rec->kind == DVMT_RESULT ? NULL : dvmt_reader_object(e->r, rec->object);
  int64_t element =
      o ? (o->element_bytes && rec->offset % (int64_t)o->element_bytes == 0 ? rec->offset / (int64_t)o->element_bytes : rec->offset) : 0;
  const uint64_t there = v.words[0] != 0;
  dvmt_npz_add(e->npz, g->value, v.type.kind == 'p' ? &there : v.words);
  dvmt_npz_add(e->npz, g->element, &element);
  dvmt_npz_add(e->npz, g->record, &number);
  dvmt_npz_add(e->npz, g->site, &rec->site);
  return 0;
}

static char *describe(const struct exporting *e) {
  json_t *sites = json_array(), *variables = json_object();
  for (size_t i = 0; i < e->nsites; i++)
    json_array_append_new(sites, json_loads(e->sites[i].json, 0, NULL));
  for (size_t i = 0; i < e->ngroups; i++) {
    const struct group *g = &e->groups[i];
    char type[64];
    json_t *shape = json_array();
    const struct dvmt_object_def *o = g->kind == DVMT_RESULT ? NULL : dvmt_reader_object(e->r, g->object);
    for (int d = 0; o && d < o->ndims; d++)
      json_array_append_new(shape, json_integer(o->extent[d]));
    json_object_set_new(
        variables, g->name,
        json_pack("{s:s,s:s,s:o}", "kind", kind_of(g->kind), "type", dvmt_type_name(g->type, type, sizeof(type)), "shape", shape));
  }
  json_t *all = json_pack("{s:o,s:o}", "sites", sites, "variables", variables);
  char *text = json_dumps(all, JSON_COMPACT);
  json_decref(all);
  return text;
}

/* ---- both ---------------------------------------------------------------------------------------------------------------------------- */

static int run(struct exporting *e, enum dvmt_export how, struct dvmt_filter *f, const char *path, struct dvm_error *err) {
  struct dvmt_record rec;
  uint64_t number, lost = 0;
  int more = 0, rc = 0;
  if (how == DVMT_EXPORT_CSV)
    fputs("record,kind,variable,element,file,line,function,value\n", e->out);
  while (!rc && (more = dvmt_filter_next(f, e->r, &rec, &number, err)) > 0) {
    if (rec.kind == DVMT_LOST)
      lost += rec.words[0];
    if (rec.kind != DVMT_READ && rec.kind != DVMT_WRITE && rec.kind != DVMT_RESULT)
      continue;
    if (e->nsites < dvmt_reader_nsites(e->r) && (rc = learn(e)))
      dvm_error_set(err, rc, "out of memory");
    else if (how == DVMT_EXPORT_NPZ)
      rc = write_columns(e, &rec, number);
    else
      write_text(e, &rec, number, how == DVMT_EXPORT_JSONL);
  }
  dvmt_file_note_lost(path, lost);
  return rc ? rc : more;
}

int dvmt_export(const char *path, enum dvmt_export how, const char *output, struct dvmt_wanted *wanted, struct dvm_error *err) {
  struct dvmt_filter f = {.nindex = -1};
  struct exporting e = {.r = dvmt_file_open(path, err), .out = stdout};
  int rc = e.r ? dvmt_filter_begin(&f, wanted, e.r, err) : err->code;
  if (!rc && how == DVMT_EXPORT_NPZ && !(e.npz = dvmt_npz_create(output, err)))
    rc = err->code;
  if (!rc && how != DVMT_EXPORT_NPZ && output && !(e.out = fopen(output, "we")))
    rc = dvm_error_errno(err, "cannot write '%s'", output);
  if (!rc) {
    rc = run(&e, how, &f, path, err);
    dvmt_filter_note(&f, path);
  }
  if (e.npz) {
    dvmt_npz_text(e.npz, "trace.json", describe(&e));
    int close_rc = dvmt_npz_close(e.npz, err);
    rc = rc ? rc : close_rc;
  } else if (e.out && e.out != stdout) {
    int close_rc = dvmt_file_close(e.out, output, err);
    rc = rc ? rc : close_rc;
  }
  for (size_t i = 0; i < e.nsites; i++) {
    free(e.sites[i].csv);
    free(e.sites[i].json);
  }
  for (size_t i = 0; i < e.ngroups; i++)
    free(e.groups[i].name);
  free(e.sites);
  free(e.groups);
  dvmt_filter_fini(&f);
  dvmt_reader_close(e.r);
  return rc;
}
