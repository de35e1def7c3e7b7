/* The inside of a comparison.  A is the reference, B the run. */
#ifndef DVMT_COMPARE_PRIVATE_H
#define DVMT_COMPARE_PRIVATE_H
#include "runtime/trace/compare.h"

enum { ITEM_WORDS = 7, OPEN_MAX = 256, WINDOW_LISTS = 1 << 14, SEEN_MAX = 1 << 20, REDUCTIONS_MAX = 64 };

/* A record that is kept. */
struct item {
  uint8_t kind, nwords;
  uint32_t site, object;   /* numbers of its own side */
  uint32_t key;            /* of the variable, or of the construct: the same on both sides */
  int64_t offset;
  uint64_t words[ITEM_WORDS];
};
struct items {
  struct item *row; /* owned */
  size_t n, cap;
};
struct keys {
  uint32_t *key; /* owned; by number of site or object */
  size_t n;
};
struct counts {
  uint32_t *count; /* owned; by key */
  size_t n;
};
struct open {              /* construct or loop that the run is in */
  const char *text;
  uint32_t key, nwords;
  uint32_t execution;      /* of this construct, from 1 */
  bool parallel, has_iteration;
  uint64_t words[ITEM_WORDS];
};
struct waiting {           /* iteration of the reference that the run has not executed yet */
  struct waiting *next;
  struct item iteration;
  struct items items;
};

struct dvmt_compare {
  struct dvmt_sink sink;   /* first */
  struct dvmt_reader *reference;
  struct dvmt_compare_options options;
  struct dvmt_compare_totals totals;
  struct dvm_error err;
  int rc;
  char **names;            /* by key */
  size_t nnames;
  struct { struct keys sites, objects; } a, b;
  struct dvmt_site_def *b_sites;
  struct dvmt_type *b_types;
  struct dvmt_object_def *b_objects;
  struct item ahead;       /* next record of A, if has_ahead */
  bool has_ahead, a_damaged;
  struct open open[OPEN_MAX];
  int depth;
  uint64_t enters;
  struct counts a_counts, b_counts;
  uint32_t no_count;
  bool over;               /* a torn reference has ended: what follows is not compared */
  bool lost;               /* after a difference of structure outside parallel constructs: until both meet again */
  struct items a_items, b_items, b_tail;
  /* Inside a parallel construct: */
  bool in_parallel, unpaired /* A has no such execution */, overflow, b_in_iteration, may_drop;
  uint32_t parallel_key;
  int parallel_depth;
  struct item b_iteration;
  struct waiting *waiting[WINDOW_LISTS];
  size_t nwaiting, window; /* bytes */
  uint64_t a_sum, b_sum;
  uint64_t *seen;          /* hashes of the iterations that B has executed */
  size_t nseen;
  uint32_t reductions[REDUCTIONS_MAX]; /* keys of the variables of the present construct */
  unsigned nreductions;
  double *scales;          /* by key: greatest magnitude in A */
  size_t nscales;
  double no_scale;
  struct dvmt_finding **findings;
  size_t nfindings;
};
#endif
