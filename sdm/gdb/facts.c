#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "sdm/gdb/facts_private.h"

#define TEXT_MAX 4096u
#define FRAMES_MAX 64u
#define LIST_MAX 10000u /* of any list; what is beyond is left out, and "more" says so */
#define BOXES_MAX 64u
#define FIRST_BYTES (offsetof(struct dvm_facts, fields) + DVM_FACTS_FIRST_COUNT * sizeof(struct dvm_facts_field))
#define READS_MAX 1000000u /* lists that lead to lists: reading ends */

/* ---- memory ---- */

void sdm_facts_fail(struct facts *f, int rc, uint64_t at) {
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
  sdm_facts_fail(f, rc, at);
}

uint64_t sdm_facts_number_at(struct facts *f, uint64_t record, enum dvm_facts_id id, uint32_t k, uint32_t bytes) {
  const struct dvm_facts_field *x = &f->head.fields[id];
  uint64_t v = 0;
  if (!x->bytes)
    return 0; /* this library does not have it */
  bytes = bytes ? bytes : x->bytes;
  if (bytes > 8 || !bytes || (uint64_t)(k + 1) * bytes > x->bytes)
    sdm_facts_fail(f, -EPROTO, record);
  else
    get(f, record + x->offset + (uint64_t)k * bytes, &v, bytes);
  return v;
}

uint64_t sdm_facts_number(struct facts *f, uint64_t record, enum dvm_facts_id id) { return sdm_facts_number_at(f, record, id, 0, 0); }

int64_t sdm_facts_wide(struct facts *f, uint64_t record, enum dvm_facts_id id, uint32_t k) {
  return (int64_t)sdm_facts_number_at(f, record, id, k, 8);
}

uint64_t sdm_facts_variable(struct facts *f, uint64_t at) {
  uint64_t v = 0;
  get(f, at, &v, sizeof(v));
  return v;
}

void sdm_facts_add_text(struct facts *f, uint64_t at, struct dvm_text *t) {
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

json_t *sdm_facts_json_of(struct dvm_text *t) {
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
  sdm_facts_add_text(f, at, &t);
  return sdm_facts_json_of(&t);
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
  put(j, "kind", text(f, sdm_facts_number(f, d, DVM_FACTS_DIRECTIVE_KIND)));
  put_place(f, j, sdm_facts_number(f, d, DVM_FACTS_DIRECTIVE_FILE), sdm_facts_number(f, d, DVM_FACTS_DIRECTIVE_LINE));
  return j;
}

/* The iteration that the checked thread executes. */
static void put_iteration(struct facts *f, json_t *j, uint64_t d) {
  uint64_t now = f->head.now, rank = sdm_facts_number(f, d, DVM_FACTS_DIRECTIVE_RANK);
  uint32_t base = (uint32_t)sdm_facts_number(f, now, DVM_FACTS_NOW_BASE), write = (uint32_t)sdm_facts_number(f, now, DVM_FACTS_NOW_WRITE);
  json_t *list = json_array();
  if (base <= write)
    put_number(j, "iteration", (write + 1 - base) / 2);
  for (uint32_t i = 0; i < rank && i < DVM_FACTS_NDIMS_MAX && base <= write; i++)
    json_array_append_new(list, json_pack("{s:o, s:I}", "name", text(f, sdm_facts_number_at(f, d, DVM_FACTS_DIRECTIVE_NAMES, i, 8)),
                                          "value", (json_int_t)sdm_facts_wide(f, now, DVM_FACTS_NOW_INDEX, i)));
  put(j, "indices", list);
}

static json_t *construct(struct facts *f) {
  json_t *list = json_array();
  bool first = true;
  uint64_t frame = f->head.frame;
  for (unsigned n = 0; frame && !f->rc && n < FRAMES_MAX; n++, frame = sdm_facts_number(f, frame, DVM_FACTS_FRAME_OUTER)) {
    if (sdm_facts_number(f, frame, DVM_FACTS_FRAME_LEFT))
      continue;
    uint64_t d = sdm_facts_number(f, frame, DVM_FACTS_FRAME_DIRECTIVE);
    json_t *one = directive(f, d);
    bool nest = sdm_facts_number(f, frame, DVM_FACTS_FRAME_NEST), proved = sdm_facts_number(f, frame, DVM_FACTS_FRAME_PROVED);
    if (proved)
      put(one, "proved", json_true());
    if (nest && first && !proved)
      put_iteration(f, one, d);
    if (sdm_facts_is_parallel(f))
      sdm_facts_put_part(f, one, frame, d);
    first &= !nest;
    json_array_append_new(list, one);
  }
  return json_pack("{s:o}", "constructs", list);
}

/* ---- arrays ---- */

uint32_t sdm_facts_ndims(struct facts *f, uint64_t a, enum dvm_facts_id id) {
  uint64_t n = sdm_facts_number(f, a, id);
  if (n > DVM_FACTS_NDIMS_MAX)
    sdm_facts_fail(f, -EPROTO, a);
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
  uint64_t bytes = sdm_facts_number(f, a, DVM_FACTS_ARRAY_ELEMENT);
  const char *name = type_name(sdm_facts_number(f, a, DVM_FACTS_ARRAY_TYPE), bytes);
  struct dvm_text t = DVM_TEXT_INIT;
  if (name)
    dvm_text_add(&t, name);
  else
    dvm_text_printf(&t, "%llu bytes", (unsigned long long)bytes);
  return sdm_facts_json_of(&t);
}

static const char letters[] = "ijklmno"; /* of the array's dimensions, as one writes them */

static void add_coord(struct facts *f, uint64_t c, bool *used, struct dvm_text *t) {
  uint64_t kind = sdm_facts_number(f, c, DVM_FACTS_COORD_KIND), index = sdm_facts_number(f, c, DVM_FACTS_COORD_INDEX);
  long long coef = sdm_facts_wide(f, c, DVM_FACTS_COORD_COEF, 0), add = sdm_facts_wide(f, c, DVM_FACTS_COORD_ADD, 0);
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
  uint32_t n = sdm_facts_ndims(f, a, DVM_FACTS_ARRAY_NTARGET), bytes = f->head.fields[DVM_FACTS_COORD_BYTES].bytes;
  if ((uint64_t)n * bytes > map->bytes)
    sdm_facts_fail(f, -EPROTO, a);
  for (uint32_t i = 0; i < n && !f->rc; i++)
    add_coord(f, a + map->offset + (uint64_t)i * bytes, used, &with);
  dvm_text_add(t, "align(");
  for (uint32_t i = 0; i < ndims; i++)
    dvm_text_printf(t, used[i] ? "[%c]" : "[]", letters[i]);
  dvm_text_add(t, " with ");
  sdm_facts_add_text(f, sdm_facts_number(f, a, DVM_FACTS_ARRAY_TARGET), t);
  dvm_text_printf(t, "%s)", dvm_text_str(&with));
  dvm_text_fini(&with);
}

static json_t *distribution(struct facts *f, uint64_t a, uint32_t ndims) {
  static const char *const kinds[] = {"[block]", "[given]", "[*]"};
  struct dvm_text t = DVM_TEXT_INIT;
  if (sdm_facts_number(f, a, DVM_FACTS_ARRAY_ALIGNED))
    add_alignment(f, a, ndims, &t);
  else if (sdm_facts_number(f, a, DVM_FACTS_ARRAY_DISTRIBUTED)) {
    dvm_text_add(&t, "distribute");
    for (uint32_t i = 0; i < ndims; i++)
      dvm_text_add(&t, kinds[sdm_facts_number_at(f, a, DVM_FACTS_ARRAY_DIST, i, 1) % 3]);
  } else
    dvm_text_add(&t, "not distributed yet");
  return sdm_facts_json_of(&t);
}

/* "[1:1][0:0]" */
static json_t *widths(struct facts *f, uint64_t record, enum dvm_facts_id low, enum dvm_facts_id high, uint32_t ndims, bool corner) {
  struct dvm_text t = DVM_TEXT_INIT;
  for (uint32_t i = 0; i < ndims; i++)
    dvm_text_printf(&t, "[%lld:%lld]", (long long)sdm_facts_wide(f, record, low, i), (long long)sdm_facts_wide(f, record, high, i));
  if (corner)
    dvm_text_add(&t, "(corner)");
  return sdm_facts_json_of(&t);
}

static json_t *box(struct facts *f, uint64_t b, uint32_t ndims) {
  return widths(f, b, DVM_FACTS_BOX_LOW, DVM_FACTS_BOX_HIGH, ndims, sdm_facts_number(f, b, DVM_FACTS_BOX_CORNER));
}

static json_t *array(struct facts *f, uint64_t a) {
  uint32_t ndims = sdm_facts_ndims(f, a, DVM_FACTS_ARRAY_NDIMS);
  bool template = sdm_facts_number(f, a, DVM_FACTS_ARRAY_TEMPLATE);
  json_t *j = json_object(), *extents = json_array();
  put(j, "name", text(f, sdm_facts_number(f, a, DVM_FACTS_ARRAY_NAME)));
  put_place(f, j, sdm_facts_number(f, a, DVM_FACTS_ARRAY_FILE), sdm_facts_number(f, a, DVM_FACTS_ARRAY_LINE));
  for (uint32_t i = 0; i < ndims; i++)
    json_array_append_new(extents, json_integer(sdm_facts_wide(f, a, DVM_FACTS_ARRAY_EXTENT, i)));
  put(j, "extents", extents);
  put(j, "type", template ? json_string("template") : type(f, a));
  put(j, "distribution", distribution(f, a, ndims));
  if (sdm_facts_number(f, a, DVM_FACTS_ARRAY_DYNAMIC))
    put(j, "dynamic", json_true());
  if (!template)
    put(j, "shadow", widths(f, a, DVM_FACTS_ARRAY_LOW, DVM_FACTS_ARRAY_HIGH, ndims, false));
  if (sdm_facts_is_parallel(f))
    sdm_facts_put_own(f, j, a, ndims);
  return j;
}

/* ---- shadow edges ---- */

static json_t *renewed(struct facts *f, uint64_t a, uint32_t ndims) {
  const struct dvm_facts_field *x = &f->head.fields[DVM_FACTS_ARRAY_BOXES];
  uint32_t bytes = f->head.fields[DVM_FACTS_BOX_BYTES].bytes;
  uint64_t n = sdm_facts_number(f, a, DVM_FACTS_ARRAY_NBOXES);
  json_t *list = json_array();
  if (n > BOXES_MAX || n * bytes > x->bytes)
    sdm_facts_fail(f, -EPROTO, a);
  for (uint64_t i = 0; i < n && !f->rc; i++)
    json_array_append_new(list, box(f, a + x->offset + i * bytes, ndims));
  return list;
}

/* Exchanges of the array that have been started and not been waited for. */
static json_t *pending(struct facts *f, uint64_t a, uint32_t ndims) {
  json_t *list = json_array();
  uint64_t g = sdm_facts_variable(f, f->head.groups);
  for (unsigned n = 0; g && !f->rc && n < LIST_MAX; n++, g = sdm_facts_number(f, g, DVM_FACTS_GROUP_NEXT)) {
    uint64_t m = sdm_facts_number(f, g, DVM_FACTS_GROUP_STARTED) ? sdm_facts_number(f, g, DVM_FACTS_GROUP_MEMBERS) : 0;
    for (unsigned k = 0; m && !f->rc && k < LIST_MAX; k++, m = sdm_facts_number(f, m, DVM_FACTS_MEMBER_NEXT))
      if (sdm_facts_number(f, m, DVM_FACTS_MEMBER_ARRAY) == a)
        json_array_append_new(list, json_pack("{s:o, s:o}", "group", text(f, sdm_facts_number(f, g, DVM_FACTS_GROUP_NAME)), "edge",
                                              box(f, m + f->head.fields[DVM_FACTS_MEMBER_BOX].offset, ndims)));
  }
  return list;
}

/* Where it was written last: the access, and the construct that it was in. */
static void put_writer(struct facts *f, json_t *j, uint64_t a) {
  uint64_t site = sdm_facts_number(f, a, DVM_FACTS_ARRAY_WRITER), in = sdm_facts_number(f, a, DVM_FACTS_ARRAY_WRITER_IN);
  uint64_t access = site ? sdm_facts_number(f, site, DVM_FACTS_SITE_ACCESS) : 0;
  json_t *w = json_object();
  if (access)
    put_place(f, w, sdm_facts_number(f, access, DVM_FACTS_ACCESS_FILE), sdm_facts_number(f, access, DVM_FACTS_ACCESS_LINE));
  if (in)
    put(w, "in", directive(f, in));
  if (json_object_size(w))
    put(j, "written", w);
  else
    json_decref(w);
}

static json_t *edge(struct facts *f, uint64_t a) {
  uint32_t ndims = sdm_facts_ndims(f, a, DVM_FACTS_ARRAY_NDIMS);
  json_t *j = json_object(), *list = renewed(f, a, ndims), *under_way = pending(f, a, ndims);
  const char *state = sdm_facts_number(f, a, DVM_FACTS_ARRAY_EVER_RENEWED) ? "stale" : "never renewed";
  put(j, "name", text(f, sdm_facts_number(f, a, DVM_FACTS_ARRAY_NAME)));
  put(j, "shadow", widths(f, a, DVM_FACTS_ARRAY_LOW, DVM_FACTS_ARRAY_HIGH, ndims, false));
  if (sdm_facts_number(f, a, DVM_FACTS_ARRAY_EDGE_RENEWED))
    put(j, "shadow_add", json_true());
  if (json_array_size(list) || sdm_facts_number(f, a, DVM_FACTS_ARRAY_EDGE_RENEWED))
    state = "renewed";
  if (json_array_size(under_way))
    state = "pending";
  put(j, "state", json_string(state));
  put(j, "renewed", list);
  if (json_array_size(under_way))
    put(j, "pending", under_way);
  else
    json_decref(under_way);
  if (sdm_facts_number(f, a, DVM_FACTS_ARRAY_DIRTY)) /* the edges become stale when the construct is over */
    put(j, "dirty", json_true());
  put_writer(f, j, a);
  return j;
}

/* ---- diagnostics ---- */

static void put_clause(struct facts *f, json_t *j, uint64_t d) {
  uint64_t name = sdm_facts_number(f, d, DVM_FACTS_FINDING_CLAUSE);
  struct dvm_text t = DVM_TEXT_INIT;
  if (!name)
    return;
  uint32_t ndims = sdm_facts_ndims(f, d, DVM_FACTS_FINDING_CLAUSE_NDIMS);
  json_t *w = widths(f, d, DVM_FACTS_FINDING_CLAUSE_LOW, DVM_FACTS_FINDING_CLAUSE_HIGH, ndims,
                     sdm_facts_number(f, d, DVM_FACTS_FINDING_CLAUSE_CORNER));
  sdm_facts_add_text(f, name, &t);
  dvm_text_add(&t, "(");
  sdm_facts_add_text(f, sdm_facts_number(f, d, DVM_FACTS_FINDING_CLAUSE_ARRAY), &t);
  dvm_text_printf(&t, "%s)", json_string_value(w));
  json_decref(w);
  put(j, "clause", sdm_facts_json_of(&t));
}

static json_t *finding(struct facts *f, uint64_t d) {
  uint64_t id = sdm_facts_number(f, d, DVM_FACTS_FINDING_ID), message = sdm_facts_number(f, d, DVM_FACTS_FINDING_MESSAGE);
  uint64_t in = sdm_facts_number(f, d, DVM_FACTS_FINDING_CONSTRUCT);
  struct dvm_text name = DVM_TEXT_INIT;
  uint8_t severity = 0;
  json_t *j = json_object();
  if (id >= f->head.nids)
    sdm_facts_fail(f, -EPROTO, d);
  get(f, f->head.severities + id, &severity, 1);
  dvm_text_add(&name, "dvm-");
  sdm_facts_add_text(f, sdm_facts_variable(f, f->head.ids + 8 * id), &name);
  put(j, "id", sdm_facts_json_of(&name));
  put(j, "severity", json_string(severity ? "warning" : "error"));
  put_place(f, j, sdm_facts_number(f, d, DVM_FACTS_FINDING_FILE), sdm_facts_number(f, d, DVM_FACTS_FINDING_LINE));
  put_number(j, "column", sdm_facts_number(f, d, DVM_FACTS_FINDING_COLUMN));
  put(j, "what", text(f, sdm_facts_number(f, d, DVM_FACTS_FINDING_WHAT)));
  put_number(j, "count", sdm_facts_number(f, d, DVM_FACTS_FINDING_COUNT));
  if (message)
    put(j, "message", text(f, message));
  if (in)
    put(j, "in", directive(f, in));
  put_clause(f, j, d);
  return j;
}

/* The latest one that has been shown, or null. */
static json_t *last(struct facts *f) {
  uint64_t found = 0, d = sdm_facts_variable(f, f->head.findings);
  for (unsigned n = 0; d && !f->rc && n < 10 * LIST_MAX; n++, d = sdm_facts_number(f, d, DVM_FACTS_FINDING_NEXT))
    if (sdm_facts_number(f, d, DVM_FACTS_FINDING_MESSAGE))
      found = d;
  json_t *j = json_pack("{s:o}", "diagnostic", found ? finding(f, found) : json_null());
  if (sdm_facts_is_parallel(f)) /* it does not come back from there */
    put(j, "ends", json_true());
  return j;
}

/* ---- statistics ---- */

static json_t *loop(struct facts *f, uint64_t n) {
  json_t *j = directive(f, sdm_facts_number(f, n, DVM_FACTS_LOOP_DIRECTIVE));
  put_number(j, "entries", sdm_facts_number(f, n, DVM_FACTS_LOOP_ENTRIES));
  put_number(j, "iterations", sdm_facts_number(f, n, DVM_FACTS_LOOP_ITERATIONS));
  put_number(j, "proved", sdm_facts_number(f, n, DVM_FACTS_LOOP_PROVED));
  return j;
}

/* ---- lists ---- */

static bool is_array(struct facts *f, uint64_t a) { return !sdm_facts_number(f, a, DVM_FACTS_ARRAY_ORDINARY); }
static bool has_edges(struct facts *f, uint64_t a) { return is_array(f, a) && !sdm_facts_number(f, a, DVM_FACTS_ARRAY_TEMPLATE); }
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
  uint64_t at = sdm_facts_variable(f, root);
  for (unsigned n = 0; at && !f->rc; n++, at = sdm_facts_number(f, at, l->next)) {
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
        put_number(j, "accesses", sdm_facts_variable(f, f->head.accesses));
      return j;
    }
  return NULL;
}

/* Refuses what this reader would misunderstand. */
static int head_check(const struct dvm_facts *h, struct dvm_error *err) {
  if (memcmp(h->magic, DVM_FACTS_MAGIC, sizeof(h->magic)))
    return dvm_error_set(err, -EPROTO, "the program's block of facts has a wrong magic number");
  if (h->version != DVM_FACTS_VERSION)
    return dvm_error_set(err, -EPROTO,
                         "the program's block of facts has version %u, but this debugger knows version %u; debug it with the tools "
                         "that it was compiled with",
                         h->version, DVM_FACTS_VERSION);
  if (h->nfields < DVM_FACTS_FIRST_COUNT || h->bytes < FIRST_BYTES)
    return dvm_error_set(err, -EPROTO, "the program's block of facts is truncated");
  for (unsigned i = 0; i < DVM_FACTS_COUNT; i++)
    if (h->fields[i].offset > 1 << 20 || h->fields[i].bytes > 1 << 16)
      return dvm_error_set(err, -EPROTO, "field %u of the program's block of facts lies outside", i);
  return 0;
}

/* The block; fields that came after it was made have 0 bytes. */
static int head_read(struct facts *f, uint64_t block, struct dvm_error *err) {
  get(f, block, &f->head, FIRST_BYTES);
  if (f->rc)
    return 0;
  int rc = head_check(&f->head, err);
  uint32_t n = f->head.nfields < DVM_FACTS_COUNT ? f->head.nfields : DVM_FACTS_COUNT;
  size_t more = (n - DVM_FACTS_FIRST_COUNT) * sizeof(struct dvm_facts_field);
  if (!rc && more && f->head.bytes >= FIRST_BYTES + more) {
    get(f, block + FIRST_BYTES, (char *)&f->head + FIRST_BYTES, more);
    rc = f->rc ? 0 : head_check(&f->head, err);
  }
  return rc;
}

static json_t *answer(struct facts *f, const char *what, uint64_t address, struct dvm_error *err) {
  bool parallel = sdm_facts_is_parallel(f), element = !strcmp(what, "element");
  json_t *j = NULL;
  if (parallel && (!strcmp(what, "shadow") || !strcmp(what, "stats")))
    dvm_error_set(err, -ENOTSUP,
                  "the program is executed in parallel, where edges and loops are not tracked; DVM_OPTIONS=poison=1 checks its accesses");
  else if (element && !parallel)
    dvm_error_set(err, -ENOTSUP, "the program was not compiled to run in parallel (dvmcc -fdvm=parallel): each process has all elements");
  else if (element && !(j = sdm_facts_element(f, address)) && !f->rc)
    dvm_error_set(err, -ENOENT, "it is not an element of a distributed array");
  else if (!element && !(j = read_what(f, what)) && !f->rc)
    dvm_error_set(err, -EINVAL, "there is no '%s'; the known names are construct, arrays, shadow, diagnostics and stats", what);
  return j;
}

json_t *sdm_facts_read(const struct sdm_facts_source *src, uint64_t block, const char *what, uint64_t address, struct dvm_error *err) {
  struct facts f = {.src = src};
  if (head_read(&f, block, err))
    return NULL;
  json_t *j = f.rc ? NULL : answer(&f, what, address, err);
  if (f.rc == -EPROTO)
    dvm_error_set(err, f.rc, "the record at 0x%llx does not match the program's block of facts", (unsigned long long)f.at);
  else if (f.rc)
    dvm_error_set(err, f.rc, "cannot read the program's memory at 0x%llx", (unsigned long long)f.at);
  if (f.rc) {
    json_decref(j);
    j = NULL;
  }
  return j;
}
