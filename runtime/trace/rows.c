#include "runtime/trace/rows.h"
#include <string.h>

/* In elements: more that wait are given up when they are written again. */
enum { PIECE = DVMT_ROWS_PIECE, MUCH = 1 << 16 };

/* Where the sums of rows were void lately: they are not taken for some executions, twice as many each time. */
enum { KEPT = 256, SKIP_MAX = 1 << 10 };
static struct {
  uint64_t key;
  uint32_t skip, next;
} kept[KEPT];

static unsigned place_of(uint64_t key) { return (unsigned)(key * 0x9e3779b97f4a7c15ull >> 56) % KEPT; }

void dvmt_rows_begin(struct dvmt_rows *r) {
  unsigned k = place_of(r->key);
  r->shift = r->element_bytes & (r->element_bytes - 1) ? 64 : (unsigned)__builtin_ctzll(r->element_bytes);
  r->sum = 0;
  r->ndone = 0;
  r->waiting = (struct dvmt_rows_span){0, 0};
  r->copied_low = r->copied_high = 0;
  r->copied_last = DVMT_ROWS_NOWHERE;
  r->off = kept[k].key == r->key && kept[k].skip && kept[k].skip--;
}

static void give_up(struct dvmt_rows *r) {
  unsigned k = place_of(r->key);
  if (kept[k].key != r->key)
    kept[k].next = 0;
  kept[k].key = r->key;
  kept[k].next = kept[k].next ? kept[k].next < SKIP_MAX ? 2 * kept[k].next : SKIP_MAX : 4;
  kept[k].skip = kept[k].next;
  r->off = true;
}

static void add(struct dvmt_rows *r, uint64_t from, uint64_t to) {
  if (from < to)
    r->sum += r->f(r->array, from, to);
}

/* Two that follow each other become one, with what lies between them: those that are nearest to each other. */
static void join_nearest(struct dvmt_rows *r) {
  int least = 0;
  for (int i = 1; i + 1 < r->ndone; i++)
    if (r->done[i + 1].from - r->done[i].to < r->done[least + 1].from - r->done[least].to)
      least = i;
  add(r, r->done[least].to, r->done[least + 1].from);
  r->done[least].to = r->done[least + 1].to;
  r->ndone--;
  memmove(&r->done[least + 1], &r->done[least + 2], (size_t)(r->ndone - least - 1) * sizeof(*r->done));
}

/* 'w' is 'done' number 'at', between those that were there. */
static void insert(struct dvmt_rows *r, int at, struct dvmt_rows_span w) {
  memmove(&r->done[at + 1], &r->done[at], (size_t)(r->ndone - at) * sizeof(*r->done));
  r->done[at] = w;
  if (++r->ndone == DVMT_ROWS_SPANS)
    join_nearest(r);
}

/* Those between which 'w' lies; NULL: there is none, or it is not near. */
struct neighbours {
  struct dvmt_rows_span *before, *after;
  int at; /* where 'w' goes between them */
};

/* False: some of it is in the sum. */
static bool find_neighbours(struct dvmt_rows *r, struct dvmt_rows_span w, struct neighbours *n) {
  int at = r->ndone;
  while (at && r->done[at - 1].from >= w.to)
    at--;
  struct dvmt_rows_span *before = at ? &r->done[at - 1] : NULL, *after = at < r->ndone ? &r->done[at] : NULL;
  n->at = at;
  n->before = before && w.from - before->to <= r->near ? before : NULL;
  n->after = after && after->from - w.to <= r->near ? after : NULL;
  return !before || before->to <= w.from;
}

/* 'w' is in the sum, and what lies between it and what is near. */
static void join(struct dvmt_rows *r, struct dvmt_rows_span w, struct neighbours n) {
  if (n.before && n.after) {
    n.before->to = n.after->to;
    r->ndone--;
    memmove(n.after, n.after + 1, (size_t)(r->ndone - n.at) * sizeof(*n.after));
  } else if (n.before) {
    n.before->to = w.to;
  } else if (n.after) {
    n.after->from = w.from;
  } else {
    insert(r, n.at, w);
  }
}

/* What waits goes into the sum. */
static void settle(struct dvmt_rows *r) {
  const struct dvmt_rows_span w = r->waiting;
  struct neighbours n;
  r->waiting = (struct dvmt_rows_span){0, 0};
  if (w.from == w.to)
    return;
  if (!find_neighbours(r, w, &n)) {
    give_up(r);
    return;
  }
  add(r, n.before ? n.before->to : w.from, n.after ? n.after->from : w.to);
  join(r, w, n);
}

static void put(struct dvmt_rows *r, uint64_t from, uint64_t to) {
  r->copied_last = DVMT_ROWS_NOWHERE;
  struct dvmt_rows_span *w = &r->waiting;
  const uint64_t size = w->to - w->from;
  const bool meets = size && from < w->to && to > w->from, near = size && from <= w->to + r->near && to + r->near >= w->from;
  if (meets && size > MUCH) {
    give_up(r);
  } else if (meets || (near && size < PIECE)) {
    w->from = from < w->from ? from : w->from;
    w->to = to > w->to ? to : w->to;
  } else {
    settle(r);
    *w = (struct dvmt_rows_span){from, to};
  }
}

/* It is of this array as a whole, and of whole elements. */
static bool to_span(const struct dvmt_rows *r, uintptr_t low, uint64_t bytes, struct dvmt_rows_span *w) {
  const uint64_t first = low - r->address;
  if (low < r->address || first > r->elements * r->element_bytes)
    return false;
  if (r->shift < 64)
    *w = (struct dvmt_rows_span){first >> r->shift, (first + bytes) >> r->shift};
  else
    *w = (struct dvmt_rows_span){first / r->element_bytes, (first + bytes) / r->element_bytes};
  return w->to <= r->elements && w->from * r->element_bytes == first && (w->to - w->from) * r->element_bytes == bytes;
}

static uint64_t copy(const struct dvmt_rows *r, void *to, const void *values, struct dvmt_rows_span w) {
  const uint64_t first = w.from * r->element_bytes;
  return r->copy((char *)to - first, values, first, w.to * r->element_bytes);
}

/* Behind all that is in the sum, at once or nearly so, as most rows are. */
static bool copy_behind(struct dvmt_rows *r, void *to, const void *values, struct dvmt_rows_span w) {
  struct dvmt_rows_span *last = r->ndone ? &r->done[r->ndone - 1] : NULL;
  if (!last || r->waiting.from != r->waiting.to || w.from - last->to > r->near)
    return false;
  add(r, last->to, w.from);
  r->sum += copy(r, to, values, w);
  last->to = w.to;
  return true;
}

static bool copy_between(struct dvmt_rows *r, void *to, const void *values, struct dvmt_rows_span w) {
  struct neighbours n;
  settle(r);
  if (r->off || !find_neighbours(r, w, &n))
    return false;
  r->sum += copy(r, to, values, w);
  add(r, n.before ? n.before->to : w.from, w.from);
  add(r, w.to, n.after ? n.after->from : w.to);
  join(r, w, n);
  return true;
}

bool dvmt_rows_copy(struct dvmt_rows *r, void *to, const void *from, uint64_t bytes) {
  const uintptr_t low = (uintptr_t)to, source = (uintptr_t)from;
  struct dvmt_rows_span w;
  if (r->off || !r->copy || (source < low + bytes && low < source + bytes) || !to_span(r, low, bytes, &w) || w.from < r->copies_from ||
      w.to > r->copies_to)
    return false;
  if (!copy_behind(r, to, from, w) && !copy_between(r, to, from, w))
    return false;
  r->copied_last = r->shift < 64 && r->done[r->ndone - 1].to == w.to ? low + bytes : DVMT_ROWS_NOWHERE;
  r->copied_low = low;
  r->copied_high = low + bytes;
  return true;
}

bool dvmt_rows_stored(struct dvmt_rows *r, uint64_t low, uint64_t high) {
  const uint64_t end = r->address + r->elements * r->element_bytes;
  if (low >= end || high <= r->address)
    return false;
  if (r->off || dvmt_rows_copied(r, low, high))
    return true;
  low = low > r->address ? low - r->address : 0;
  high = (high < end ? high : end) - r->address;
  if (r->shift < 64)
    put(r, low >> r->shift, (high + r->element_bytes - 1) >> r->shift);
  else
    put(r, low / r->element_bytes, (high + r->element_bytes - 1) / r->element_bytes);
  return true;
}

uint64_t dvmt_rows_end(struct dvmt_rows *r) {
  uint64_t at = 0;
  r->copied_last = DVMT_ROWS_NOWHERE;
  if (!r->off)
    settle(r);
  if (r->off)
    return r->f(r->array, 0, r->elements);
  for (int i = 0; i < r->ndone; i++) {
    add(r, at, r->done[i].from);
    at = r->done[i].to;
  }
  add(r, at, r->elements);
  r->done[0] = (struct dvmt_rows_span){0, r->elements}; /* who asks again gets the same */
  r->ndone = 1;
  return r->sum;
}
