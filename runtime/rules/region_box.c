/* Wrong accesses of whole nests: what is told of the first one is told of all that differ from it in their element alone. */
#include "runtime/rules/region_box.h"
#include "runtime/data/finding.h"
#include <string.h>

struct walk {
  const struct dvmrt_region_box *box;
  struct dvmrt_region_fault *of;
  bool reads, writes, read_wrong;
};

static void indices(const struct dvmrt_held *h, uint64_t element, int64_t *ix) {
  for (int d = 0; d < h->ndims; d++)
    ix[d] = (int64_t)element / h->stride[d] % h->extent[d];
}

/* One end of a run. */
static void add_end(const struct walk *w, struct dvmrt_region_fault *t, const struct dvmrt_held *h, uint64_t element) {
  int64_t ix[DVMRT_NDIMS_MAX];
  indices(h, element, ix);
  for (int d = 0; d < h->ndims; d++) {
    t->low[d] = t->n && t->low[d] < ix[d] ? t->low[d] : ix[d];
    t->high[d] = t->n && t->high[d] > ix[d] ? t->high[d] : ix[d];
  }
  if (!t->n || w->box->is_before(w->box->arg, ix, t->first))
    memcpy(t->first, ix, sizeof(t->first));
}

/* Elements 'from' to 'to' of one row. */
static void add(const struct walk *w, enum dvmrt_stale why, const struct dvmrt_held *h, uint64_t from, uint64_t to) {
  struct dvmrt_region_fault *t = &w->of[why];
  t->why = why;
  add_end(w, t, h, from);
  t->n++;
  add_end(w, t, h, to);
  t->n += to - from;
}

/* Of elements in one state. */
static void count_run(struct walk *w, const struct dvmrt_held *h, uint64_t from, uint64_t to) {
  enum dvmrt_stale why;
  const uint8_t s = h->state[from];
  bool outside = false;
  if (w->reads && dvmrt_region_read_fault(h, s, &why)) {
    outside = why == DVMRT_CLAUSE_OUTSIDE;
    w->read_wrong |= !outside; /* what no clause names stays so, whatever the nest writes */
    add(w, why, h, from, to);
  }
  if (w->writes && !outside && dvmrt_region_write_fault(h, s, &why))
    add(w, why, h, from, to);
}

static bool count_row(struct dvmrt_held *h, uint64_t first, uint64_t n, void *arg) {
  for (uint64_t i = first, end = first + n, next; i < end; i = next) {
    for (next = i + 1; next < end && h->state[next] == h->state[i];)
      next++;
    count_run(arg, h, i, next - 1);
  }
  return true;
}

bool dvmrt_region_box_count(const struct dvmrt_region_box *b, struct dvmrt_region_fault faults[DVMRT_STALE_KINDS], bool *reads_wrong) {
  struct dvmrt_held *h = dvmrt_held_in(b->array->region.base, 1);
  struct walk w = {b, faults, b->flags & DVMRT_READ, b->flags & DVMRT_WRITE, false};
  struct dvmrt_section s;
  memset(faults, 0, DVMRT_STALE_KINDS * sizeof(*faults));
  if (dvmrt_held_emulates || !h || h->ndims != b->array->ndims || (dvmrt_region_on_device() && !h->inside))
    return false;
  memcpy(s.low, b->low, sizeof(s.low));
  memcpy(s.high, b->high, sizeof(s.high));
  dvmrt_held_each(h, &s, count_row, &w);
  *reads_wrong = w.read_wrong;
  return !(w.read_wrong && w.writes);
}

void dvmrt_region_box_tell(const struct dvmrt_region_box *b, const struct dvmrt_region_fault *t) {
  const struct dvmrt_held *h = dvmrt_held_in(b->array->region.base, 1);
  const uint64_t hits = dvmrt_finding_hits();
  uint32_t flags = t->why == DVMRT_CLAUSE_OUTSIDE ? b->flags : b->flags & DVMRT_WRITE ? DVMRT_WRITE : DVMRT_READ;
  uint64_t element = 0;
  for (int d = 0; d < h->ndims; d++)
    element += (uint64_t)(t->first[d] * h->stride[d]);
  b->go_to(b->arg, t->first);
  dvmrt_region_touch(h->base + element * h->unit, h->unit, b->site, t->first, flags);
  struct dvmrt_finding *f = dvmrt_finding_hits() == hits + 1 ? dvmrt_finding_last() : NULL;
  if (!f)
    return;
  dvmrt_finding_more(f, t->n * b->times - 1);
  bool widens = t->why == DVMRT_STALE_HOST || t->why == DVMRT_STALE_DEVICE || t->why == DVMRT_CLAUSE_OUTSIDE;
  for (int d = 0; widens && f->clause.section && d < f->clause.ndims && d < h->ndims; d++) {
    dvmrt_clause_widen(&f->clause, d, t->low[d]);
    dvmrt_clause_widen(&f->clause, d, t->high[d]);
  }
}
