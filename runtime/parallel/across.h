/* 'across': old values come before the loop, new ones from rank to rank, in stages where the dependences allow it. */
#ifndef DVMP_ACROSS_H
#define DVMP_ACROSS_H
#include "runtime/parallel/construct.h"

/* Values of loops along no dimension, by which ranks take turns, and which way loops go whose step only the run knows, a turn without iterations tells
 * first. */
bool dvmp_across_asks(struct dvmp_construct *c);
void dvmp_across_ask(struct dvmp_construct *c, int64_t *clamps);
/* Brings the old values; may set the number of turns.  'c->across' stays NULL where nothing is to be passed on. */
void dvmp_across_begin(struct dvmp_construct *c);
/* Before turn 'c->turn': waits for what it needs, and clamps the tiled index variable. */
void dvmp_across_turn(struct dvmp_construct *c, int64_t *clamps);
/* After it. */
void dvmp_across_turned(struct dvmp_construct *c);
void dvmp_across_end(struct dvmp_construct *c);
#endif
