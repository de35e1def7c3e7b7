#include "runtime/data/heap.h"
#include "runtime/data/mem.h"
#include <stddef.h>

/* A treap: ordered by start, heap-ordered by a hash of it, so that the shape needs no stored balance. */
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

bool dvmrt_heap_remove(uintptr_t start, struct dvmrt_extent *x) {
  struct node **at = link_of(start), *n = *at;
  if (!n)
    return false;
  *x = n->x;
  *at = join(n->left, n->right);
  dvmrt_mem_free(n, sizeof(*n));
  return true;
}

void dvmrt_heap_add(uintptr_t start, uint64_t size) {
  struct dvmrt_extent gone;
  uintptr_t end = start + (size ? size : 1);
  for (struct node *n; (n = floor_of(end - 1)) && (n->x.start >= start || n->x.start + n->x.size > start);)
    dvmrt_heap_remove(n->x.start, &gone);
  struct node *n = dvmrt_mem_alloc(sizeof(*n));
  n->x = (struct dvmrt_extent){start, size};
  n->rank = rank_of(start);
  struct node **at = &root;
  while (*at && (*at)->rank >= n->rank)
    at = start < (*at)->x.start ? &(*at)->left : &(*at)->right;
  split(*at, start, &n->left, &n->right);
  *at = n;
}

bool dvmrt_heap_find(uintptr_t a, struct dvmrt_extent *x) {
  struct node *n = floor_of(a);
  if (!n || (a != n->x.start && a - n->x.start >= n->x.size))
    return false;
  *x = n->x;
  return true;
}
