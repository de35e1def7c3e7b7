/* A program's memory with a block of facts: two arrays, a loop in its third iteration, one diagnostic.  The records lie as no
 * run-time library of ours lays them out: fields in the order of base/facts.h, 8 bytes each where nothing else is needed. */
#ifndef FACTS_IMAGE_H
#define FACTS_IMAGE_H
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/facts.h"

enum { IMAGE_BASE = 0x10000, IMAGE_BYTES = 32768 };

struct image {
  unsigned char bytes[IMAGE_BYTES];
  size_t used;
};

static inline struct dvm_facts *image_head(struct image *m) { return (struct dvm_facts *)m->bytes; }

static inline uint64_t image_room(struct image *m, size_t n) {
  uint64_t at = IMAGE_BASE + m->used;
  m->used += (n + 7) / 8 * 8;
  return at;
}

static inline uint64_t image_text(struct image *m, const char *s) {
  uint64_t at = image_room(m, strlen(s) + 1);
  memcpy(m->bytes + (at - IMAGE_BASE), s, strlen(s) + 1);
  return at;
}

static inline void image_put(struct image *m, uint64_t record, enum dvm_facts_id id, unsigned k, uint64_t v) {
  const struct dvm_facts_field *f = &image_head(m)->fields[id];
  size_t bytes = f->bytes < 8 ? f->bytes : 8;
  memcpy(m->bytes + (record - IMAGE_BASE) + f->offset + k * bytes, &v, bytes);
}

static inline uint64_t image_word(struct image *m, uint64_t v) {
  uint64_t at = image_room(m, 8);
  memcpy(m->bytes + (at - IMAGE_BASE), &v, 8);
  return at;
}

/* Sizes of fields that are no 8 bytes. */
static inline uint32_t image_field_bytes(unsigned id) {
  switch (id) {
  case DVM_FACTS_FRAME_LEFT:
  case DVM_FACTS_FRAME_NEST:
  case DVM_FACTS_FRAME_PROVED:
  case DVM_FACTS_ARRAY_TYPE:
  case DVM_FACTS_ARRAY_TEMPLATE:
  case DVM_FACTS_BOX_CORNER: return 1;
  case DVM_FACTS_NOW_WRITE:
  case DVM_FACTS_NOW_BASE:
  case DVM_FACTS_DIRECTIVE_LINE: return 4;
  case DVM_FACTS_ARRAY_DIST: return DVM_FACTS_NDIMS_MAX;
  case DVM_FACTS_DIRECTIVE_NAMES:
  case DVM_FACTS_NOW_INDEX:
  case DVM_FACTS_ARRAY_EXTENT:
  case DVM_FACTS_ARRAY_LOW:
  case DVM_FACTS_ARRAY_HIGH:
  case DVM_FACTS_BOX_LOW:
  case DVM_FACTS_BOX_HIGH:
  case DVM_FACTS_FINDING_CLAUSE_LOW:
  case DVM_FACTS_FINDING_CLAUSE_HIGH: return 8 * DVM_FACTS_NDIMS_MAX;
  case DVM_FACTS_COORD_BYTES: return 32;
  case DVM_FACTS_BOX_BYTES:
  case DVM_FACTS_MEMBER_BOX: return 120;
  case DVM_FACTS_ARRAY_MAP: return 32 * DVM_FACTS_NDIMS_MAX;
  case DVM_FACTS_ARRAY_BOXES: return 120 * 2;
  default: return 8;
  }
}

static inline void image_fields(struct image *m) {
  static const unsigned first[] = {DVM_FACTS_FRAME_OUTER, DVM_FACTS_DIRECTIVE_KIND, DVM_FACTS_NOW_WRITE,    DVM_FACTS_ARRAY_NEXT,
                                   DVM_FACTS_COORD_BYTES, DVM_FACTS_BOX_BYTES,      DVM_FACTS_SITE_ACCESS,  DVM_FACTS_ACCESS_FILE,
                                   DVM_FACTS_GROUP_NEXT,  DVM_FACTS_MEMBER_NEXT,    DVM_FACTS_FINDING_NEXT, DVM_FACTS_LOOP_NEXT};
  uint32_t offset = 0;
  for (unsigned id = 0; id < DVM_FACTS_FIRST_COUNT; id++) {
    for (unsigned i = 0; i < sizeof(first) / sizeof(*first); i++)
      if (first[i] == id)
        offset = 0; /* of another record */
    image_head(m)->fields[id] = (struct dvm_facts_field){offset, image_field_bytes(id)};
    offset += id == DVM_FACTS_COORD_BYTES || id == DVM_FACTS_BOX_BYTES ? 0 : (image_field_bytes(id) + 7) / 8 * 8;
  }
}

static inline uint64_t image_directive(struct image *m, unsigned line) {
  uint64_t d = image_room(m, 128);
  image_put(m, d, DVM_FACTS_DIRECTIVE_KIND, 0, image_text(m, "parallel"));
  image_put(m, d, DVM_FACTS_DIRECTIVE_FILE, 0, image_text(m, "a.c"));
  image_put(m, d, DVM_FACTS_DIRECTIVE_LINE, 0, line);
  image_put(m, d, DVM_FACTS_DIRECTIVE_RANK, 0, 1);
  image_put(m, d, DVM_FACTS_DIRECTIVE_NAMES, 0, image_text(m, "i"));
  return d;
}

static inline uint64_t image_array(struct image *m, const char *name, uint64_t next) {
  uint64_t a = image_room(m, 2400);
  image_put(m, a, DVM_FACTS_ARRAY_NEXT, 0, next);
  image_put(m, a, DVM_FACTS_ARRAY_NAME, 0, image_text(m, name));
  image_put(m, a, DVM_FACTS_ARRAY_FILE, 0, image_text(m, "a.c"));
  image_put(m, a, DVM_FACTS_ARRAY_LINE, 0, 3);
  image_put(m, a, DVM_FACTS_ARRAY_TYPE, 0, 'f');
  image_put(m, a, DVM_FACTS_ARRAY_ELEMENT, 0, 8);
  image_put(m, a, DVM_FACTS_ARRAY_NDIMS, 0, 2);
  image_put(m, a, DVM_FACTS_ARRAY_EXTENT, 0, 10);
  image_put(m, a, DVM_FACTS_ARRAY_EXTENT, 1, 20);
  image_put(m, a, DVM_FACTS_ARRAY_LOW, 0, 1);
  image_put(m, a, DVM_FACTS_ARRAY_HIGH, 0, 2);
  return a;
}

/* Dimension 'k' of the alignment. */
static inline void image_coord(struct image *m, uint64_t a, unsigned k, unsigned kind, unsigned index, int64_t coef, int64_t add) {
  uint64_t c = a + image_head(m)->fields[DVM_FACTS_ARRAY_MAP].offset + 32 * k;
  image_put(m, c, DVM_FACTS_COORD_KIND, 0, kind);
  image_put(m, c, DVM_FACTS_COORD_INDEX, 0, index);
  image_put(m, c, DVM_FACTS_COORD_COEF, 0, (uint64_t)coef);
  image_put(m, c, DVM_FACTS_COORD_ADD, 0, (uint64_t)add);
}

static inline void image_arrays(struct image *m, uint64_t in) {
  uint64_t b = image_array(m, "B", 0), a = image_array(m, "A", b), site = image_room(m, 8), access = image_room(m, 16);
  struct dvm_facts *h = image_head(m);
  image_put(m, a, DVM_FACTS_ARRAY_DISTRIBUTED, 0, 1);
  m->bytes[a - IMAGE_BASE + h->fields[DVM_FACTS_ARRAY_DIST].offset + 1] = 2;
  image_put(m, a, DVM_FACTS_ARRAY_NBOXES, 0, 1);
  image_put(m, a + h->fields[DVM_FACTS_ARRAY_BOXES].offset, DVM_FACTS_BOX_HIGH, 0, 2);
  image_put(m, site, DVM_FACTS_SITE_ACCESS, 0, access);
  image_put(m, access, DVM_FACTS_ACCESS_FILE, 0, image_text(m, "a.c"));
  image_put(m, access, DVM_FACTS_ACCESS_LINE, 0, 9);
  image_put(m, a, DVM_FACTS_ARRAY_WRITER, 0, site);
  image_put(m, a, DVM_FACTS_ARRAY_WRITER_IN, 0, in);
  image_put(m, b, DVM_FACTS_ARRAY_ALIGNED, 0, 1);
  image_put(m, b, DVM_FACTS_ARRAY_NTARGET, 0, 3);
  image_put(m, b, DVM_FACTS_ARRAY_TARGET, 0, image_text(m, "A"));
  image_coord(m, b, 0, 2, 1, -1, 19);
  image_coord(m, b, 1, 1, 0, 0, 4);
  image_put(m, b, DVM_FACTS_ARRAY_EVER_RENEWED, 0, 1);
  uint64_t group = image_room(m, 32), member = image_room(m, 136);
  image_put(m, group, DVM_FACTS_GROUP_NAME, 0, image_text(m, "g"));
  image_put(m, group, DVM_FACTS_GROUP_STARTED, 0, in);
  image_put(m, group, DVM_FACTS_GROUP_MEMBERS, 0, member);
  image_put(m, member, DVM_FACTS_MEMBER_ARRAY, 0, b);
  h->arrays = image_word(m, a);
  h->groups = image_word(m, group);
}

static inline void image_finding(struct image *m, uint64_t in) {
  uint64_t d = image_room(m, 256), names = image_word(m, image_text(m, "shadow-stale"));
  struct dvm_facts *h = image_head(m);
  image_put(m, d, DVM_FACTS_FINDING_MESSAGE, 0, image_text(m, "'A[1]' \x01 is \xff read"));
  image_put(m, d, DVM_FACTS_FINDING_WHAT, 0, image_text(m, "A"));
  image_put(m, d, DVM_FACTS_FINDING_CONSTRUCT, 0, in);
  image_put(m, d, DVM_FACTS_FINDING_FILE, 0, image_text(m, "a.c"));
  image_put(m, d, DVM_FACTS_FINDING_LINE, 0, 12);
  image_put(m, d, DVM_FACTS_FINDING_COLUMN, 0, 5);
  image_put(m, d, DVM_FACTS_FINDING_COUNT, 0, 7);
  image_put(m, d, DVM_FACTS_FINDING_CLAUSE, 0, image_text(m, "shadow_renew"));
  image_put(m, d, DVM_FACTS_FINDING_CLAUSE_ARRAY, 0, image_text(m, "A"));
  image_put(m, d, DVM_FACTS_FINDING_CLAUSE_NDIMS, 0, 1);
  image_put(m, d, DVM_FACTS_FINDING_CLAUSE_LOW, 0, 1);
  h->findings = image_word(m, d);
  h->ids = names;
  h->severities = image_word(m, 0);
  h->nids = 1;
}

static inline void image_make(struct image *m) {
  struct dvm_facts *h = image_head(m);
  memset(m, 0, sizeof(*m));
  m->used = (sizeof(*h) + 7) / 8 * 8;
  memcpy(h->magic, DVM_FACTS_MAGIC, sizeof(h->magic));
  h->version = DVM_FACTS_VERSION;
  h->bytes = sizeof(*h);
  h->nfields = DVM_FACTS_FIRST_COUNT; /* a library that has no more */
  image_fields(m);
  uint64_t d = image_directive(m, 6), frame = image_room(m, 64), over = image_room(m, 64), now = image_room(m, 80),
           loop = image_room(m, 64);
  image_put(m, frame, DVM_FACTS_FRAME_DIRECTIVE, 0, d);
  image_put(m, frame, DVM_FACTS_FRAME_NEST, 0, 1);
  image_put(m, over, DVM_FACTS_FRAME_LEFT, 0, 1);
  image_put(m, over, DVM_FACTS_FRAME_OUTER, 0, frame);
  image_put(m, now, DVM_FACTS_NOW_BASE, 0, 100);
  image_put(m, now, DVM_FACTS_NOW_WRITE, 0, 105);
  image_put(m, now, DVM_FACTS_NOW_INDEX, 0, (uint64_t)-4);
  image_put(m, loop, DVM_FACTS_LOOP_DIRECTIVE, 0, d);
  image_put(m, loop, DVM_FACTS_LOOP_ENTRIES, 0, 2);
  image_put(m, loop, DVM_FACTS_LOOP_ITERATIONS, 0, 30);
  h->frame = over;
  h->now = now;
  h->loops = image_word(m, loop);
  h->accesses = image_word(m, 11);
  image_arrays(m, d);
  image_finding(m, d);
}

/* A list of one span, at 'at'. */
static inline void image_list(struct image *m, uint64_t at, int64_t low, int64_t high) {
  uint64_t spans = image_room(m, 16);
  image_put(m, spans, DVM_FACTS_SPAN_LOW, 0, (uint64_t)low);
  image_put(m, spans, DVM_FACTS_SPAN_HIGH, 0, (uint64_t)high);
  image_put(m, at, DVM_FACTS_LIST_COUNT, 0, 1);
  image_put(m, at, DVM_FACTS_LIST_SPANS, 0, spans);
}

static inline void image_parallel_fields(struct image *m) {
  static const struct {
    unsigned id, offset, bytes;
  } fields[] = {{DVM_FACTS_NOW_RANK, 80, 4},        {DVM_FACTS_NOW_RANKS, 84, 4},       {DVM_FACTS_FRAME_CLAMPED, 64, 7},
                {DVM_FACTS_FRAME_PART, 72, 112},    {DVM_FACTS_FRAME_TURN, 184, 8},     {DVM_FACTS_FRAME_TURNS, 192, 8},
                {DVM_FACTS_LIST_BYTES, 0, 16},      {DVM_FACTS_LIST_COUNT, 0, 4},       {DVM_FACTS_LIST_SPANS, 8, 8},
                {DVM_FACTS_SPAN_BYTES, 0, 16},      {DVM_FACTS_SPAN_LOW, 0, 8},         {DVM_FACTS_SPAN_HIGH, 8, 8},
                {DVM_FACTS_ARRAY_OWN, 1400, 112},   {DVM_FACTS_ARRAY_ROOT, 1520, 8},    {DVM_FACTS_ARRAY_NROOT, 1528, 4},
                {DVM_FACTS_ARRAY_DIVIDED, 1532, 7}, {DVM_FACTS_ARRAY_PLACE, 1544, 224}, {DVM_FACTS_ARRAY_GRID, 1768, 8},
                {DVM_FACTS_ARRAY_POISON, 1776, 8},  {DVM_FACTS_POISON_STATES, 0, 8},    {DVM_FACTS_GRID_AXES, 8, 168},
                {DVM_FACTS_AXIS_BYTES, 0, 24},      {DVM_FACTS_AXIS_PROCS, 0, 4},       {DVM_FACTS_AXIS_PARTS, 16, 8}};
  for (unsigned i = 0; i < sizeof(fields) / sizeof(*fields); i++)
    image_head(m)->fields[fields[i].id] = (struct dvm_facts_field){fields[i].offset, fields[i].bytes};
  image_head(m)->nfields = DVM_FACTS_COUNT;
}

/* The same program, on rank 1 of 2: A's first dimension is cut at 5, B (aligned by its second one) lies with it nowhere but in A[4]. */
static inline void image_parallel(struct image *m) {
  struct dvm_facts *h = image_head(m);
  image_make(m);
  image_parallel_fields(m);
  uint64_t a, frame = image_room(m, 200), grid = image_room(m, 200), parts = image_room(m, 32), whole = image_room(m, 16);
  memcpy(&a, m->bytes + (h->arrays - IMAGE_BASE), 8);
  uint64_t now = image_room(m, 96), axes = grid + 8, own = a + 1400, poison = image_room(m, 8);
  image_put(m, now, DVM_FACTS_NOW_RANK, 0, 1);
  image_put(m, now, DVM_FACTS_NOW_RANKS, 0, 2);
  image_list(m, own, 5, 9);
  image_list(m, own + 16, 0, 19);
  image_put(m, a, DVM_FACTS_ARRAY_ROOT, 0, a);
  image_put(m, a, DVM_FACTS_ARRAY_NROOT, 0, 2);
  m->bytes[a - IMAGE_BASE + 1532] = 1;
  for (unsigned r = 0; r < 2; r++) {
    uint64_t c = a + 1544 + 32 * r, axis = axes + 24 * r;
    image_put(m, c, DVM_FACTS_COORD_KIND, 0, 2);
    image_put(m, c, DVM_FACTS_COORD_INDEX, 0, r);
    image_put(m, c, DVM_FACTS_COORD_COEF, 0, 1);
    image_put(m, axis, DVM_FACTS_AXIS_PROCS, 0, 2 - r);
    image_put(m, axis, DVM_FACTS_AXIS_PARTS, 0, r ? whole : parts);
  }
  image_list(m, parts, 0, 4);
  image_list(m, parts + 16, 5, 9);
  image_list(m, whole, 0, 19);
  image_put(m, a, DVM_FACTS_ARRAY_GRID, 0, grid);
  image_put(m, a, DVM_FACTS_ARRAY_ADDRESS, 0, 0x500000);
  uint64_t bytes = image_room(m, 200);
  image_put(m, a, DVM_FACTS_ARRAY_POISON, 0, poison);
  image_put(m, poison, DVM_FACTS_POISON_STATES, 0, bytes);
  m->bytes[bytes - IMAGE_BASE + 85] = 5; /* A[4][5]: a stale edge */
  image_put(m, frame, DVM_FACTS_FRAME_DIRECTIVE, 0, image_directive(m, 6));
  m->bytes[frame - IMAGE_BASE + 64] = 1;
  image_list(m, frame + 72, 5, 8);
  image_put(m, frame, DVM_FACTS_FRAME_TURN, 0, 1);
  image_put(m, frame, DVM_FACTS_FRAME_TURNS, 0, 4);
  h->frame = frame;
  h->now = now;
}

/* struct sdm_facts_source's, over an image. */
static inline int image_read(void *arg, uint64_t at, void *to, size_t n) {
  struct image *m = arg;
  if (at < IMAGE_BASE || at - IMAGE_BASE > IMAGE_BYTES || n > IMAGE_BYTES - (at - IMAGE_BASE))
    return -14; /* EFAULT */
  memcpy(to, m->bytes + (at - IMAGE_BASE), n);
  return 0;
}
#endif
