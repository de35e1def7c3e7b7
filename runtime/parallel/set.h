/* Sets of indices: of each dimension a list of spans, and all combinations of them.  What a rank owns, what it needs, what it sends
 * to another one: all are such sets, and so are their intersections. */
#ifndef DVMP_SET_H
#define DVMP_SET_H
#include "runtime/abi.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dvmp_span {
  int64_t low, high; /* both included; low <= high */
};

struct dvmp_list {   /* sorted, disjoint */
  int n;
  const struct dvmp_span *at; /* an arena's */
};

struct dvmp_set {
  int ndims;
  struct dvmp_list dim[DVMRT_NDIMS_MAX];
};

/* Memory of things that go together. */
struct dvmp_arena {
  struct dvmp_chunk *last;
};
void *dvmp_arena_get(struct dvmp_arena *m, size_t size); /* zeroed; never NULL */
void dvmp_arena_free(struct dvmp_arena *m);

struct dvmp_list dvmp_list_of(struct dvmp_arena *m, int64_t low, int64_t high);
struct dvmp_list dvmp_list_meet(struct dvmp_arena *m, struct dvmp_list a, struct dvmp_list b);
struct dvmp_list dvmp_list_minus(struct dvmp_arena *m, struct dvmp_list a, struct dvmp_list b);
/* Each span moved by 'by'. */
struct dvmp_list dvmp_list_shift(struct dvmp_arena *m, struct dvmp_list a, int64_t by);
/* Each span wider by 'low' and 'high', inside 0 .. extent-1. */
struct dvmp_list dvmp_list_widen(struct dvmp_arena *m, struct dvmp_list a, int64_t low, int64_t high, int64_t extent);
/* All x of which coef * x + add is in 'a'; coef != 0. */
struct dvmp_list dvmp_list_before(struct dvmp_arena *m, struct dvmp_list a, int64_t coef, int64_t add);
/* The same, of those in 0 .. extent-1, each span wider by 'low' and 'high'.  A single place of 'points' in 'a' between two elements of an array at
 * every second one has the edges of both, as the checker has it (runtime/data/layout.h: dvmrt_layout_place_pairs); 'points' 0: it has none. */
struct dvmp_list dvmp_list_around(struct dvmp_arena *m, struct dvmp_list a, int64_t coef, int64_t add, int64_t low, int64_t high,
                                  int64_t extent, int64_t points);
/* The span from the least coef * x + add to the greatest, x in 'a'. */
struct dvmp_list dvmp_list_after(struct dvmp_arena *m, struct dvmp_list a, int64_t coef, int64_t add);
struct dvmp_list dvmp_list_join(struct dvmp_arena *m, struct dvmp_list a, struct dvmp_list b);
struct dvmp_list dvmp_list_copy(struct dvmp_arena *m, struct dvmp_list a);
int64_t dvmp_list_count(struct dvmp_list a);
bool dvmp_list_has(struct dvmp_list a, int64_t x);
/* The first span that does not lie before 'x'; a.n: all do. */
int dvmp_list_at(struct dvmp_list a, int64_t x);

struct dvmp_set dvmp_set_meet(struct dvmp_arena *m, const struct dvmp_set *a, const struct dvmp_set *b);
bool dvmp_set_empty(const struct dvmp_set *s);
int64_t dvmp_set_count(const struct dvmp_set *s);
/* A copy of which all is in 'm'. */
struct dvmp_set dvmp_set_copy(struct dvmp_arena *m, const struct dvmp_set *s);

/* The elements of a set, in order: 'n' runs of 'count' elements that lie together, the first at 'offset', each 'step' behind the one before. */
typedef void dvmp_line_f(void *arg, int64_t offset, int64_t count, int64_t step, int64_t n);
void dvmp_set_lines(const struct dvmp_set *s, const int64_t *stride, const int64_t *extent, dvmp_line_f *f, void *arg);
/* The same run by run, in runs of the last dimensions that lie together, in order: 'offset' and 'count' in elements. */
typedef void dvmp_run_f(void *arg, int64_t offset, int64_t count);
void dvmp_set_runs(const struct dvmp_set *s, const int64_t *stride, const int64_t *extent, dvmp_run_f *f, void *arg);
/* Of these what lies from 'from' up to and without 'to', counted in elements of the array: each dimension's stride is all that is behind it. */
void dvmp_set_runs_within(const struct dvmp_set *s, const int64_t *stride, const int64_t *extent, int64_t from, int64_t to, dvmp_run_f *f,
                          void *arg);
#endif
