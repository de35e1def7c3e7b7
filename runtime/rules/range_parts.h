/* Between range.c and range_array.c alone. */
#ifndef DVMRT_RANGE_PARTS_H
#define DVMRT_RANGE_PARTS_H
#include "runtime/rules/check.h"

struct dvmrt_bytes {
  struct dvmrt_event ev; /* of each part, as it begins */
  uintptr_t start;
  bool copied;           /* what has no value is copied so */
  bool stored;           /* by a statement of the program */
  bool placed;           /* where it lies has been judged */
  intptr_t target;       /* from an address to where its content goes; 0: nowhere, or not known */
  bool astray;           /* some of it was written where it must not be */
};

/* Is there a word in the range of which 'is' holds for all (or, with 'any', for one)? */
bool dvmrt_range_words_are(const struct dvmrt_bytes *r, uintptr_t p, uintptr_t end, bool any,
                           bool (*is)(const struct dvmrt_bytes *, uint32_t));
bool dvmrt_range_valueless(const struct dvmrt_bytes *r, uint32_t w);
/* What is used needs a value: each element, of structs each member, of anything else some part.  What is copied needs none. */
bool dvmrt_range_needs_values(const struct dvmrt_bytes *r);
/* Judges [p, end) of the array. */
void dvmrt_range_array(struct dvmrt_bytes *r, struct dvmrt_array *a, uintptr_t p, uintptr_t end);
/* What judging since 'hits' has counted, if it is one finding; NULL: nothing that is known, '*none' if nothing at all. */
struct dvmrt_finding *dvmrt_range_finding(uint64_t hits, bool *none);
#endif
