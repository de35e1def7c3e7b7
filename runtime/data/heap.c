#include "runtime/data/heap.h"
#include "runtime/data/mem.h"
#include "runtime/data/shadow.h"
#include <stddef.h>

uint32_t dvmrt_heap_now;

/* ---- a treap: what the table cannot hold ------------------------------------------------------------------------------------- */

/* Ordered by start, heap-ordered by a hash of it, so that the shape needs no stored balance. */
struct node {
  struct dvmrt_extent x;
  struct node *left, *right;
  uint32_t rank;
};

static struct node *root;

static uint32_t rank_of(uintptr_t a) {
  uint64_t h = (uint64_t)a * 0x9e3779b97f4a7c15ull;
  return (uint32_t)(h >> 32);
}

/* Splits 't' into what begins below 'at' and the rest. */
static void split(struct node *t, uintptr_t at, struct node **low, struct node **high) {
  while (t) {
    if (t->x.start < at) {
      *low = t;
      low = &t->right;
      t = t->right;
    } else {
      *high = t;
      high = &t->left;
      t = t->left;
    }
  }
  *low = *high = NULL;
}

static struct node *join(struct node *a, struct node *b) {
  struct node *top = NULL, **at = &top;
  while (a && b) {
    if (a->rank > b->rank) {
      *at = a;
      at = &a->right;
      a = a->right;
    } else {
      *at = b;
      at = &b->left;
      b = b->left;
    }
  }
  *at = a ? a : b;
  return top;
}

static struct node *floor_of(uintptr_t a) {
  struct node *best = NULL;
  for (struct node *t = root; t;) {
    if (t->x.start <= a) {
      best = t;
      t = t->right;
    } else {
      t = t->left;
    }
  }
  return best;
}

static struct node **link_of(uintptr_t start) {
  struct node **at = &root;
  while (*at && (*at)->x.start != start)
    at = start < (*at)->x.start ? &(*at)->left : &(*at)->right;
  return at;
}

static bool treap_remove(uintptr_t start, struct dvmrt_extent *x) {
  struct node **at = link_of(start), *n = *at;
  if (!n)
    return false;
  *x = n->x;
  *at = join(n->left, n->right);
  dvmrt_mem_free(n, sizeof(*n));
  return true;
}

static void treap_drop(uintptr_t start, uintptr_t end) {
  struct dvmrt_extent gone;
  for (struct node *n; (n = floor_of(end - 1)) && (n->x.start >= start || n->x.start + n->x.size > start);)
    treap_remove(n->x.start, &gone);
}

static void treap_add(uintptr_t start, uint64_t size) {
  struct node *n = dvmrt_mem_alloc(sizeof(*n));
  n->x = (struct dvmrt_extent){start, size, dvmrt_heap_now};
  n->rank = rank_of(start);
  for (uint64_t done = 0; done < size; done += (uint64_t)1 << 30)
    dvmrt_shadow_know(start + done);
  dvmrt_shadow_know(start + size);
  struct node **at = &root;
  while (*at && (*at)->rank >= n->rank)
    at = start < (*at)->x.start ? &(*at)->left : &(*at)->right;
  split(*at, start, &n->left, &n->right);
  *at = n;
}

static bool treap_find(uintptr_t a, struct dvmrt_extent *x) {
  struct node *n = floor_of(a);
  if (!n || (a != n->x.start && a - n->x.start >= n->x.size))
    return false;
  *x = n->x;
  return true;
}

/* ---- a table by pages: what malloc returns ------------------------------------------------------------------------------------- */

enum { GRAIN = 16, PAGE = 4096, GRAINS = PAGE / GRAIN, LEAF_LOG = 18, TOPS = 1 << 17 };
enum { REACHES = 1 };

/* A page in which extents begin. */
struct page {
  uintptr_t cover;         /* start of the extent that reaches in from before, or 0 */
  uint64_t starts[GRAINS / 64];
  uint32_t *sizes;         /* of those that begin at each grain */
  uint32_t *born;          /* likewise; NULL: all of them at 0 */
};

/* By page: 0, a struct page, or the start of an extent + REACHES, if that reaches in and none begins. */
static uintptr_t *tops[TOPS];

static uintptr_t page_of(uintptr_t a) { return a & ~(uintptr_t)(PAGE - 1); }
static unsigned grain_of(uintptr_t a) { return (unsigned)(a / GRAIN % GRAINS); }

static uintptr_t slot_at(uintptr_t a) {
  uintptr_t *leaf = a >> 47 ? NULL : tops[a >> 30];
  return leaf ? leaf[a >> 12 & (((uintptr_t)1 << LEAF_LOG) - 1)] : 0;
}

/* To be changed; NULL: no memory. */
static uintptr_t *slot_of(uintptr_t a) {
  uintptr_t **leaf = &tops[a >> 30];
  if (!*leaf) {
    *leaf = dvmrt_mem_map(sizeof(uintptr_t) << LEAF_LOG);
    dvmrt_shadow_know(a);
  }
  return *leaf ? &(*leaf)[a >> 12 & (((uintptr_t)1 << LEAF_LOG) - 1)] : NULL;
}

static struct page *page_in(uintptr_t slot) { return slot & REACHES ? NULL : (struct page *)slot; }

static uint64_t size_at(uintptr_t start) { return page_in(slot_at(start))->sizes[grain_of(start)]; }

static struct dvmrt_extent extent_at(uintptr_t start) {
  const struct page *p = page_in(slot_at(start));
  return (struct dvmrt_extent){start, p->sizes[grain_of(start)], p->born ? p->born[grain_of(start)] : 0};
}

static uintptr_t end_of(uintptr_t start) {
  uint64_t size = size_at(start);
  return start + (size ? size : 1);
}

/* The last that begins at or before grain 'g'; 0: none. */
static uintptr_t begun_before(const struct page *p, uintptr_t page, unsigned g) {
  uint64_t bits = p->starts[g / 64] & (UINT64_MAX >> (63 - g % 64));
  for (unsigned i = g / 64;; bits = p->starts[--i]) {
    if (bits)
      return page + (i * 64 + 63 - (unsigned)__builtin_clzll(bits)) * GRAIN;
    if (!i)
      return 0;
  }
}

static bool table_find(uintptr_t a, struct dvmrt_extent *x) {
  uintptr_t slot = slot_at(a), start = slot & ~(uintptr_t)REACHES;
  struct page *p = page_in(slot);
  if (p && !(start = begun_before(p, page_of(a), grain_of(a))))
    start = p->cover;
  if (!start || a >= end_of(start))
    return false;
  *x = extent_at(start);
  return a == start || a - start < x->size;
}

static void table_remove(uintptr_t start) {
  struct page *first = page_in(slot_at(start));
  uintptr_t end = end_of(start);
  first->starts[grain_of(start) / 64] &= ~((uint64_t)1 << grain_of(start) % 64);
  for (uintptr_t page = page_of(start) + PAGE; page < end; page += PAGE) {
    uintptr_t *slot = slot_of(page);
    struct page *p = page_in(*slot);
    if (p)
      p->cover = 0;
    else
      *slot = 0;
  }
}

static bool begins(uintptr_t start) {
  struct page *p = start % GRAIN ? NULL : page_in(slot_at(start));
  return p && p->starts[grain_of(start) / 64] >> grain_of(start) % 64 & 1;
}

static void table_drop(uintptr_t start, uintptr_t end) {
  struct dvmrt_extent x;
  if (table_find(start, &x))
    table_remove(x.start);
  for (uintptr_t page = page_of(start); page < end; page += PAGE) {
    struct page *p = page_in(slot_at(page));
    uintptr_t last = end < page + PAGE ? end : page + PAGE, at;
    while (p && (at = begun_before(p, page, grain_of(last - 1))) >= start && at)
      table_remove(at);
  }
}

static struct page *page_make(uintptr_t *slot) {
  struct page *p = dvmrt_mem_alloc(sizeof(*p));
  p->sizes = dvmrt_mem_alloc(GRAINS * sizeof(*p->sizes));
  p->cover = *slot & ~(uintptr_t)REACHES;
  *slot = (uintptr_t)p;
  return p;
}

static void set_born(struct page *p, uintptr_t start, uint32_t born) {
  if (!p->born && born)
    p->born = dvmrt_mem_alloc(GRAINS * sizeof(*p->born));
  if (p->born)
    p->born[grain_of(start)] = born;
}

/* Nothing that it overlaps is there.  False: it does not fit in. */
static bool table_add(uintptr_t start, uint64_t size) {
  uintptr_t end = start + (size ? size : 1), *slot;
  if (start % GRAIN || size > UINT32_MAX || end >> 47)
    return false;
  for (uintptr_t page = page_of(start); page < end; page += PAGE)
    if (!slot_of(page))
      return false;
  slot = slot_of(start);
  struct page *first = *slot && page_in(*slot) ? page_in(*slot) : page_make(slot);
  first->starts[grain_of(start) / 64] |= (uint64_t)1 << grain_of(start) % 64;
  first->sizes[grain_of(start)] = (uint32_t)size;
  set_born(first, start, dvmrt_heap_now);
  for (uintptr_t page = page_of(start) + PAGE; page < end; page += PAGE) {
    slot = slot_of(page);
    struct page *p = page_in(*slot);
    if (p)
      p->cover = start;
    else
      *slot = start | REACHES;
  }
  return true;
}

/* ---- both ------------------------------------------------------------------------------------------------------------------------ */

bool dvmrt_heap_remove(uintptr_t start, struct dvmrt_extent *x) {
  if (!begins(start))
    return root && treap_remove(start, x);
  *x = extent_at(start);
  table_remove(start);
  return true;
}

void dvmrt_heap_add(uintptr_t start, uint64_t size) {
  uintptr_t end = start + (size ? size : 1);
  table_drop(start, end);
  if (root)
    treap_drop(start, end);
  if (!table_add(start, size))
    treap_add(start, size);
}

void dvmrt_heap_is_old(uintptr_t start, uint32_t born) {
  if (begins(start))
    set_born(page_in(slot_at(start)), start, born);
  else
    (*link_of(start))->x.born = born;
}

bool dvmrt_heap_find(uintptr_t a, struct dvmrt_extent *x) { return table_find(a, x) || (root && treap_find(a, x)); }
