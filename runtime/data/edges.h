/* Named edges ('shadow_add'): which elements of others they hold for each iteration, as their rules give them, and whether they have been
 * renewed. */
#ifndef DVMRT_EDGES_H
#define DVMRT_EDGES_H
#include "runtime/data/array.h"

struct dvmrt_edge;

/* All inside dvmrt_mem_enter. */
/* What the rule of number 'number' gave, which is over then, for dimension 'dim' of the array or template, as an edge of this name.  NULL: it is
 * not distributed.  A second one of the name takes the place of the first. */
struct dvmrt_edge *dvmrt_edges_make(struct dvmrt_array *a, const char *name, int dim, int64_t number);
/* The same of an edge whose rule nobody has evaluated: it may hold anything. */
struct dvmrt_edge *dvmrt_edges_make_unknown(struct dvmrt_array *a, const char *name);
/* The array has it from now on.  False: it does not lie where that has been made. */
bool dvmrt_edges_include(struct dvmrt_array *a, struct dvmrt_edge *e);
/* It is renewed, all of them are if 'name' is NULL.  False: the array has none of this name. */
bool dvmrt_edges_renew(struct dvmrt_array *a, const char *name);
void dvmrt_edges_stale(struct dvmrt_array *a);
/* An edge of the array that is (not) renewed and holds element 'ix' for iteration 'iv' of a nest that lies so; 'p' is what is known of its
 * place.  One that is renewed, and of which it is not known what the iteration has, is taken to hold it.  Its name, or NULL: none does. */
const char *dvmrt_edges_holding(struct dvmrt_array *a, const struct dvmrt_layout *nest, const int64_t *iv, const int64_t *ix,
                                const struct dvmrt_place *p, bool renewed);
/* The array, or what it is aligned with, has another place, or is gone: it has no such edges, and where it is counted through nothing is known. */
void dvmrt_edges_moved(struct dvmrt_array *a);
/* Does an edge of the array hold, or may it hold, index 'index' of dimension 'dim' where element 'ix' of an array that lies as 'readers' does is? */
bool dvmrt_edges_reach(struct dvmrt_array *a, int dim, int64_t index, const struct dvmrt_layout *readers, const int64_t *ix);
/* What one iteration has in an edge of an array of one dimension. */
struct dvmrt_edge_reader {
  const struct dvmrt_edge *edge;
  int64_t key, coef, add;
  uint32_t first;
};
/* .. in the first one that is renewed and of which that is known.  False: there is none.  'r' is what an iteration before had, or zeros. */
bool dvmrt_edges_reader(struct dvmrt_array *a, const struct dvmrt_layout *nest, const int64_t *iv, struct dvmrt_edge_reader *r);
bool dvmrt_edges_reads(const struct dvmrt_edge_reader *r, int64_t index);
/* Calls 'f' with each place, so far away along dimension 'r' of the root from where the iteration is, at which a reader has it in the array's edge
 * of that name, until it says false.  Edges of which that is not known: with none. */
typedef bool dvmrt_edge_holder_f(void *arg, int r, int64_t away);
bool dvmrt_edges_holders(const struct dvmrt_array *a, const char *name, const struct dvmrt_layout *nest, const int64_t *iv,
                         dvmrt_edge_holder_f *f, void *arg);
/* The dimension of the array along which its edge of that name lies. */
int dvmrt_edges_dim(struct dvmrt_array *a, const char *name);
/* Takes into 'h' what verdicts on reads of its edges depend on. */
uint64_t dvmrt_edges_key(const struct dvmrt_array *a, uint64_t h);
#endif
