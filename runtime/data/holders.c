#include "runtime/data/edges_private.h"
#include "runtime/data/mem.h"
#include <string.h>

enum { PAIRS_MAX = 1 << 24 };

/* Whose edge holds an index: keys[from[index]] up to keys[from[index + 1]]. */
struct dvmrt_holders {
  uint32_t n;                   /* pairs; 0: none, or too many */
  int64_t extent;
  uint32_t *from;
  int64_t *keys;
};

static size_t bytes_of_from(const struct dvmrt_holders *h) { return (size_t)(h->extent + 2) * sizeof(*h->from); }

void dvmrt_holders_drop(struct dvmrt_edge *e) {
  struct dvmrt_holders *h = e->holders;
  if (!h)
    return;
  if (h->from)
    dvmrt_mem_free(h->from, bytes_of_from(h));
  if (h->keys)
    dvmrt_mem_free(h->keys, h->n * sizeof(*h->keys));
  dvmrt_mem_free(h, sizeof(*h));
  e->holders = NULL;
}

static struct dvmrt_held inside(struct dvmrt_held x, int64_t extent) {
  x.low = x.low < 0 ? 0 : x.low;
  x.high = x.high >= extent ? extent - 1 : x.high;
  return x;
}

/* from[index + 2]: how many hold it. */
static bool count(const struct dvmrt_edge *e, struct dvmrt_holders *h) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < e->n; i++) {
    const struct dvmrt_held x = inside(e->held[i], h->extent);
    all += x.low <= x.high ? (uint64_t)(x.high - x.low + 1) : 0;
    if (all > PAIRS_MAX)
      return false;
    for (int64_t index = x.low; index <= x.high; index++)
      h->from[index + 2]++;
  }
  h->n = (uint32_t)all;
  return all > 0;
}

static void fill(const struct dvmrt_edge *e, struct dvmrt_holders *h) {
  for (int64_t i = 2; i < h->extent + 2; i++)
    h->from[i] += h->from[i - 1];
  for (uint32_t i = 0; i < e->n; i++) {
    const struct dvmrt_held x = inside(e->held[i], h->extent);
    for (int64_t index = x.low; index <= x.high; index++)
      h->keys[h->from[index + 1]++] = x.key; /* which ends where the next index begins */
  }
}

static const struct dvmrt_holders *holders_of(struct dvmrt_edge *e) {
  if (e->holders)
    return e->holders;
  struct dvmrt_holders *h = e->holders = dvmrt_mem_alloc(sizeof(*h));
  h->extent = e->at.extent;
  h->from = dvmrt_mem_alloc(bytes_of_from(h));
  if (!count(e, h))
    return h;
  h->keys = dvmrt_mem_alloc(h->n * sizeof(*h->keys));
  fill(e, h);
  return h;
}

static struct dvmrt_edge *edge_of(const struct dvmrt_array *a, const char *name) {
  const struct dvmrt_has_edge *h = a->edges;
  while (h && strcmp(h->edge->name, name))
    h = h->next;
  return h ? h->edge : NULL;
}

/* Readers and what they read lie along the same dimension: else a processor has the element at places of others, too. */
static bool is_known(const struct dvmrt_edge *e, const struct dvmrt_layout *nest) {
  return e && !e->unknown && e->at.r >= 0 && e->nkeys == 1 && e->key[0].r == e->at.r && e->readers == e->root && nest->root == e->root &&
         nest->at[e->at.r].kind != DVMRT_COORD_ALL;
}

bool dvmrt_edges_holders(const struct dvmrt_array *a, const char *name, const struct dvmrt_layout *nest, const int64_t *iv,
                         dvmrt_edge_holder_f *f, void *arg) {
  struct dvmrt_edge *e = edge_of(a, name);
  if (!is_known(e, nest))
    return true;
  const struct dvmrt_coord c = nest->at[e->at.r];
  const int64_t place = c.kind == DVMRT_COORD_AFFINE ? c.coef * iv[c.index] + c.add : c.add;
  const struct dvmrt_holders *h = holders_of(e);
  int64_t index;
  if (!h->n || !dvmrt_edge_index(&e->at, place, &index))
    return true;
  for (uint32_t i = h->from[index]; i < h->from[index + 1]; i++) {
    const int64_t away = e->key[0].coef * h->keys[i] + e->key[0].add - place;
    if (away && !f(arg, e->at.r, away))
      return false;
  }
  return true;
}
