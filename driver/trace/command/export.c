/* Values as text, one in a line, or as columns of numpy's.  Of each: its record, whether it was read, written or a result, variable, element,
 * place, function and value.  Files of columns have an array for each variable, or member of its elements ('probes.last'), and what is in it:
 * NAME.value, NAME.element (number of the element, or byte where it has no shape), NAME.record, NAME.site; sites and shapes are in 'trace.json'
 * beside them. */
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
  size_t group; /* the last one of its values, from 1; 0: none yet */
  uint32_t plain; /* object whose elements are called by their subscripts alone, from 1; 0: none yet */
};
/* What the elements of a group are counted in. */
enum unit { ELEMENTS, VALUES, BYTES };
struct group {
  char *name, *member; /* owned; member of the elements, without subscripts, or "" */
  enum unit unit;
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
  size_t ngroups;
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
  t->group = 0;
  t->plain = 0;
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
    if (d > -1e15 && d < 1e15 && d != 0 && d == (double)(int64_t)d) /* as %g has it */
      snprintf(buf, size, "%lld", (long long)d);
    else
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

/* "A[3][4]", of whole elements.  The rest of a name is the site's: where the two agree once, they do for each element. */
static bool subscripts(const struct dvmt_object_def *o, int64_t offset, unsigned bytes, char *buf, size_t size) {
  char digits[DVMT_NDIMS_MAX * 24], *at = digits + sizeof(digits);
  size_t n = strlen(o->name);
  if (!o->ndims || offset < 0 || !bytes || bytes != o->element_bytes || offset % (int64_t)bytes)
    return false;
  uint64_t linear = (uint64_t)offset / bytes;
  for (int d = o->ndims - 1; d >= 0; d--) {
    if (d && o->extent[d] <= 0)
      return false;
    uint64_t extent = d ? (uint64_t)o->extent[d] : 0, index = extent ? linear % extent : linear;
    linear = extent ? linear / extent : 0;
    *--at = ']';
    do
      *--at = (char)('0' + index % 10);
    while (index /= 10);
    *--at = '[';
  }
  size_t more = (size_t)(digits + sizeof(digits) - at);
  if (n + more >= size)
    return false;
  memcpy(buf, o->name, n);
  memcpy(buf + n, at, more);
  buf[n + more] = 0;
  return true;
}

static void element_text(struct exporting *e, const struct dvmt_record *rec, unsigned bytes, char *buf, size_t size) {
  struct site_text *t = &e->sites[rec->site];
  const struct dvmt_object_def *o = dvmt_reader_object(e->r, rec->object);
  char quick[300];
  if (t->plain == rec->object + 1 && subscripts(o, rec->offset, bytes, buf, size))
    return;
  dvmt_element_text(o, rec->offset, dvmt_reader_site(e->r, rec->site)->text, buf, size);
  if (subscripts(o, rec->offset, bytes, quick, sizeof(quick)) && !strcmp(quick, buf))
    t->plain = rec->object + 1;
}

static void write_text(struct exporting *e, const struct dvmt_record *rec, uint64_t number, bool json) {
  struct dvmt_span name;
  struct value v = value_of(e, rec, &name);
  char element[300], text[160];
  const struct site_text *t = &e->sites[rec->site];
  if (rec->kind == DVMT_RESULT)
    dvmt_text_result(dvmt_reader_site(e->r, rec->site)->text, rec->words[0], element, sizeof(element));
  else
    element_text(e, rec, v.type.bytes, element, sizeof(element));
  number_text(&v, text, sizeof(text));
  if (!json) {
    char count[24];
    snprintf(count, sizeof(count), "%llu,", (unsigned long long)number);
    fputs_unlocked(count, e->out);
    fputs_unlocked(kind_of(rec->kind), e->out);
    putc_unlocked(',', e->out);
    fwrite_unlocked(name.s, 1, name.n, e->out);
    const char *const rest[] = {",\"", element, "\",", t->csv, ",", text, "\n"};
    for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
      fputs_unlocked(rest[i], e->out);
    return;
  }
  bool simple = rec->kind != DVMT_RESULT && t->plain == rec->object + 1 && !strpbrk(element, "\"\\"); /* letters and subscripts */
  char plain[sizeof(element) + 2];
  if (simple)
    snprintf(plain, sizeof(plain), "\"%s\"", element);
  json_t *j = simple ? NULL : dvmt_json_text(element, strlen(element));
  char *quoted = simple ? plain : json_dumps(j, JSON_ENCODE_ANY);
  const char *mark = is_json_number(&v) ? "" : "\"";
  fprintf(e->out, "{\"record\":%llu,\"kind\":\"%s\",\"variable\":\"%.*s\",\"element\":%s,\"value\":%s%s%s,%s\n", (unsigned long long)number,
          kind_of(rec->kind), (int)name.n, name.s, quoted ? quoted : "\"\"", mark, text, mark, t->json + 1);
  if (!simple)
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

/* Behind the variable and its subscripts: "probes[2].v[1]" is ".v", with an array inside ('inner'). */
static void member_of(const struct exporting *e, const struct dvmt_record *rec, struct dvmt_span name, char *member, size_t size,
                      bool *inner) {
  char text[300];
  size_t to = 0;
  *inner = false;
  dvmt_element_text(dvmt_reader_object(e->r, rec->object), rec->offset, dvmt_reader_site(e->r, rec->site)->text, text, sizeof(text));
  const char *at = strncmp(text, name.s, name.n) ? "" : text + name.n;
  while (*at == '[' && strchr(at, ']'))
    at = strchr(at, ']') + 1;
  if (*at == '(' && strchr(at, ')'))
    at = strchr(at, ')') + 1;
  for (at = strchr(".-%", *at) ? at : ""; *at && to + 1 < size; at++) {
    const char *end = *at == '[' ? strchr(at, ']') : NULL;
    *inner |= end != NULL;
    if (end)
      at = end;
    else
      member[to++] = *at;
  }
  member[to] = 0;
}

static struct group *new_group(struct exporting *e, const struct dvmt_record *rec, struct dvmt_span variable, struct dvmt_type type,
                               const char *member, enum unit unit) {
  struct group *rows = realloc(e->groups, (e->ngroups + 1) * sizeof(*rows)), *g;
  const char *more = rec->kind == DVMT_READ     ? "@read"
                     : rec->kind == DVMT_RESULT ? "@result"
                     : type.kind == 'p'         ? "@pointer" /* the name alone is for what it leads to */
                     : unit == BYTES            ? "@bytes"
                                                : "";
  char column[400], base[300], *full = NULL;
  snprintf(base, sizeof(base), "%.*s%s", (int)variable.n, variable.s, member);
  const struct dvmt_span name = {base, strlen(base)};
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
  *g = (struct group){full, strdup(member), unit, rec->object, rec->kind, type, 0, 0, 0, 0, 0};
  static const char *const parts[] = {"value", "element", "record", "site"};
  int *const to[] = {&g->value, &g->element, &g->record, &g->site};
  for (int i = 0; i < 4; i++) {
    snprintf(column, sizeof(column), "%s.%s", full, parts[i]);
    *to[i] = dvmt_npz_column(e->npz, column, i == 0 ? numpy : i == 3 ? "<u4" : i == 1 ? "<i8" : "<u8", i == 0 ? bytes : i == 3 ? 4 : 8);
  }
  return g;
}

static bool is_of(const struct group *g, const struct dvmt_record *rec, struct dvmt_type type) {
  return g->object == rec->object && g->kind == rec->kind && g->type.kind == type.kind && g->type.bytes == type.bytes;
}

static enum unit unit_of(const struct dvmt_object_def *o, const struct dvmt_record *rec, struct dvmt_type type, const char *member,
                         bool inner) {
  if (rec->kind == DVMT_RESULT)
    return ELEMENTS;
  if (inner)
    return VALUES;
  return o->element_bytes && (*member || (type.bytes == o->element_bytes && rec->offset % (int64_t)o->element_bytes == 0)) ? ELEMENTS
                                                                                                                           : BYTES;
}

static struct group *group_of(struct exporting *e, const struct dvmt_record *rec, struct dvmt_span name, struct dvmt_type type) {
  struct site_text *t = &e->sites[rec->site];
  struct group *last = t->group ? &e->groups[t->group - 1] : NULL;
  const struct dvmt_object_def *o = rec->kind == DVMT_RESULT ? NULL : dvmt_reader_object(e->r, rec->object);
  char member[200] = "";
  bool inner = false;
  if (last && o && is_of(last, rec, type) &&
      (last->unit != ELEMENTS || *last->member || rec->offset % (int64_t)o->element_bytes == 0)) /* a site has one member */
    return last;
  if (o)
    member_of(e, rec, name, member, sizeof(member), &inner);
  const enum unit unit = unit_of(o, rec, type, member, inner);
  for (size_t i = 0; i < e->ngroups; i++) {
    struct group *g = &e->groups[i];
    if (is_of(g, rec, type) && (o ? g->unit == unit && !strcmp(g->member, member) : !strncmp(g->name, name.s, name.n))) {
      t->group = i + 1;
      return g;
    }
  }
  struct group *g = new_group(e, rec, name, type, member, unit);
  t->group = g ? e->ngroups : 0;
  return g;
}

static int write_columns(struct exporting *e, const struct dvmt_record *rec, uint64_t number) {
  struct dvmt_span name;
  struct value v = value_of(e, rec, &name);
  struct group *g = v.type.bytes && v.type.kind != 'o' ? group_of(e, rec, name, v.type) : NULL;
  if (!g)
    return 0;
  const struct dvmt_object_def *o = rec->kind == DVMT_RESULT ? NULL : dvmt_reader_object(e->r, rec->object);
  int64_t element = !o                    ? (int64_t)(rec->words[0] >> 32)
                    : g->unit == ELEMENTS ? rec->offset / (int64_t)o->element_bytes
                    : g->unit == VALUES   ? rec->offset / (int64_t)v.type.bytes
                                          : rec->offset;
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
    for (int d = 0; o && g->unit == ELEMENTS && d < o->ndims; d++)
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
  struct dvmt_filter f = {.wanted = NULL};
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
  for (size_t i = 0; i < e.ngroups; i++) {
    free(e.groups[i].member);
    free(e.groups[i].name);
  }
  free(e.sites);
  free(e.groups);
  dvmt_filter_fini(&f);
  dvmt_reader_close(e.r);
  return rc;
}
