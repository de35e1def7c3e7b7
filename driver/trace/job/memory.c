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
  bool part;                    /* a bit-field */
  char *declares;               /* name of the array that begins anew here, or NULL; owned */
};
struct memory_object {
  char *name;                   /* of a declared array, else NULL; owned */
  uint64_t element_bytes, bytes;
  unsigned char *image;         /* owned; NULL: nothing is written yet, or it is not followed */
  bool unknown;
};
struct dvmt_memory {
  struct memory_site *site;     /* owned, as the objects */
  size_t nsites;
  struct memory_object *object;
  size_t nobjects;
};

struct dvmt_memory *dvmt_memory_create(void) { return calloc(1, sizeof(struct dvmt_memory)); }

void dvmt_memory_destroy(struct dvmt_memory *m) {
  for (size_t i = 0; m && i < m->nsites; i++)
    free(m->site[i].declares);
  for (size_t i = 0; m && i < m->nobjects; i++) {
    free(m->object[i].name);
    free(m->object[i].image);
  }
  if (m) {
    free(m->site);
    free(m->object);
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
  rows[m->nsites] = (struct memory_site){.type = dvmt_type_of(def->text), .part = dvmt_text_line(def->text, DVMRT_TRACE_BITS).s != NULL};
  if (def->kind == DVMT_SITE_DIRECT && array.s && (dvmt_span_is(kind, "array") || dvmt_span_is(kind, "bind"))) {
    struct dvmt_span name = dvmt_text_field(&array);
    if (!(rows[m->nsites].declares = strndup(name.s, name.n)))
      return -ENOMEM;
  }
  m->nsites++;
  return 0;
}

int dvmt_memory_object(struct dvmt_memory *m, const struct dvmt_object_def *def) {
  struct memory_object *rows = realloc(m->object, (m->nobjects + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  m->object = rows;
  struct memory_object *o = &rows[m->nobjects++];
  *o = (struct memory_object){.element_bytes = def->element_bytes, .bytes = def->element_bytes};
  for (int d = 0; d < def->ndims; d++)
    o->bytes = def->extent[d] > 0 && o->bytes <= BYTES_MAX / (uint64_t)def->extent[d] ? o->bytes * (uint64_t)def->extent[d] : 0;
  o->unknown = !o->bytes || !def->ndims;
  if (def->flags & DVMT_OBJECT_ARRAY && !(o->name = strdup(def->name)))
    return -ENOMEM;
  return 0;
}

static int write_value(struct memory_object *o, const struct memory_site *s, const struct dvmt_record *r) {
  uint64_t bytes = s->type.bytes;
  unsigned char truth = bytes && r->nwords && r->words[0] != 0;
  if (s->type.kind == 'f' && s->type.part_bytes == 16)
    bytes = 10; /* the others belong to no value */
  if (o->unknown)
    return 0;
  if (!bytes || s->part || s->type.kind == 'p' || s->type.kind == 'w' || (s->type.kind == 'c' && s->type.part_bytes == 16) ||
      r->nwords * 8ull < bytes || r->offset < 0 || (uint64_t)r->offset + bytes > o->bytes) {
    o->unknown = true;
    return 0;
  }
  if (!o->image && !(o->image = calloc(1, o->bytes)))
    return -ENOMEM;
  memcpy(o->image + r->offset, s->type.kind == 'b' ? (const void *)&truth : (const void *)r->words, s->type.kind == 'b' ? 1 : bytes);
  return 0;
}

int dvmt_memory_record(struct dvmt_memory *m, const struct dvmt_record *r) {
  if (r->site >= m->nsites)
    return 0;
  const struct memory_site *s = &m->site[r->site];
  if (r->kind == DVMT_WRITE && r->object < m->nobjects && m->object[r->object].name)
    return write_value(&m->object[r->object], s, r);
  for (size_t i = 0; r->kind == DVMT_DIRECT && s->declares && i < m->nobjects; i++) /* its memory begins as zeros */
    if (m->object[i].name && m->object[i].image && !strcmp(m->object[i].name, s->declares))
      memset(m->object[i].image, 0, m->object[i].bytes);
  return 0;
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
