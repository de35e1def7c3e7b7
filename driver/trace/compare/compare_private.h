/* The inside of a comparison.  A is the reference, B the run. */
#ifndef DVMT_COMPARE_PRIVATE_H
#define DVMT_COMPARE_PRIVATE_H
#include "driver/trace/compare/compare.h"
#include <string.h>

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
struct sums {
  uint64_t *sum; /* owned; by key: of the values written */
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
  bool matched;            /* constructs have been */
  uint32_t *partners;      /* owned; of A's sites: B's at the same place of the source, or UINT32_MAX */
  size_t npartners;
  char **names;            /* by key */
  size_t nnames;
  struct { struct keys sites, objects; } a, b;
  struct dvmt_site_def *b_sites;
  struct dvmt_type *b_types;
  struct dvmt_object_def *b_objects;
  struct item ahead;       /* next record of A, if has_ahead */
  bool has_ahead;
  struct open open[OPEN_MAX];
  int depth;
  uint64_t enters;
  struct counts a_counts, b_counts;
  struct counts a_totals;  /* executions in all of A; counted when they are first needed */
  bool counted;
  uint32_t no_count;
  bool over;               /* a torn reference has ended: what follows is not compared */
  bool lost;               /* after a difference of structure outside parallel constructs: until both meet again */
  struct items a_items, b_items, b_tail;
  /* Inside a parallel construct: */
  bool in_parallel, unpaired /* A has no such execution */, overflow, b_in_iteration, may_drop;
  uint32_t parallel_key;
  int parallel_depth;
  struct item b_iteration;
  bool halved;             /* its first part has been compared, on both sides */
  int halved_depth;        /* constructs that were open in it then */
  struct waiting *waiting[WINDOW_LISTS];
  size_t nwaiting, window; /* bytes */
  struct sums a_sums, b_sums; /* since the window is full */
  uint64_t *seen;          /* hashes of the iterations that B has executed */
  size_t nseen;
  uint32_t reductions[REDUCTIONS_MAX]; /* keys of the variables of the present construct */
  unsigned nreductions;
  size_t same_objects, same_sites; /* of the same numbers on both sides mean the same */
  double *scales;          /* by key: greatest magnitude in A */
  bool scales_behind;      /* values have been passed over */
  struct dvmt_reader *scaling; /* owned; reads again what was passed over, when it is needed */
  size_t nscales;
  double no_scale;
  struct dvmt_finding **findings;
  size_t nfindings;
};

/* ---- compare_side.c: names and numbers that both sides share, records of A ------------------------------------------------- */

/* The key of a name.  A failure is noted in c->rc, here and below. */
uint32_t dvmt_cmp_intern(struct dvmt_compare *c, const char *name);
bool dvmt_cmp_add_key(struct keys *k, uint32_t key);
uint32_t dvmt_cmp_site_key(struct dvmt_compare *c, const char *text);
void dvmt_cmp_to_item(const struct keys *sites, const struct keys *objects, const struct dvmt_record *r, struct item *it);
/* The next record of A in c->ahead; false at its end. */
bool dvmt_cmp_peek(struct dvmt_compare *c);
static inline struct item *dvmt_cmp_take(struct dvmt_compare *c) {
  c->has_ahead = false;
  return &c->ahead;
}

static inline const char *dvmt_cmp_a_text(const struct dvmt_compare *c, const struct item *it) {
  return dvmt_reader_site(c->reference, it->site)->text;
}
static inline const char *dvmt_cmp_b_text(const struct dvmt_compare *c, const struct item *it) { return c->b_sites[it->site].text; }
static inline bool dvmt_cmp_a_parallel(const struct dvmt_compare *c, const struct item *it) {
  return dvmt_reader_site(c->reference, it->site)->kind == DVMT_SITE_CONSTRUCT;
}
static inline bool dvmt_cmp_b_parallel(const struct dvmt_compare *c, const struct item *it) {
  return c->b_sites[it->site].kind == DVMT_SITE_CONSTRUCT;
}
/* The variable's name; "" for a construct. */
static inline const char *dvmt_cmp_key_name(const struct dvmt_compare *c, uint32_t key) {
  return c->names[key][0] == '\1' ? "" : c->names[key];
}

/* ---- compare_places.c: a source that has been changed ------------------------------------------------------------------------ */

/* Gives the run's constructs the keys of the same ones of the reference, whose lines may be others; before the first record. */
void dvmt_cmp_match_places(struct dvmt_compare *c);
/* Site text for the place of A's record: in the run's source, if it has one there. */
const char *dvmt_cmp_place_text(const struct dvmt_compare *c, const struct item *a);

/* ---- compare_finding.c ------------------------------------------------------------------------------------------------------- */

/* Where the run is: of its innermost construct or loop. */
const char *dvmt_cmp_iteration_text(const struct dvmt_compare *c, char *buf, size_t size);
/* The finding of this kind, variable and place in the present construct, counted once more; new if count is 1: then it is to be
 * told.  NULL without memory, and if this kind is not wanted. */
struct dvmt_finding *dvmt_cmp_finding(struct dvmt_compare *c, enum dvmt_finding_id id, const char *variable, const char *text);
void dvmt_cmp_tell(struct dvmt_compare *c, struct dvmt_finding *f, const char *element, const char *message);
/* A difference of structure, told if it is new. */
void dvmt_cmp_structure(struct dvmt_compare *c, const char *variable, const char *element, const char *text, const char *message);
const char *dvmt_cmp_describe(struct dvmt_compare *c, const struct item *it, bool of_reference, char *buf, size_t size);
void dvmt_cmp_finding_free(struct dvmt_finding *f);

/* ---- compare_value.c: two records of the same kind and key ------------------------------------------------------------------- */

void dvmt_cmp_pair(struct dvmt_compare *c, const struct item *a, const struct item *b);

/* ---- compare_list.c: lists of records that should be the same, in order ------------------------------------------------------ */

void dvmt_cmp_add_item(struct dvmt_compare *c, struct items *l, const struct item *it);
/* The reduction variables of the construct with this text, in c->reductions. */
void dvmt_cmp_find_reductions(struct dvmt_compare *c, const char *text);
bool dvmt_cmp_is_optional(const struct dvmt_compare *c, const struct item *it);
/* Both lists lose what is optional, if c->may_drop. */
void dvmt_cmp_lists(struct dvmt_compare *c, struct items *a, struct items *b);

static inline bool dvmt_cmp_same_item(const struct item *a, const struct item *b) {
  if (a->kind != b->kind || a->key != b->key || a->offset != b->offset)
    return false;
  return a->kind != DVMT_ITER || (a->nwords == b->nwords && !memcmp(a->words, b->words, a->nwords * 8u));
}

/* ---- compare_iteration.c: iterations in any order ---------------------------------------------------------------------------- */

void dvmt_cmp_clear_window(struct dvmt_compare *c);
void dvmt_cmp_clear_sums(struct dvmt_compare *c);
/* The run has finished an iteration: c->b_iteration, c->b_items. */
void dvmt_cmp_end_iteration(struct dvmt_compare *c);
/* The reference's construct to its end; what was not executed is missing. */
void dvmt_cmp_finish_parallel(struct dvmt_compare *c);

/* ---- compare_order.c: the order of constructs -------------------------------------------------------------------------------- */

static inline bool dvmt_cmp_is_anchor(const struct item *it) {
  return it->kind == DVMT_ENTER || it->kind == DVMT_LEAVE || it->kind == DVMT_ITER;
}
/* The count of a construct, to be read and changed. */
uint32_t *dvmt_cmp_count(struct dvmt_compare *c, struct counts *counts, uint32_t key);
/* Compares the values between two anchors, the run's in c->b_items; 'whole': up to the reference's next anchor. */
void dvmt_cmp_stretch(struct dvmt_compare *c, bool whole);
/* The run's next record, outside and inside of parallel constructs. */
void dvmt_cmp_in_order(struct dvmt_compare *c, const struct item *b);
void dvmt_cmp_in_parallel(struct dvmt_compare *c, const struct item *b);
#endif
