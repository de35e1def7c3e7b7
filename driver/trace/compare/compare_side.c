/* The two sides: names and numbers that they share, and the records of the reference. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *name) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (; *name; name++)
    h = (h ^ (unsigned char)*name) * 0x100000001b3ull;
  return h ^ h >> 32;
}

/* Twice as many slots as names. */
static bool grow_names(struct dvmt_compare *c) {
  size_t cap = c->names_cap ? 2 * c->names_cap : 1024;
  char **rows = realloc(c->names, cap * sizeof(*rows));
  if (rows)
    c->names = rows;
  uint32_t *slots = rows ? calloc(2 * cap, sizeof(*slots)) : NULL;
  if (!slots)
    return false;
  for (uint32_t i = 0; i < c->nnames; i++) {
    size_t at = hash_of(c->names[i]) & (2 * cap - 1);
    while (slots[at])
      at = (at + 1) & (2 * cap - 1);
    slots[at] = i + 1;
  }
  free(c->name_slots);
  c->name_slots = slots;
  c->names_cap = cap;
  return true;
}

uint32_t dvmt_cmp_intern(struct dvmt_compare *c, const char *name) {
  if (c->nnames == c->names_cap && !grow_names(c)) {
    c->rc = -ENOMEM;
    return 0;
  }
  size_t at = hash_of(name) & (2 * c->names_cap - 1);
  for (; c->name_slots[at]; at = (at + 1) & (2 * c->names_cap - 1))
    if (!strcmp(c->names[c->name_slots[at] - 1], name))
      return c->name_slots[at] - 1;
  char *copy = strdup(name);
  if (!copy) {
    c->rc = -ENOMEM;
    return 0;
  }
  c->name_slots[at] = (uint32_t)c->nnames + 1;
  c->names[c->nnames] = copy;
  return (uint32_t)c->nnames++;
}

bool dvmt_cmp_add_key(struct keys *k, uint32_t key) {
  uint32_t *rows = realloc(k->key, (k->n + 1) * sizeof(*rows));
  if (!rows)
    return false;
  rows[k->n++] = key;
  k->key = rows;
  return true;
}

/* A construct is the same if kind, file (without folders), line and column are. */
uint32_t dvmt_cmp_site_key(struct dvmt_compare *c, const char *text, bool of_reference) {
  char name[512];
  struct dvmt_where w = dvmt_site_where(text);
  struct dvmt_span kind = dvmt_site_kind(text);
  size_t at = w.file.n;
  while (at && w.file.s[at - 1] != '/')
    at--;
  size_t n = w.file.n - at;
  const char *file = w.file.s ? w.file.s + at : "";
  if (of_reference)
    file = dvmt_cmp_renamed_file(c, file, n, &n);
  snprintf(name, sizeof(name), "\1%.*s %.*s %u %u", (int)kind.n, kind.s, (int)n, file, w.line, w.column);
  return dvmt_cmp_intern(c, name);
}

static uint32_t variable_key(struct dvmt_compare *c, struct dvmt_span v, struct dvmt_span q) {
  char name[700];
  snprintf(name, sizeof(name), "\1variable %.*s %.*s", (int)v.n, v.s ? v.s : "", (int)q.n, q.s ? q.s : "");
  return dvmt_cmp_intern(c, name);
}

struct terms {
  struct dvmt_compare *c;
  struct member *m;
};

static bool add_term(void *arg, char key, struct dvmt_span rest) {
  struct terms *t = arg;
  if (key != DVMRT_TRACE_TERM || t->m->nterms == sizeof(t->m->term) / sizeof(*t->m->term))
    return true;
  struct dvmt_span v = dvmt_text_field(&rest);
  t->m->term[t->m->nterms++] = variable_key(t->c, v, rest);
  return true;
}

/* One declaration of a variable, and those that are added in the statement. */
static void learn_variables(struct dvmt_compare *c, const char *text, struct member *m) {
  struct terms t = {c, m};
  m->variable = variable_key(c, dvmt_text_line(text, DVMRT_ACCESS_VARIABLE), dvmt_text_line(text, DVMRT_ACCESS_DECLARED));
  dvmt_text_lines(text, add_term, &t);
}

static bool learn_site(struct dvmt_compare *c) {
  const char *text = dvmt_reader_site(c->reference, c->a.sites.n)->text;
  struct dvmt_type *types = realloc(c->a_types, (c->a.sites.n + 1) * sizeof(*types));
  if (types)
    c->a_types = types;
  if (!types || !dvmt_cmp_add_member(&c->a.members, text))
    return false;
  learn_variables(c, text, &c->a.members.row[c->a.sites.n]);
  types[c->a.sites.n] = dvmt_type_of(text);
  return dvmt_cmp_add_key(&c->a.sites, dvmt_cmp_site_key(c, text, true));
}

static void learn_reference(struct dvmt_compare *c) {
  while (c->a.sites.n < dvmt_reader_nsites(c->reference) && !c->rc)
    if (!learn_site(c))
      c->rc = -ENOMEM;
  c->a_defined = dvmt_reader_ndefinitions(c->reference);
  while (c->a.objects.n < dvmt_reader_nobjects(c->reference) && !c->rc)
    if (!dvmt_cmp_add_key(&c->a.objects, dvmt_cmp_intern(c, dvmt_cmp_renamed(c, dvmt_reader_object(c->reference, c->a.objects.n)->name))))
      c->rc = -ENOMEM;
}

/* ---- elements ----------------------------------------------------------------------------------------------------------------- */

/* "z <path> <offset> <stride>.." */
bool dvmt_cmp_add_member(struct members *m, const char *text) {
  struct dvmt_span z = dvmt_text_line(text, DVMRT_TRACE_BEHIND);
  struct member *rows = realloc(m->row, (m->n + 1) * sizeof(*rows)), *to;
  if (!rows)
    return false;
  m->row = rows;
  to = &rows[m->n++];
  *to = (struct member){.known = z.s != NULL};
  if (!z.s)
    return true;
  struct dvmt_span path = dvmt_text_field(&z);
  uint64_t h = 1;
  for (size_t i = 0; i < path.n; i++)
    h = dvmt_mix(h ^ (unsigned char)path.s[i]);
  to->path = (uint16_t)h;
  to->bytes = dvmt_span_number(dvmt_text_line(text, DVMRT_ACCESS_ELEMENT), 0);
  to->offset = dvmt_span_number(dvmt_text_field(&z), 0);
  while (z.n && to->nstrides < 4)
    to->stride[to->nstrides++] = dvmt_span_number(dvmt_text_field(&z), 0);
  return true;
}

/* What is left of an offset behind the element: of a member its path and subscripts, whatever its size is. */
static int64_t member_place(const struct member *m, int64_t rest) {
  uint64_t h = m->path;
  if (!m->known || rest < m->offset)
    return rest;
  rest -= m->offset;
  for (int i = 0; i < m->nstrides; i++) {
    if (m->stride[i] <= 0)
      return rest;
    h = dvmt_mix(h + (uint64_t)(rest / m->stride[i]));
    rest %= m->stride[i];
  }
  return rest ? rest : (int64_t)(h & 0xffffff) | 1 << 24;
}

static int64_t place_of(const struct dvmt_object_def *o, const struct member *m, int64_t offset) {
  int64_t bytes = o->element_bytes, index, rest;
  if (!bytes || (!o->ndims && !(o->flags & DVMT_OBJECT_POINTED)))
    return member_place(m, offset);
  if (!(bytes & (bytes - 1))) {
    index = offset >> __builtin_ctzll((uint64_t)bytes);
    rest = offset & (bytes - 1);
  } else {
    index = offset / bytes - (offset % bytes < 0);
    rest = offset - index * bytes;
  }
  if (m->bytes > 0 && m->bytes < bytes && !m->nstrides) /* of a struct inside of it: the how manieth, whatever the sizes of others are */
    return (int64_t)((uint64_t)index << 26) +
           ((int64_t)(dvmt_mix(m->path + (uint64_t)((rest - m->offset) / m->bytes)) & 0xffffff) | 1 << 24);
  return (int64_t)((uint64_t)index << 26) + (rest || m->known ? member_place(m, rest) : 0);
}

/* R lines may have changed their order: the name is what tells. */
static __attribute__((noinline)) uint32_t result_key(struct dvmt_compare *c, bool of_reference, const struct item *it, uint64_t number) {
  struct dvmt_type type;
  char name[256];
  struct dvmt_span span = dvmt_result_name(of_reference ? dvmt_cmp_a_text(c, it) : dvmt_cmp_b_text(c, it), number, &type);
  snprintf(name, sizeof(name), "%.*s", (int)span.n, span.s);
  return dvmt_cmp_intern(c, of_reference ? dvmt_cmp_renamed(c, name) : name);
}

void dvmt_cmp_to_item(struct dvmt_compare *c, bool of_reference, const struct dvmt_record *r, struct item *it) {
  bool value = r->kind <= DVMT_WRITE || r->kind == DVMT_DIGEST;
  const struct keys *sites = of_reference ? &c->a.sites : &c->b.sites, *objects = of_reference ? &c->a.objects : &c->b.objects;
  it->kind = r->kind;
  it->nwords = (uint8_t)(r->nwords < ITEM_WORDS ? r->nwords : ITEM_WORDS);
  it->chain = of_reference ? 0 : c->chain;
  it->record = (uint32_t)c->totals.records;
  it->site = r->site;
  it->object = r->object;
  it->key = value ? objects->key[r->object] : sites->key[r->site];
  it->offset = it->place = 0;
  if (r->kind <= DVMT_WRITE) {
    it->offset = r->offset;
    it->place = place_of(of_reference ? dvmt_reader_object(c->reference, r->object) : &c->b_objects[r->object],
                         &(of_reference ? &c->a.members : &c->b.members)->row[r->site], r->offset);
  }
  copy_words(it->words, r->words, it->nwords);
  if (r->kind == DVMT_RESULT)
    it->key = result_key(c, of_reference, it, r->words[0]), it->place = (int64_t)(r->words[0] >> 32);
}

/* ---- records of the reference ---------------------------------------------------------------------------------------------------- */

/* The next record of the reference in 'c->ahead'; false at its end. */
bool dvmt_cmp_peek(struct dvmt_compare *c) {
  struct dvmt_record r;
  if (c->has_ahead || c->rc)
    return c->has_ahead;
  for (;;) {
    int rc = dvmt_reader_next(c->reference, &r, &c->err);
    if (rc < 0)
      c->rc = rc;
    if (!rc && c->options.cut && !c->over && !c->ending) {
      c->over = true;
      c->over_at = c->totals.records ? c->totals.records - 1 : 0;
    }
    if (rc <= 0)
      return false;
    if (r.kind == DVMT_LOST) {
      c->totals.lost += r.words[0];
      dvmt_cmp_lose_reference(c);
      continue;
    }
    if (dvmt_reader_ndefinitions(c->reference) != c->a_defined)
      learn_reference(c);
    if (c->rc)
      return false;
    c->totals.reference++;
    if (c->relocate)
      dvmt_cmp_relocate(c);
    if (dvmt_cmp_skip_damaged(&c->a_skip, r.kind))
      continue;
    if (r.kind == DVMT_UNRECORDED) {
      dvmt_cmp_unrecorded(c, dvmt_reader_site(c->reference, r.site)->text, r.words[0], true);
      continue;
    }
    if (dvmt_is_call(r.kind)) {
      c->totals.reference_calls++;
      continue;
    }
    if (c->a_levels && !dvmt_levels_keep(c->a_levels, &r, dvmt_reader_site(c->reference, r.site)))
      continue;
    dvmt_cmp_to_item(c, true, &r, &c->ahead);
    if (c->masks && dvmt_cmp_is_masked(c, &c->a.masks, &c->ahead, dvmt_reader_site(c->reference, r.site)->text))
      continue;
    c->ahead_record = dvmt_reader_position(c->reference) - 1;
    return c->has_ahead = true;
  }
}
