/* DVM_OPTIONS=poison=1: of each element of a distributed array a rank knows whether it holds a value that the directives provide for.  What
 * does not is filled with values that are no results, and the second bodies of functions (pass/llvm/CheckedBodies.cpp) ask before each
 * access.  An element that unseen code has filled holds another value than the poison: it is taken for good. */
#ifndef DVMP_POISON_H
#define DVMP_POISON_H
#include "runtime/parallel/array.h"

enum dvmp_state {
  DVMP_OWN, /* with a value */
  DVMP_UNSET, /* own, without a value */
  DVMP_EDGE, /* of another rank, brought as an edge */
  DVMP_REMOTE, /* .. by remote_access, for the construct that is executed */
  DVMP_FOREIGN, /* never brought */
  DVMP_STALE, /* an edge, and the array has been written since */
  DVMP_PENDING, /* its exchange is under way */
  DVMP_OVER, /* the construct with remote_access has ended */
};
enum { DVMP_POISON_BYTE = 0x8b };
struct dvmp_poison {
  uint8_t *state; /* of each element: enum dvmp_state */
  char *value; /* an element of poison */
  bool written; /* by this rank, in the construct that is executed */
  struct brought *brought;
};

/* The array has got its place; 'unset': its elements have no values. */
void dvmp_poison_place(struct dvmp_array *a, bool unset);
void dvmp_poison_drop(struct dvmp_array *a);
/* Element 'i' of the array's memory has never got a value. */
bool dvmp_poison_unset(const struct dvmp_array *a, uint64_t i);
/* Elements are being brought (state PENDING), have come. */
void dvmp_poison_pending(struct dvmp_array *a, const struct dvmp_set *s);
void dvmp_poison_brought(struct dvmp_array *a, const struct dvmp_set *s, bool remote);
/* Elements of an edge have been computed here, those of them that hold a value; what iterations for edges wrote elsewhere is cleaned away. */
void dvmp_poison_computed(struct dvmp_array *a, const struct dvmp_set *s);
void dvmp_poison_clean(void);
/* An element is assigned outside of loops: all ranks know. */
void dvmp_poison_assigned(struct dvmp_array *a, uintptr_t at, uint64_t size);
/* A construct of all ranks ends, the 'depth'th from 0: what was written, by whichever rank, makes edges stale; what its remote_access brought is
 * over. */
void dvmp_poison_end(int depth);
#endif
