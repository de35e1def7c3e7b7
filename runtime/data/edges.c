#include "runtime/data/edges_private.h"
#include "runtime/rule_abi.h"
#include "runtime/data/mem.h"
#include "runtime/export.h"
#include <string.h>

enum { ELEMENTS_MAX = 1 << 26 };

static struct dvmrt_edge *edges;
static uint32_t version;        /* changes whenever what an edge holds does */

/* ---- where things lie ----------------------------------------------------------------------------------------------------------- */

static struct dvmrt_edge_key key_of(struct dvmrt_array *a, int dim) {
  const struct dvmrt_layout *l = dvmrt_array_layout(a);
  for (int r = 0; l->root && r < l->ndims; r++)
    if (l->block[r] && l->at[r].kind == DVMRT_COORD_AFFINE && l->at[r].index == dim && l->at[r].coef)
      return (struct dvmrt_edge_key){r, l->at[r].coef, l->at[r].add, a->extent[dim]};
  return (struct dvmrt_edge_key){.r = -1};
}

static struct dvmrt_edge *find(const void *root, const char *name) {
  struct dvmrt_edge *e = edges;
  while (e && (e->root != root || strcmp(e->name, name)))
    e = e->next;
  return root ? e : NULL;
}

static void empty(struct dvmrt_edge *e) {
  if (e->held)
    dvmrt_mem_free(e->held, e->cap * sizeof(*e->held));
  e->held = NULL;
  e->n = e->cap = 0;
  dvmrt_holders_drop(e);
}

/* ---- rules: the code of the directive counts through all indices ------------------------------------------------------------------ */

struct level {
  struct dvmrt_array *a;
  struct dvmrt_edge_key key;
  int64_t extent, at;           /* index that is the reader's own */
  int nbeside, edge;            /* edges that are counted through as well; where: 0 the own index, then each of them .. */
  struct dvmrt_edge *beside[DVMRT_NDIMS_MAX];
  uint32_t next;                /* .. and which span of it */
  int64_t in_span;
};

static struct rule {
  bool unplaced;
  int nlevels;
  struct level level[DVMRT_NDIMS_MAX];
  struct dvmrt_edge result;
} rule;

static struct dvmrt_array *array_of_variable(const volatile void *variable) {
  struct dvmrt_array *a = dvmrt_array_target((uintptr_t)variable);
  return a ? a : dvmrt_array_at(*(const volatile uintptr_t *)variable);
}

DVMRT_EXPORT void __dvmrt_rule_begin(void) {
  bool entered = dvmrt_mem_enter();
  empty(&rule.result);
  rule = (struct rule){.unplaced = false};
  if (entered)
    dvmrt_mem_leave();
}

DVMRT_EXPORT void __dvmrt_rule_over(int number, const volatile void *variable, int dim) {
  bool entered = dvmrt_mem_enter();
  struct level *l = &rule.level[number];
  *l = (struct level){.a = array_of_variable(variable), .at = -1, .edge = -1, .key.r = -1};
  rule.nlevels = number + 1 > rule.nlevels ? number + 1 : rule.nlevels;
  if (l->a && dim < l->a->ndims && dvmrt_array_layout(l->a)->root) {
    l->key = key_of(l->a, dim);
    l->extent = l->a->extent[dim];
  } else {
    rule.unplaced = true;
  }
  if (entered)
    dvmrt_mem_leave();
}

/* Of an edge that holds other things for other places of this dimension alone. */
DVMRT_EXPORT void __dvmrt_rule_edge(int number, const char *name) {
  bool entered = dvmrt_mem_enter();
  struct level *l = &rule.level[number];
  struct dvmrt_edge *e = l->a ? find(dvmrt_array_layout(l->a)->root, name) : NULL;
  const bool known = e && !e->unknown && e->nkeys == 1 && e->readers == e->root && e->at.r == l->key.r && e->key[0].r == l->key.r;
  if (known && l->nbeside < DVMRT_NDIMS_MAX)
    l->beside[l->nbeside++] = e;
  else
    rule.result.unknown = true;
  if (entered)
    dvmrt_mem_leave();
}

/* The first span of that key. */
static uint32_t first_of(const struct dvmrt_edge *e, int64_t key) {
  uint32_t low = 0, high = e->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (e->held[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The same; it is near 'from', as a rule. */
static uint32_t first_near(const struct dvmrt_edge *e, uint32_t from, int64_t key) {
  enum { NEAR = 16 };
  if (from > e->n || (from && e->held[from - 1].key >= key))
    return first_of(e, key);
  for (uint32_t i = from; i < e->n && i < from + NEAR; i++)
    if (e->held[i].key >= key)
      return i;
  return first_of(e, key);
}

/* The next index of the target in what the present reader has of its edges. */
static bool next_beside(struct level *l, int64_t *index) {
  for (; l->edge <= l->nbeside; l->edge++, l->in_span = -1) {
    struct dvmrt_edge *e = l->beside[l->edge - 1];
    int64_t key, place = l->key.coef * l->at + l->key.add;
    if (!dvmrt_edge_index(&e->key[0], place, &key))
      continue;
    if (l->in_span < 0) {
      l->next = first_of(e, key);
      l->in_span = 0;
    }
    for (; l->next < e->n && e->held[l->next].key == key; l->next++, l->in_span = 0) {
      const struct dvmrt_held *h = &e->held[l->next];
      while (h->low + l->in_span <= h->high)
        if (dvmrt_edge_index(&l->key, e->at.coef * (h->low + l->in_span++) + e->at.add, index))
          return true;
    }
  }
  return false;
}

DVMRT_EXPORT int __dvmrt_rule_next(int number, long *index) {
  struct level *l = &rule.level[number];
  int64_t found;
  if (l->edge > 0 || (l->edge == 0 && l->nbeside)) {
    l->in_span = l->edge ? l->in_span : -1;
    l->edge += !l->edge;
    if (next_beside(l, &found)) {
      *index = found;
      return 1;
    }
  }
  l->edge = 0;
  *index = ++l->at;
  return l->at < l->extent;
}

DVMRT_EXPORT void __dvmrt_rule_give(long low, long high) {
  struct dvmrt_edge *e = &rule.result;
  int64_t key = 0;
  for (int i = 0; i < rule.nlevels; i++)
    key = rule.level[i].key.r < 0 ? key : key * rule.level[i].extent + rule.level[i].at;
  if (low > high || e->unknown)
    return;
  struct dvmrt_held *last = e->n ? &e->held[e->n - 1] : NULL;
  if (last && last->key == key && low <= last->high + 1 && low >= last->low) {
    last->high = high > last->high ? high : last->high;
    return;
  }
  if (e->n == ELEMENTS_MAX) {
    e->unknown = true;
    return;
  }
  bool entered = dvmrt_mem_enter();
  e->held = dvmrt_mem_grow(e->held, &e->cap, e->n + 1, sizeof(*e->held));
  e->held[e->n++] = (struct dvmrt_held){key, low, high};
  if (entered)
    dvmrt_mem_leave();
}

DVMRT_EXPORT long __dvmrt_rule_end(void) { return 1; }

/* The rule's indices lie on one root, or nothing can be said of who has what. */
static void read_levels(struct dvmrt_edge *e) {
  for (int i = 0; i < rule.nlevels; i++) {
    const void *root = rule.level[i].a ? dvmrt_array_layout(rule.level[i].a)->root : NULL;
    e->unknown |= !root || (e->readers && e->readers != root);
    e->readers = root;
    if (rule.level[i].key.r >= 0)
      e->key[e->nkeys++] = rule.level[i].key;
  }
}

/* ---- edges ------------------------------------------------------------------------------------------------------------------------ */

static void sift(struct dvmrt_held *h, uint32_t root, uint32_t n) {
  for (uint32_t child; (child = 2 * root + 1) < n; root = child) {
    child += child + 1 < n && h[child].key < h[child + 1].key;
    if (h[root].key >= h[child].key)
      return;
    struct dvmrt_held other = h[root];
    h[root] = h[child];
    h[child] = other;
  }
}

/* They mostly are in order; qsort may call malloc. */
static void sort(struct dvmrt_edge *e) {
  uint32_t i = 1;
  while (i < e->n && e->held[i - 1].key <= e->held[i].key)
    i++;
  if (i >= e->n)
    return;
  for (uint32_t k = e->n / 2; k--;)
    sift(e->held, k, e->n);
  for (uint32_t k = e->n; k-- > 1;) {
    struct dvmrt_held last = e->held[k];
    e->held[k] = e->held[0];
    e->held[0] = last;
    sift(e->held, 0, k);
  }
}

static struct dvmrt_edge *edge_of(struct dvmrt_array *a, const char *name) {
  const void *root = dvmrt_array_layout(a)->root;
  struct dvmrt_edge *e = find(root, name);
  if (!root)
    return NULL;
  version++;
  if (!e) {
    e = dvmrt_mem_alloc(sizeof(*e));
    e->next = edges;
    edges = e;
  }
  empty(e);
  *e = (struct dvmrt_edge){.next = e->next, .name = name, .root = root, .at.r = -1, .unknown = true};
  return e;
}

struct dvmrt_edge *dvmrt_edges_make_unknown(struct dvmrt_array *a, const char *name) { return edge_of(a, name); }

struct dvmrt_edge *dvmrt_edges_make(struct dvmrt_array *a, const char *name, int dim, int64_t number) {
  struct dvmrt_edge *e = edge_of(a, name), *next = e ? e->next : NULL;
  if (!e || !number || rule.unplaced)
    return e;
  const void *root = e->root;
  read_levels(&rule.result);
  *e = rule.result;
  rule.result = (struct dvmrt_edge){.next = NULL};
  e->next = next;
  e->name = name;
  e->root = root;
  e->at = key_of(a, dim);
  sort(e);
  return e;
}

bool dvmrt_edges_include(struct dvmrt_array *a, struct dvmrt_edge *e) {
  if (dvmrt_array_layout(a)->root != e->root)
    return false;
  struct dvmrt_has_edge *h = a->edges;
  while (h && h->edge != e)
    h = h->next;
  if (!h) {
    h = dvmrt_mem_alloc(sizeof(*h));
    h->next = a->edges;
    h->edge = e;
    a->edges = h;
  }
  h->renewed = false;
  a->named_edges = true;
  return true;
}

bool dvmrt_edges_renew(struct dvmrt_array *a, const char *name) {
  bool found = false;
  for (struct dvmrt_has_edge *h = a->edges; h; h = h->next)
    if (!name || !strcmp(h->edge->name, name))
      found = h->renewed = true;
  a->named_renewed |= found;
  a->ever_renewed |= found;
  return found;
}

void dvmrt_edges_stale(struct dvmrt_array *a) {
  a->named_renewed = false;
  for (struct dvmrt_has_edge *h = a->edges; h; h = h->next)
    h->renewed = false;
}

uint64_t dvmrt_edges_key(const struct dvmrt_array *a, uint64_t h) {
  for (const struct dvmrt_has_edge *e = a->edges; e; e = e->next)
    h = dvmrt_key_mix(dvmrt_key_mix(h, (uintptr_t)e->edge), 2 * (uint64_t)version + e->renewed);
  return h;
}

int dvmrt_edges_dim(struct dvmrt_array *a, const char *name) {
  for (const struct dvmrt_has_edge *h = a->edges; h; h = h->next)
    if (!strcmp(h->edge->name, name) && h->edge->at.r >= 0 && dvmrt_array_layout(a)->at[h->edge->at.r].kind == DVMRT_COORD_AFFINE)
      return dvmrt_array_layout(a)->at[h->edge->at.r].index;
  return 0;
}

/* ---- reading ---------------------------------------------------------------------------------------------------------------------- */

/* 1: all is known, and 'key' is the reader's; 0: nothing is known of what he has. */
static bool key_at(const struct dvmrt_edge *e, const struct dvmrt_layout *nest, const int64_t *iv, int64_t *key) {
  if (e->unknown || e->at.r < 0 || nest->root != e->readers)
    return false;
  *key = 0;
  for (int i = 0; i < e->nkeys; i++) {
    struct dvmrt_coord c = nest->at[e->key[i].r];
    int64_t index, place = c.kind == DVMRT_COORD_AFFINE ? c.coef * iv[c.index] + c.add : c.add;
    if (c.kind == DVMRT_COORD_ALL || !dvmrt_edge_index(&e->key[i], place, &index))
      return false;
    *key = *key * e->key[i].extent + index;
  }
  return true;
}

static bool has_from(const struct dvmrt_edge *e, uint32_t first, int64_t key, int64_t index) {
  for (uint32_t i = first; i < e->n && e->held[i].key == key; i++)
    if (e->held[i].low <= index && index <= e->held[i].high)
      return true;
  return false;
}

static bool has_index(const struct dvmrt_edge *e, int64_t key, int64_t index) { return has_from(e, first_of(e, key), key, index); }

bool dvmrt_edges_reach(struct dvmrt_array *a, int dim, int64_t index, const struct dvmrt_layout *readers, const int64_t *ix) {
  for (const struct dvmrt_has_edge *h = a->edges; h; h = h->next) {
    int64_t key, held;
    if (!key_at(h->edge, readers, ix, &key))
      return true;
    struct dvmrt_coord c = dvmrt_array_layout(a)->at[h->edge->at.r];
    if (c.kind == DVMRT_COORD_AFFINE && c.index == dim && dvmrt_edge_index(&h->edge->at, c.coef * index + c.add, &held) &&
        has_index(h->edge, key, held))
      return true;
  }
  return false;
}

bool dvmrt_edges_reader(struct dvmrt_array *a, const struct dvmrt_layout *nest, const int64_t *iv, struct dvmrt_edge_reader *r) {
  for (const struct dvmrt_has_edge *h = a->edges; h; h = h->next) {
    if (!h->renewed || !key_at(h->edge, nest, iv, &r->key))
      continue;
    struct dvmrt_coord c = dvmrt_array_layout(a)->at[h->edge->at.r];
    r->edge = h->edge;
    r->first = first_near(h->edge, r->first, r->key);
    r->coef = c.coef;
    r->add = c.add;
    return c.kind == DVMRT_COORD_AFFINE;
  }
  return false;
}

bool dvmrt_edges_reads(const struct dvmrt_edge_reader *r, int64_t index) {
  int64_t held;
  return dvmrt_edge_index(&r->edge->at, r->coef * index + r->add, &held) && has_from(r->edge, r->first, r->key, held);
}

/* 'unknown': the answer if it is not known what the iteration has. */
static bool holds(const struct dvmrt_edge *e, struct dvmrt_array *a, const struct dvmrt_layout *nest, const int64_t *iv, const int64_t *ix,
                  const struct dvmrt_place *p, bool unknown) {
  int64_t key, index;
  if (!key_at(e, nest, iv, &key))
    return unknown;
  struct dvmrt_coord c = dvmrt_array_layout(a)->at[e->at.r];
  for (int d = 0; p->kind == DVMRT_PLACE_NEAR && d < a->ndims; d++)
    if (p->away[d] && (c.kind != DVMRT_COORD_AFFINE || d != c.index))
      return false;
  if (c.kind == DVMRT_COORD_ALL)
    return unknown;
  return dvmrt_edge_index(&e->at, c.kind == DVMRT_COORD_AFFINE ? c.coef * ix[c.index] + c.add : c.add, &index) && has_index(e, key, index);
}

const char *dvmrt_edges_holding(struct dvmrt_array *a, const struct dvmrt_layout *nest, const int64_t *iv, const int64_t *ix,
                                const struct dvmrt_place *p, bool renewed) {
  for (const struct dvmrt_has_edge *h = a->edges; h; h = h->next)
    if (h->renewed == renewed && holds(h->edge, a, nest, iv, ix, p, renewed))
      return h->edge->name;
  return NULL;
}

/* ---- ends --------------------------------------------------------------------------------------------------------------------------- */

void dvmrt_edges_moved(struct dvmrt_array *a) {
  for (struct dvmrt_has_edge *h = a->edges, *next; h; h = next) {
    next = h->next;
    dvmrt_mem_free(h, sizeof(*h));
  }
  a->edges = NULL;
  a->named_edges = a->named_renewed = false;
  for (struct dvmrt_edge *e = edges; e; e = e->next) {
    e->root = e->root == a ? NULL : e->root;
    e->unknown |= e->readers == a;
    version += e->root == NULL;
    if (!e->root)
      empty(e);
  }
}
