/* The inside of named edges, for the files that look into them. */
#ifndef DVMRT_EDGES_PRIVATE_H
#define DVMRT_EDGES_PRIVATE_H
#include "runtime/data/edges.h"

struct dvmrt_holders;

/* What is at this place along dimension 'r' of the readers' root is index (place - add) / coef. */
struct dvmrt_edge_key {
  int r;
  int64_t coef, add, extent;
};

struct dvmrt_held {
  int64_t key, low, high;       /* a span of the dimension's indices */
};

struct dvmrt_edge {
  struct dvmrt_edge *next;
  const char *name;
  const void *root;             /* what lies on it may have the edge; NULL: nothing any more */
  struct dvmrt_edge_key at;                /* where the dimension lies along it; r = -1: nothing divides it */
  bool unknown;
  const void *readers;          /* the root that the rule's indices lie on */
  int nkeys;
  struct dvmrt_edge_key key[DVMRT_NDIMS_MAX];
  struct dvmrt_held *held;            /* by key */
  uint32_t n, cap;
  struct dvmrt_holders *holders; /* keys by index, or NULL */
};

struct dvmrt_has_edge {
  struct dvmrt_has_edge *next;
  struct dvmrt_edge *edge;
  bool renewed;
};

/* False: no index lies there. */
static inline bool dvmrt_edge_index(const struct dvmrt_edge_key *k, int64_t place, int64_t *index) {
  *index = (place - k->add) / k->coef;
  return (place - k->add) % k->coef == 0 && *index >= 0 && *index < k->extent;
}

/* What the edge holds changes. */
void dvmrt_holders_drop(struct dvmrt_edge *e);
#endif
