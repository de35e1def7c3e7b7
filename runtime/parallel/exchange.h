/* What directives bring from other ranks: shadow edges, remote elements, copies of sections. */
#ifndef DVMP_EXCHANGE_H
#define DVMP_EXCHANGE_H
#include "runtime/parallel/construct.h"

/* All 'H' items: at once. */
void dvmp_exchange_renew(struct dvmrt_directive *d, const int64_t *args);
/* The widths that a clause gives, which fail if they exceed the edge; 'what' they are, in the message. */
void dvmp_exchange_widths(const struct dvmrt_directive *d, const struct dvmrt_item *i, const int64_t *args, const struct dvmp_array *a,
                          const char *what, struct dvmrt_box *box);
/* Fails unless the array has the named edge of the item. */
void dvmp_exchange_named(const struct dvmrt_directive *d, const struct dvmrt_item *i, const struct dvmp_array *a);
/* All 'M' items, for the iterations of 'c' (not yet entered; parts are known). */
void dvmp_exchange_remote(struct dvmp_construct *c);
/* The section of item 'i' that a rank needs. */
struct dvmp_set dvmp_exchange_section(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmrt_item *i,
                                      const struct dvmp_array *a, int rank);
/* shadow_group, shadow_start, shadow_wait. */
void dvmp_exchange_group(struct dvmrt_directive *d, const int64_t *args);
void dvmp_exchange_start(const struct dvmrt_directive *d, const char *group);
void dvmp_exchange_wait(const struct dvmrt_directive *d, const char *group);
/* array_copy */
void dvmp_exchange_copy(struct dvmrt_directive *d, const int64_t *args);
#endif
