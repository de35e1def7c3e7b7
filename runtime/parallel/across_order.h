/* 'across' whose dependences, or pieces, lie along several dimensions that are cut: the iterations in the order of the loops, right and slow.  A turn
 * is one piece of the walked loop, for one combination of values of the loops around it; turns of all ranks have one order, and before each of its own
 * a rank gets what the turns of others before it have written beside its part. */
#ifndef DVMP_ACROSS_ORDER_H
#define DVMP_ACROSS_ORDER_H
#include "runtime/parallel/across_inside.h"

struct dvmp_order;
/* Whether the values of the loop 'index', and of those around it, are known, and say where the elements lie that iterations write. */
bool dvmp_order_can(const struct dvmp_construct *c, const struct dvmp_across *x, int index);
/* In the construct's memory; sets the number of turns. */
struct dvmp_order *dvmp_order_make(struct dvmp_construct *c, const struct dvmp_across *x, int index);
void dvmp_order_turn(struct dvmp_construct *c, struct dvmp_order *o, int64_t *clamps);
void dvmp_order_turned(struct dvmp_construct *c, struct dvmp_order *o);
void dvmp_order_end(struct dvmp_order *o);
#endif
