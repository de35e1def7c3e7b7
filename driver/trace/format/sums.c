#include "driver/trace/format/sums.h"
#include "runtime/trace/digest.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 256 };

struct sum {
  uint32_t object;
  uint64_t n, sum;
};
/* A construct or loop that is open. */
struct frame {
  bool sums;               /* at level checksum */
  struct sum *row;         /* owned; sorted by object */
  size_t n, cap;
};
struct dvmt_sums {
  struct frame frame[DEPTH_MAX];
  int depth, unseen;
};

struct dvmt_sums *dvmt_sums_create(void) { return calloc(1, sizeof(struct dvmt_sums)); }

void dvmt_sums_destroy(struct dvmt_sums *s) {
  for (int d = 0; s && d < DEPTH_MAX; d++)
    free(s->frame[d].row);
  free(s);
}

void dvmt_sums_enter(struct dvmt_sums *s, unsigned level) {
  if (s->depth == DEPTH_MAX) {
    s->unseen++;
    return;
  }
  struct frame *f = &s->frame[s->depth++];
  f->sums = level == DVMT_LEVEL_CHECKSUM;
  f->n = 0;
}

/* The object's row; NULL without memory. */
static struct sum *row_of(struct frame *f, uint32_t object) {
  size_t low = 0, high = f->n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (f->row[mid].object < object)
      low = mid + 1;
    else
      high = mid;
  }
  if (low < f->n && f->row[low].object == object)
    return &f->row[low];
  if (f->n == f->cap) {
    size_t cap = f->cap ? 2 * f->cap : 16;
    struct sum *rows = realloc(f->row, cap * sizeof(*rows));
    if (!rows)
      return NULL;
    f->row = rows;
    f->cap = cap;
  }
  memmove(&f->row[low + 1], &f->row[low], (f->n - low) * sizeof(*f->row));
  f->n++;
  f->row[low] = (struct sum){.object = object};
  return &f->row[low];
}

int dvmt_sums_add(struct dvmt_sums *s, const struct dvmt_record *r) {
  struct frame *f = s->depth ? &s->frame[s->depth - 1] : NULL;
  if (!f || !f->sums || s->unseen)
    return 0;
  if (r->kind != DVMT_WRITE)
    return 1;
  struct sum *to = row_of(f, r->object);
  if (!to)
    return -ENOMEM;
  to->n++;
  to->sum += dvmt_digest_value((uint64_t)r->offset, r->words, r->nwords);
  return 1;
}

int dvmt_sums_leave(struct dvmt_sums *s, uint32_t site, struct dvmt_sink *sink) {
  int rc = 0;
  if (s->unseen) {
    s->unseen--;
    return 0;
  }
  if (!s->depth)
    return 0;
  struct frame *f = &s->frame[--s->depth], *outer = s->depth ? &s->frame[s->depth - 1] : NULL;
  for (size_t i = 0; i < f->n && !rc; i++) {
    const uint64_t words[2] = {f->row[i].n, f->row[i].sum};
    struct sum *to = outer && outer->sums ? row_of(outer, f->row[i].object) : NULL;
    if (outer && outer->sums && !to)
      return -ENOMEM;
    if (to) {
      to->n += f->row[i].n;
      to->sum += f->row[i].sum;
    }
    rc = sink->record(sink,
                      &(struct dvmt_record){.kind = DVMT_DIGEST, .site = site, .object = f->row[i].object, .nwords = 2, .words = words});
  }
  return rc;
}
