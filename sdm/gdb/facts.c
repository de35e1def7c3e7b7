#include "sdm/gdb/facts.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/facts.h"
#include "base/text.h"

#define TEXT_MAX 4096u
#define FRAMES_MAX 64u
#define LIST_MAX 10000u /* of any list; what is beyond is left out, and "more" says so */
#define BOXES_MAX 64u
#define READS_MAX 1000000u /* lists that lead to lists: reading ends */

struct facts {
  const struct sdm_facts_source *src;
  struct dvm_facts head;
  int rc; /* the first failure: after it everything is 0 */
  uint64_t at; /* .. and where */
  unsigned nreads;
};

/* ---- memory ---- */

static void fail(struct facts *f, int rc, uint64_t at) {
  if (!f->rc) {
    f->rc = rc;
    f->at = at;
  }
}

static void get(struct facts *f, uint64_t at, void *to, size_t n) {
  int rc = f->rc ? f->rc : f->nreads++ == READS_MAX ? -EPROTO : f->src->read(f->src->arg, at, to, n);
  if (!rc)
    return;
  memset(to, 0, n);
  fail(f, rc, at);
}

/* Element 'k' of the field, 'bytes' long; 0 bytes: the whole field. */
static uint64_t number_at(struct facts *f, uint64_t record, enum dvm_facts_id id, uint32_t k, uint32_t bytes) {
  const struct dvm_facts_field *x = &f->head.fields[id];
  uint64_t v = 0;
  bytes = bytes ? bytes : x->bytes;
  if (bytes > 8 || !bytes || (uint64_t)(k + 1) * bytes > x->bytes)
    fail(f, -EPROTO, record);
  else
    get(f, record + x->offset + (uint64_t)k * bytes, &v, bytes);
  return v;
}

static uint64_t number(struct facts *f, uint64_t record, enum dvm_facts_id id) { return number_at(f, record, id, 0, 0); }

static int64_t wide(struct facts *f, uint64_t record, enum dvm_facts_id id, uint32_t k) { return (int64_t)number_at(f, record, id, k, 8); }

static uint64_t variable(struct facts *f, uint64_t at) {
  uint64_t v = 0;
  get(f, at, &v, sizeof(v));
  return v;
}

/* Appends the text at an address; what is no printable ASCII or part of UTF-8 comes as '?'. */
static void add_text(struct facts *f, uint64_t at, struct dvm_text *t) {
  char piece[64];
  for (uint32_t done = 0; at && !f->rc && done < TEXT_MAX;) {
    size_t n = sizeof(piece) - at % sizeof(piece); /* a text may end where its memory does */
    get(f, at, piece, n);
    const char *end = memchr(piece, 0, n);
    size_t length = end ? (size_t)(end - piece) : n;
    for (size_t i = 0; i < length; i++)
      dvm_text_add_n(t, (unsigned char)piece[i] < 32 ? "?" : &piece[i], 1);
    if (end)
      return;
    at += n;
    done += (uint32_t)n;
  }
}

static json_t *json_of(struct dvm_text *t) {
  json_t *j = json_string(dvm_text_str(t));
  for (size_t i = 0; !j && i < t->len; i++)
    if ((unsigned char)t->s[i] > 126)
      t->s[i] = '?';
  j = j ? j : json_string(dvm_text_str(t));
  dvm_text_fini(t);
  return j ? j : json_string("");
}

static json_t *text(struct facts *f, uint64_t at) {
  struct dvm_text t = DVM_TEXT_INIT;
  add_text(f, at, &t);
  return json_of(&t);
}

static void put(json_t *j, const char *key, json_t *v) { json_object_set_new(j, key, v); }
static void put_number(json_t *j, const char *key, uint64_t v) { put(j, key, json_integer((json_int_t)v)); }

/* ---- directives ---- */

static void put_place(struct facts *f, json_t *j, uint64_t file, uint64_t line) {
  if (!file)
    return;
  put(j, "file", text(f, file));
  put_number(j, "line", line);
}

static json_t *directive(struct facts *f, uint64_t d) {
  json_t *j = json_object();
  put(j, "kind", text(f, number(f, d, DVM_FACTS_DIRECTIVE_KIND)));
  put_place(f, j, number(f, d, DVM_FACTS_DIRECTIVE_FILE), number(f, d, DVM_FACTS_DIRECTIVE_LINE));
  return j;
}

/* The iteration that the checked thread executes. */
static void put_iteration(struct facts *f, json_t *j, uint64_t d) {
  uint64_t now = f->head.now, rank = number(f, d, DVM_FACTS_DIRECTIVE_RANK);
  uint32_t base = (uint32_t)number(f, now, DVM_FACTS_NOW_BASE), write = (uint32_t)number(f, now, DVM_FACTS_NOW_WRITE);
  json_t *list = json_array();
  if (base <= write)
    put_number(j, "iteration", (write + 1 - base) / 2);
  for (uint32_t i = 0; i < rank && i < DVM_FACTS_NDIMS_MAX && base <= write; i++)
    json_array_append_new(list, json_pack("{s:o, s:I}", "name", text(f, number_at(f, d, DVM_FACTS_DIRECTIVE_NAMES, i, 8)), "value",
                                          (json_int_t)wide(f, now, DVM_FACTS_NOW_INDEX, i)));
  put(j, "indices", list);
}

static json_t *construct(struct facts *f) {
  json_t *list = json_array();
  bool first = true;
  uint64_t frame = f->head.frame;
  for (unsigned n = 0; frame && !f->rc && n < FRAMES_MAX; n++, frame = number(f, frame, DVM_FACTS_FRAME_OUTER)) {
    if (number(f, frame, DVM_FACTS_FRAME_LEFT))
      continue;
    uint64_t d = number(f, frame, DVM_FACTS_FRAME_DIRECTIVE);
    json_t *one = directive(f, d);
    bool nest = number(f, frame, DVM_FACTS_FRAME_NEST), proved = number(f, frame, DVM_FACTS_FRAME_PROVED);
    if (proved)
      put(one, "proved", json_true());
    if (nest && first && !proved)
      put_iteration(f, one, d);
    first &= !nest;
    json_array_append_new(list, one);
  }
  return json_pack("{s:o}", "constructs", list);
}

/* ---- arrays ---- */

static uint32_t ndims_of(struct facts *f, uint64_t a, enum dvm_facts_id id) {
  uint64_t n = number(f, a, id);
  if (n > DVM_FACTS_NDIMS_MAX)
    fail(f, -EPROTO, a);
  return n > DVM_FACTS_NDIMS_MAX ? 0 : (uint32_t)n;
}

static const char *type_name(uint64_t letter, uint64_t bytes) {
  static const struct {
    char letter;
    uint8_t bytes;
    const char *name;
  } names[] = {{'f', 4, "float"},          {'f', 8, "double"},       {'f', 16, "long double"},  {'i', 1, "signed char"},
               {'i', 2, "short"},          {'i', 4, "int"},          {'i', 8, "long"},          {'u', 1, "unsigned char"},
               {'u', 2, "unsigned short"}, {'u', 4, "unsigned int"}, {'u', 8, "unsigned long"}, {'c', 8, "float complex"},
               {'c', 16, "double complex"}};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if ((char)letter == names[i].letter && bytes == names[i].bytes)
      return names[i].name;
  return NULL;
}

static json_t *type(struct facts *f, uint64_t a) {
  uint64_t bytes = number(f, a, DVM_FACTS_ARRAY_ELEMENT);
  const char *name = type_name(number(f, a, DVM_FACTS_ARRAY_TYPE), bytes);
  struct dvm_text t = DVM_TEXT_INIT;
  if (name)
    dvm_text_add(&t, name);
  else
    dvm_text_printf(&t, "%llu bytes", (unsigned long long)bytes);
  return json_of(&t);
}

static const char letters[] = "ijklmno"; /* of the array's dimensions, as one writes them */

static void add_coord(struct facts *f, uint64_t c, bool *used, struct dvm_text *t) {
  uint64_t kind = number(f, c, DVM_FACTS_COORD_KIND), index = number(f, c, DVM_FACTS_COORD_INDEX);
  long long coef = wide(f, c, DVM_FACTS_COORD_COEF, 0), add = wide(f, c, DVM_FACTS_COORD_ADD, 0);
  if (kind == 1)
    dvm_text_printf(t, "[%lld]", add);
  else if (kind != 2 || index >= DVM_FACTS_NDIMS_MAX)
    dvm_text_add(t, "[]");
  else {
    used[index] = true;
    dvm_text_add(t, "[");
    if (coef != 1)
      dvm_text_printf(t, "%lld * ", coef);
    dvm_text_printf(t, "%c", letters[index]);
    if (add)
      dvm_text_printf(t, add < 0 ? " - %lld" : " + %lld", add < 0 ? -add : add);
    dvm_text_add(t, "]");
  }
}

static void add_alignment(struct facts *f, uint64_t a, uint32_t ndims, struct dvm_text *t) {
  bool used[DVM_FACTS_NDIMS_MAX] = {false};
  struct dvm_text with = DVM_TEXT_INIT;
  const struct dvm_facts_field *map = &f->head.fields[DVM_FACTS_ARRAY_MAP];
  uint32_t n = ndims_of(f, a, DVM_FACTS_ARRAY_NTARGET), bytes = f->head.fields[DVM_FACTS_COORD_BYTES].bytes;
  if ((uint64_t)n * bytes > map->bytes)
    fail(f, -EPROTO, a);
  for (uint32_t i = 0; i < n && !f->rc; i++)
    add_coord(f, a + map->offset + (uint64_t)i * bytes, used, &with);
  dvm_text_add(t, "align(");
  for (uint32_t i = 0; i < ndims; i++)
    dvm_text_printf(t, used[i] ? "[%c]" : "[]", letters[i]);
  dvm_text_add(t, " with ");
  add_text(f, number(f, a, DVM_FACTS_ARRAY_TARGET), t);
  dvm_text_printf(t, "%s)", dvm_text_str(&with));
  dvm_text_fini(&with);
}

static json_t *distribution(struct facts *f, uint64_t a, uint32_t ndims) {
  struct dvm_text t = DVM_TEXT_INIT;
  if (number(f, a, DVM_FACTS_ARRAY_ALIGNED))
    add_alignment(f, a, ndims, &t);
  else if (number(f, a, DVM_FACTS_ARRAY_DISTRIBUTED)) {
    dvm_text_add(&t, "distribute");
    for (uint32_t i = 0; i < ndims; i++)
      dvm_text_add(&t, number_at(f, a, DVM_FACTS_ARRAY_DIST, i, 1) ? "[*]" : "[block]");
  } else
    dvm_text_add(&t, "not distributed yet");
  return json_of(&t);
}

/* "[1:1][0:0]" */
static json_t *widths(struct facts *f, uint64_t record, enum dvm_facts_id low, enum dvm_facts_id high, uint32_t ndims, bool corner) {
  struct dvm_text t = DVM_TEXT_INIT;
  for (uint32_t i = 0; i < ndims; i++)
    dvm_text_printf(&t, "[%lld:%lld]", (long long)wide(f, record, low, i), (long long)wide(f, record, high, i));
  if (corner)
    dvm_text_add(&t, "(corner)");
  return json_of(&t);
}

static json_t *box(struct facts *f, uint64_t b, uint32_t ndims) {
  return widths(f, b, DVM_FACTS_BOX_LOW, DVM_FACTS_BOX_HIGH, ndims, number(f, b, DVM_FACTS_BOX_CORNER));
}

static json_t *array(struct facts *f, uint64_t a) {
  uint32_t ndims = ndims_of(f, a, DVM_FACTS_ARRAY_NDIMS);
  bool template = number(f, a, DVM_FACTS_ARRAY_TEMPLATE);
  json_t *j = json_object(), *extents = json_array();
  put(j, "name", text(f, number(f, a, DVM_FACTS_ARRAY_NAME)));
  put_place(f, j, number(f, a, DVM_FACTS_ARRAY_FILE), number(f, a, DVM_FACTS_ARRAY_LINE));
  for (uint32_t i = 0; i < ndims; i++)
    json_array_append_new(extents, json_integer(wide(f, a, DVM_FACTS_ARRAY_EXTENT, i)));
  put(j, "extents", extents);
  put(j, "type", template ? json_string("template") : type(f, a));
  put(j, "distribution", distribution(f, a, ndims));
  if (number(f, a, DVM_FACTS_ARRAY_DYNAMIC))
    put(j, "dynamic", json_true());
  if (!template)
    put(j, "shadow", widths(f, a, DVM_FACTS_ARRAY_LOW, DVM_FACTS_ARRAY_HIGH, ndims, false));
  return j;
}

/* ---- shadow edges ---- */

static json_t *renewed(struct facts *f, uint64_t a, uint32_t ndims) {
  const struct dvm_facts_field *x = &f->head.fields[DVM_FACTS_ARRAY_BOXES];
  uint32_t bytes = f->head.fields[DVM_FACTS_BOX_BYTES].bytes;
  uint64_t n = number(f, a, DVM_FACTS_ARRAY_NBOXES);
  json_t *list = json_array();
  if (n > BOXES_MAX || n * bytes > x->bytes)
    fail(f, -EPROTO, a);
  for (uint64_t i = 0; i < n && !f->rc; i++)
    json_array_append_new(list, box(f, a + x->offset + i * bytes, ndims));
  return list;
}

/* Exchanges of the array that have been started and not been waited for. */
static json_t *pending(struct facts *f, uint64_t a, uint32_t ndims) {
  json_t *list = json_array();
  uint64_t g = variable(f, f->head.groups);
  for (unsigned n = 0; g && !f->rc && n < LIST_MAX; n++, g = number(f, g, DVM_FACTS_GROUP_NEXT)) {
    uint64_t m = number(f, g, DVM_FACTS_GROUP_STARTED) ? number(f, g, DVM_FACTS_GROUP_MEMBERS) : 0;
    for (unsigned k = 0; m && !f->rc && k < LIST_MAX; k++, m = number(f, m, DVM_FACTS_MEMBER_NEXT))
      if (number(f, m, DVM_FACTS_MEMBER_ARRAY) == a)
        json_array_append_new(list, json_pack("{s:o, s:o}", "group", text(f, number(f, g, DVM_FACTS_GROUP_NAME)), "edge",
                                              box(f, m + f->head.fields[DVM_FACTS_MEMBER_BOX].offset, ndims)));
  }
  return list;
}

/* Where it was written last: the access, and the construct that it was in. */
static void put_writer(struct facts *f, json_t *j, uint64_t a) {
  uint64_t site = number(f, a, DVM_FACTS_ARRAY_WRITER), in = number(f, a, DVM_FACTS_ARRAY_WRITER_IN);
  uint64_t access = site ? number(f, site, DVM_FACTS_SITE_ACCESS) : 0;
  json_t *w = json_object();
  if (access)
    put_place(f, w, number(f, access, DVM_FACTS_ACCESS_FILE), number(f, access, DVM_FACTS_ACCESS_LINE));
  if (in)
    put(w, "in", directive(f, in));
  if (json_object_size(w))
    put(j, "written", w);
  else
    json_decref(w);
}

static json_t *edge(struct facts *f, uint64_t a) {
  uint32_t ndims = ndims_of(f, a, DVM_FACTS_ARRAY_NDIMS);
  json_t *j = json_object(), *list = renewed(f, a, ndims), *under_way = pending(f, a, ndims);
  const char *state = number(f, a, DVM_FACTS_ARRAY_EVER_RENEWED) ? "stale" : "never renewed";
  put(j, "name", text(f, number(f, a, DVM_FACTS_ARRAY_NAME)));
  put(j, "shadow", widths(f, a, DVM_FACTS_ARRAY_LOW, DVM_FACTS_ARRAY_HIGH, ndims, false));
  if (number(f, a, DVM_FACTS_ARRAY_EDGE_RENEWED))
    put(j, "shadow_add", json_true());
  if (json_array_size(list) || number(f, a, DVM_FACTS_ARRAY_EDGE_RENEWED))
    state = "renewed";
  if (json_array_size(under_way))
    state = "pending";
  put(j, "state", json_string(state));
  put(j, "renewed", list);
  if (json_array_size(under_way))
    put(j, "pending", under_way);
  else
    json_decref(under_way);
  if (number(f, a, DVM_FACTS_ARRAY_DIRTY)) /* the edges become stale when the construct is over */
    put(j, "dirty", json_true());
  put_writer(f, j, a);
  return j;
}

/* ---- diagnostics ---- */

static void put_clause(struct facts *f, json_t *j, uint64_t d) {
  uint64_t name = number(f, d, DVM_FACTS_FINDING_CLAUSE);
  struct dvm_text t = DVM_TEXT_INIT;
  if (!name)
    return;
  uint32_t ndims = ndims_of(f, d, DVM_FACTS_FINDING_CLAUSE_NDIMS);
  json_t *w =
      widths(f, d, DVM_FACTS_FINDING_CLAUSE_LOW, DVM_FACTS_FINDING_CLAUSE_HIGH, ndims, number(f, d, DVM_FACTS_FINDING_CLAUSE_CORNER));
  add_text(f, name, &t);
  dvm_text_add(&t, "(");
  add_text(f, number(f, d, DVM_FACTS_FINDING_CLAUSE_ARRAY), &t);
  dvm_text_printf(&t, "%s)", json_string_value(w));
  json_decref(w);
  put(j, "clause", json_of(&t));
}

static json_t *finding(struct facts *f, uint64_t d) {
  uint64_t id = number(f, d, DVM_FACTS_FINDING_ID), message = number(f, d, DVM_FACTS_FINDING_MESSAGE);
  uint64_t in = number(f, d, DVM_FACTS_FINDING_CONSTRUCT);
  struct dvm_text name = DVM_TEXT_INIT;
  uint8_t severity = 0;
  json_t *j = json_object();
  if (id >= f->head.nids)
    fail(f, -EPROTO, d);
  get(f, f->head.severities + id, &severity, 1);
  dvm_text_add(&name, "dvm-");
  add_text(f, variable(f, f->head.ids + 8 * id), &name);
  put(j, "id", json_of(&name));
  put(j, "severity", json_string(severity ? "warning" : "error"));
  put_place(f, j, number(f, d, DVM_FACTS_FINDING_FILE), number(f, d, DVM_FACTS_FINDING_LINE));
  put_number(j, "column", number(f, d, DVM_FACTS_FINDING_COLUMN));
  put(j, "what", text(f, number(f, d, DVM_FACTS_FINDING_WHAT)));
  put_number(j, "count", number(f, d, DVM_FACTS_FINDING_COUNT));
  if (message)
    put(j, "message", text(f, message));
  if (in)
    put(j, "in", directive(f, in));
  put_clause(f, j, d);
  return j;
}

/* The latest one that has been shown, or null. */
static json_t *last(struct facts *f) {
  uint64_t found = 0, d = variable(f, f->head.findings);
  for (unsigned n = 0; d && !f->rc && n < 10 * LIST_MAX; n++, d = number(f, d, DVM_FACTS_FINDING_NEXT))
    if (number(f, d, DVM_FACTS_FINDING_MESSAGE))
      found = d;
  return json_pack("{s:o}", "diagnostic", found ? finding(f, found) : json_null());
}

/* ---- statistics ---- */

static json_t *loop(struct facts *f, uint64_t n) {
  json_t *j = directive(f, number(f, n, DVM_FACTS_LOOP_DIRECTIVE));
  put_number(j, "entries", number(f, n, DVM_FACTS_LOOP_ENTRIES));
  put_number(j, "iterations", number(f, n, DVM_FACTS_LOOP_ITERATIONS));
  put_number(j, "proved", number(f, n, DVM_FACTS_LOOP_PROVED));
  return j;
}

/* ---- lists ---- */

static bool is_array(struct facts *f, uint64_t a) { return !number(f, a, DVM_FACTS_ARRAY_ORDINARY); }
static bool has_edges(struct facts *f, uint64_t a) { return is_array(f, a) && !number(f, a, DVM_FACTS_ARRAY_TEMPLATE); }
static bool any(struct facts *f, uint64_t record) { return (void)f, (void)record, true; }

static const struct listing {
  const char *what, *key;
  size_t root; /* in struct dvm_facts */
  enum dvm_facts_id next;
  bool (*fits)(struct facts *f, uint64_t record);
  json_t *(*show)(struct facts *f, uint64_t record);
  bool newest_first; /* in memory: turned round */
} listings[] = {
    {"arrays", "arrays", offsetof(struct dvm_facts, arrays), DVM_FACTS_ARRAY_NEXT, is_array, array, true},
    {"shadow", "edges", offsetof(struct dvm_facts, arrays), DVM_FACTS_ARRAY_NEXT, has_edges, edge, true},
    {"diagnostics", "diagnostics", offsetof(struct dvm_facts, findings), DVM_FACTS_FINDING_NEXT, any, finding, false},
    {"stats", "loops", offsetof(struct dvm_facts, loops), DVM_FACTS_LOOP_NEXT, any, loop, false},
};

static json_t *list(struct facts *f, const struct listing *l) {
  json_t *all = json_array(), *j = json_pack("{s:o}", l->key, all);
  uint64_t root;
  memcpy(&root, (const char *)&f->head + l->root, sizeof(root));
  uint64_t at = variable(f, root);
  for (unsigned n = 0; at && !f->rc; n++, at = number(f, at, l->next)) {
    if (n == LIST_MAX) {
      put(j, "more", json_true());
      break;
    }
    if (!l->fits(f, at))
      continue;
    if (l->newest_first)
      json_array_insert_new(all, 0, l->show(f, at));
    else
      json_array_append_new(all, l->show(f, at));
  }
  return j;
}

static json_t *read_what(struct facts *f, const char *what) {
  if (!strcmp(what, "construct"))
    return construct(f);
  if (!strcmp(what, "last"))
    return last(f);
  for (size_t i = 0; i < sizeof(listings) / sizeof(*listings); i++)
    if (!strcmp(what, listings[i].what)) {
      json_t *j = list(f, &listings[i]);
      if (!strcmp(what, "stats"))
        put_number(j, "accesses", variable(f, f->head.accesses));
      return j;
    }
  return NULL;
}

/* Refuses what this reader would misunderstand. */
static int head_check(const struct dvm_facts *h, struct dvm_error *err) {
  if (memcmp(h->magic, DVM_FACTS_MAGIC, sizeof(h->magic)))
    return dvm_error_set(err, -EPROTO, "the program's block of facts has another magic");
  if (h->version != DVM_FACTS_VERSION)
    return dvm_error_set(err, -EPROTO,
                         "the program's block of facts has version %u, this debugger knows %u; debug it with the tools "
                         "that it was compiled with",
                         h->version, DVM_FACTS_VERSION);
  if (h->nfields < DVM_FACTS_COUNT || h->bytes < sizeof(*h))
    return dvm_error_set(err, -EPROTO, "the program's block of facts is cut");
  for (unsigned i = 0; i < DVM_FACTS_COUNT; i++)
    if (h->fields[i].offset > 1 << 20 || h->fields[i].bytes > 1 << 16)
      return dvm_error_set(err, -EPROTO, "field %u of the program's block of facts lies outside", i);
  return 0;
}

json_t *sdm_facts_read(const struct sdm_facts_source *src, uint64_t block, const char *what, struct dvm_error *err) {
  struct facts f = {.src = src};
  get(&f, block, &f.head, sizeof(f.head));
  if (!f.rc && head_check(&f.head, err))
    return NULL;
  json_t *j = f.rc ? NULL : read_what(&f, what);
  if (!j && !f.rc)
    dvm_error_set(err, -EINVAL, "there is no '%s'; known are construct, arrays, shadow, diagnostics and stats", what);
  else if (f.rc == -EPROTO)
    dvm_error_set(err, f.rc, "the record at 0x%llx is not as the program's block of facts says", (unsigned long long)f.at);
  else if (f.rc)
    dvm_error_set(err, f.rc, "cannot read the program's memory at 0x%llx", (unsigned long long)f.at);
  if (f.rc) {
    json_decref(j);
    j = NULL;
  }
  return j;
}
