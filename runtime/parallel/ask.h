/* Elements that ranks with other tasks have: a task may read them under remote_access, and copy them.  Within a region each rank answers others
 * while it waits for anything, at the latest for the end of the region, where all meet. */
#ifndef DVMP_ASK_H
#define DVMP_ASK_H
#include "runtime/parallel/array.h"

/* A region whose tasks are executed by their ranks begins, on all ranks; ends, when all have met behind it. */
void dvmp_ask_begin(void);
void dvmp_ask_end(void);
/* Before the end of MPI. */
void dvmp_ask_close(void);
/* Answers who has asked; of a rank that waits. */
void dvmp_ask_serve(void);

/* Elements 'of' of 'from' on rank 'rank' come to the places 'to' of 'in', which may be another array; as many, in the same order. */
void dvmp_ask_get(const struct dvmp_array *from, int rank, const struct dvmp_set *of, const struct dvmp_array *in,
                  const struct dvmp_set *to);
/* Elements 'of' of 'from', of this rank, go to the places 'to' of 'in' on rank 'rank', and have come there. */
void dvmp_ask_put(const struct dvmp_array *from, const struct dvmp_set *of, const struct dvmp_array *in, int rank,
                  const struct dvmp_set *to);
/* The elements of the set that this rank does not have itself come to their own places, for the construct that begins. */
void dvmp_ask_remote(struct dvmp_array *a, const struct dvmp_set *s);
#endif
