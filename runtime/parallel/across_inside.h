/* What the files of 'across' share: its arrays, the sets of elements that are passed on, the stages of a pipeline. */
#ifndef DVMP_ACROSS_INSIDE_H
#define DVMP_ACROSS_INSIDE_H
#include "runtime/parallel/construct.h"

/* An array under 'across'. */
struct dvmp_member {
  struct dvmp_array *a;
  struct dvmrt_box box;
  int index[DVMRT_NDIMS_MAX];   /* index variable that goes along the dimension, -1: none */
  int sign[DVMRT_NDIMS_MAX];    /* 1: towards higher indices as the loop runs, -1: towards lower */
  int tiled;                    /* dimension that the tiled index variable goes along, -1: none */
  struct dvmp_plan *together, *staged; /* new values: before the first turn, with each turn */
};

struct dvmp_across {
  int n;
  struct dvmp_member *members;
  int tile;                     /* index variable, -1: none */
  int64_t low, high, size;      /* of its coordinate along the root: all, and of a stage */
  int root_dim;
  bool downwards;
  int tag;
  struct dvmp_traffic *sending;
  struct dvmp_pieces *pieces;   /* where parts have several, or rows are passed on one by one; else NULL */
  struct dvmp_order *order;     /* where several dimensions are walked; else NULL */
};

/* ---- across_sets.c -------------------------------------------------------------------------------------------------------------- */

/* SIDES: old values from all sides. */
enum dvmp_wanted { DVMP_OLD, DVMP_OLD_SIDES, DVMP_NEW_TOGETHER, DVMP_NEW_STAGED };
/* The dimension lies along one that is cut. */
bool dvmp_across_is_cut(const struct dvmp_array *a, int dim);
bool dvmp_across_has_cut_edge(const struct dvmp_member *v);
/* Fails where a rank without elements executes iterations between two of them. */
void dvmp_across_need_elements(const struct dvmp_construct *c, const struct dvmp_member *v);
struct dvmp_plan *dvmp_across_plan(const struct dvmp_member *v, enum dvmp_wanted what);

/* ---- across_loops.c ------------------------------------------------------------------------------------------------------------- */

/* The loop's values say where iterations lie. */
bool dvmp_across_has_place(const struct dvmp_construct *c, int k);
/* What the executions of a loop without a place have told: all values from the least to the greatest. */
struct dvmp_list dvmp_across_values(struct dvmp_construct *c, int k);

/* ---- across_stages.c ------------------------------------------------------------------------------------------------------------ */

/* What the compiler says of displacements: 'a': those of each reference lead one way; 'm', '?' or 0: not, or not known. */
char dvmp_across_form(const struct dvmp_construct *c);
static inline const struct dvmp_axis *dvmp_across_axis(const struct dvmp_construct *c, int r) {
  return &dvmp_layout_grid(&c->layout)->axis[r];
}
/* The dimension of the root along which ranks wait for each other: the outermost one that is cut and that new values cross; -1: none. */
int dvmp_across_pipeline(const struct dvmp_construct *c, const struct dvmp_across *x);
/* May set the number of turns and which index variable is tiled. */
void dvmp_across_choose_stages(struct dvmp_construct *c, struct dvmp_across *x, int pipeline);
/* Coordinates of the stage of turn 'turn' along the root, and along the array's tiled dimension. */
struct dvmp_list dvmp_across_stage(struct dvmp_arena *m, const struct dvmp_construct *c, int64_t turn);
struct dvmp_list dvmp_across_stage_in(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmp_member *v, int64_t turn);
#endif
