/* 'across' over parts of several pieces ('indirect', 'derived'): a turn for each piece, in the order of the loop; before it the rank has the new
 * values that lie beside the piece, and behind it those go that others wait for.  With rows, for dependences that lead both ways: a turn for each
 * combination of values of the loops around, and each piece; parts may then be of one piece. */
#ifndef DVMP_ACROSS_PIECES_H
#define DVMP_ACROSS_PIECES_H
#include "runtime/parallel/construct.h"

/* An array under 'across' that dependences lead along the loop of: new values come from so many elements before a piece, seen as the loop runs;
 * 'behind': as many behind it are new of rows before. */
struct dvmp_pieced {
  struct dvmp_array *a;
  int dim;
  struct dvmrt_coord at; /* where the dimension lies along the root */
  bool upwards; /* the loop goes towards higher indices of it */
  int64_t width, behind;
};

struct dvmp_pieces;
/* The dimension of the root whose places some rank has in several pieces, or -1. */
int dvmp_pieces_dim(const struct dvmp_construct *c);
/* In the construct's memory; 'of', in the same order on all ranks, is borrowed for as long.  'index': of the loop whose pieces are meant.  Sets the
 * number of turns. */
struct dvmp_pieces *dvmp_pieces_make(struct dvmp_construct *c, int n, const struct dvmp_pieced *of, int index, bool rows);
void dvmp_pieces_turn(struct dvmp_construct *c, struct dvmp_pieces *p, int64_t *clamps);
void dvmp_pieces_turned(struct dvmp_construct *c, struct dvmp_pieces *p);
void dvmp_pieces_end(struct dvmp_pieces *p);
#endif
