#include "driver/trace/job/memory.h"
#include "driver/trace/format/value.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 30 };   /* of an array that is followed */

struct memory_site {
  struct dvmt_type type;
  unsigned bit, width;          /* of a bit-field; width 0: it is none */
  char *declares;               /* text of a directive by which an array begins anew, or NULL; owned */
};
/* An array whose extents only the run knows. */
struct memory_extent {
  char *name;                   /* owned */
  uint64_t bytes;
};
struct memory_object {
  char *name;                   /* of a declared array, else NULL; owned */
  uint64_t element_bytes, bytes;
  unsigned char *image;         /* owned; NULL: nothing is written yet, or it is not followed */
  uint64_t written;             /* when: a number that grows */
  bool unknown;
};
struct dvmt_memory {
  struct memory_site *site;     /* owned, as the objects */
  size_t nsites;
  struct memory_object *object;
  size_t nobjects;
  struct memory_extent *extent;
  size_t nextents;
  uint64_t clock;
};

struct dvmt_memory *dvmt_memory_create(void) { return calloc(1, sizeof(struct dvmt_memory)); }

void dvmt_memory_destroy(struct dvmt_memory *m) {
  for (size_t i = 0; m && i < m->nsites; i++)
    free(m->site[i].declares);
  for (size_t i = 0; m && i < m->nobjects; i++) {
    free(m->object[i].name);
    free(m->object[i].image);
  }
  for (size_t i = 0; m && i < m->nextents; i++)
    free(m->extent[i].name);
  if (m) {
    free(m->site);
    free(m->object);
    free(m->extent);
  }
  free(m);
}

int dvmt_memory_site(struct dvmt_memory *m, const struct dvmt_site_def *def) {
  struct memory_site *rows = realloc(m->site, (m->nsites + 1) * sizeof(*rows));
  struct dvmt_span kind = dvmt_text_line(def->text, DVMRT_ANY_KIND), array = dvmt_text_line(def->text, DVMRT_DIRECTIVE_ARRAY);
  kind = dvmt_text_field(&kind);
  if (!rows)
    return -ENOMEM;
  m->site = rows;
  rows[m->nsites] = (struct memory_site){.type = dvmt_type_of(def->text)};
  struct dvmt_span bits = dvmt_text_line(def->text, DVMRT_TRACE_BITS);
  if (bits.s) {
    rows[m->nsites].bit = (unsigned)dvmt_span_number(dvmt_text_field(&bits), 0);
    rows[m->nsites].width = (unsigned)dvmt_span_number(dvmt_text_field(&bits), 0);
  }
  if (def->kind == DVMT_SITE_DIRECT && array.s && (dvmt_span_is(kind, "array") || dvmt_span_is(kind, "bind")) &&
      !(rows[m->nsites].declares = strdup(def->text)))
    return -ENOMEM;
  m->nsites++;
  return 0;
}

static uint64_t bytes_of(uint64_t element_bytes, const int64_t *extent, int ndims) {
  uint64_t bytes = element_bytes;
  for (int d = 0; d < ndims; d++)
    bytes = extent[d] > 0 && bytes <= BYTES_MAX / (uint64_t)extent[d] ? bytes * (uint64_t)extent[d] : 0;
  return ndims ? bytes : 0;
}

static const struct memory_extent *extent_of(const struct dvmt_memory *m, const char *name) {
  for (size_t i = 0; i < m->nextents; i++)
    if (!strcmp(m->extent[i].name, name))
      return &m->extent[i];
  return NULL;
}

int dvmt_memory_object(struct dvmt_memory *m, const struct dvmt_object_def *def) {
  struct memory_object *rows = realloc(m->object, (m->nobjects + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  m->object = rows;
  struct memory_object *o = &rows[m->nobjects++];
  *o = (struct memory_object){.element_bytes = def->element_bytes, .bytes = bytes_of(def->element_bytes, def->extent, def->ndims)};
  const struct memory_extent *told = o->bytes || !(def->flags & DVMT_OBJECT_ARRAY) ? NULL : extent_of(m, def->name);
  if (told)
    o->bytes = told->bytes;
  o->unknown = !o->bytes;
  if (def->flags & DVMT_OBJECT_ARRAY && !(o->name = strdup(def->name)))
    return -ENOMEM;
  return 0;
}

static int write_bits(struct memory_object *o, const struct memory_site *s, const struct dvmt_record *r) {
  if (!o->image && !(o->image = calloc(1, o->bytes)))
    return -ENOMEM;
  for (unsigned i = 0; i < s->width; i++) {
    unsigned char *byte = &o->image[(uint64_t)r->offset + (s->bit + i) / 8], mask = (unsigned char)(1u << (s->bit + i) % 8);
    *byte = (unsigned char)(r->words[0] >> i & 1 ? *byte | mask : *byte & ~mask);
  }
  return 0;
}

static int write_value(struct memory_object *o, const struct memory_site *s, const struct dvmt_record *r) {
  uint64_t bytes = s->type.bytes;
  unsigned char truth = bytes && r->nwords && r->words[0] != 0;
  if (s->type.kind == 'f' && s->type.part_bytes == 16)
    bytes = 10; /* the others belong to no value */
  if (o->unknown)
    return 0;
  if (s->width) {
    if (r->nwords && s->width <= 64 && r->offset >= 0 && (uint64_t)r->offset + (s->bit + s->width + 7) / 8 <= o->bytes)
      return write_bits(o, s, r);
    o->unknown = true;
    return 0;
  }
  if (s->type.kind == 'p') /* no value in sums */
    return 0;
  if (!bytes || s->type.kind == 'w' || (s->type.kind == 'c' && s->type.part_bytes == 16) || r->nwords * 8ull < bytes || r->offset < 0 ||
      (uint64_t)r->offset + bytes > o->bytes) {
    o->unknown = true;
    return 0;
  }
  if (!o->image && !(o->image = calloc(1, o->bytes)))
    return -ENOMEM;
  memcpy(o->image + r->offset, s->type.kind == 'b' ? (const void *)&truth : (const void *)r->words, s->type.kind == 'b' ? 1 : bytes);
  return 0;
}

static int note_extent(struct dvmt_memory *m, const char *name, uint64_t bytes) {
  struct memory_extent *told = (struct memory_extent *)(uintptr_t)extent_of(m, name), *rows;
  if (!told) {
    if (!(rows = realloc(m->extent, (m->nextents + 1) * sizeof(*rows))))
      return -ENOMEM;
    m->extent = rows;
    told = &rows[m->nextents];
    if (!(told->name = strdup(name)))
      return -ENOMEM;
    m->nextents++;
  }
  told->bytes = bytes;
  return 0;
}

/* The array's memory begins as zeros, of the size that it has now. */
static int begin_array(struct dvmt_memory *m, const struct memory_site *s, const struct dvmt_record *r) {
  struct dvmt_array_ref ref;
  if (!dvmt_text_array(s->declares, (const int64_t *)r->words, r->nwords, &ref))
    return 0;
  uint64_t bytes = bytes_of(ref.element_bytes, ref.extent, ref.ndims);
  char *name = strndup(ref.name.s, ref.name.n);
  int rc = name ? bytes ? note_extent(m, name, bytes) : 0 : -ENOMEM;
  for (size_t i = 0; !rc && i < m->nobjects; i++) {
    struct memory_object *o = &m->object[i];
    if (!o->name || strcmp(o->name, name) != 0)
      continue;
    free(o->image);
    o->image = NULL;
    o->bytes = bytes ? bytes : o->bytes;
    o->unknown = !o->bytes;
  }
  free(name);
  return rc;
}

int dvmt_memory_record(struct dvmt_memory *m, const struct dvmt_record *r) {
  if (r->site >= m->nsites)
    return 0;
  const struct memory_site *s = &m->site[r->site];
  if (r->kind == DVMT_WRITE && r->object < m->nobjects && m->object[r->object].name) {
    m->object[r->object].written = ++m->clock;
    return write_value(&m->object[r->object], s, r);
  }
  return r->kind == DVMT_DIRECT && s->declares ? begin_array(m, s, r) : 0;
}

bool dvmt_memory_latest(const struct dvmt_memory *m, uint32_t object) {
  const struct memory_object *o = &m->object[object];
  for (size_t i = 0; i < m->nobjects; i++)
    if (i != object && m->object[i].name && !strcmp(m->object[i].name, o->name) &&
        (m->object[i].written > o->written || (m->object[i].written == o->written && i > object)))
      return false;
  return true;
}

bool dvmt_memory_sum(const struct dvmt_memory *m, uint32_t object, uint64_t *elements, uint64_t *digest) {
  const struct memory_object *o = &m->object[object];
  unsigned char *zeros = NULL;
  if (o->unknown || !o->name || (!o->image && !(zeros = calloc(1, o->bytes))))
    return false;
  *elements = o->bytes / o->element_bytes;
  *digest = dvmt_digest_array(o->image ? o->image : zeros, o->bytes, o->element_bytes);
  free(zeros);
  return true;
}

void dvmt_iterations_add(struct dvmt_iterations *to, const uint64_t *index, uint32_t n) {
  static const uint64_t spread = 0x9e3779b97f4a7c15u, factor = 0xbf58476d1ce4e5b9u;
  uint64_t w = 1;
  for (uint32_t k = 0; k + 1 < n; k++) {
    uint64_t x = w * factor + index[k];
    x = (x ^ x >> 32) * spread;
    x = (x ^ x >> 29) * factor;
    w = x ^ x >> 32;
  }
  to->count++;
  to->sum += (n > 1 ? w | 1 : 1) * (1 + index[n - 1] * spread);
}
