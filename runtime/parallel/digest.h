/* DVM_OPTIONS=digest=1: when an array ends, or the program does, rank 0 says what it holds, in a number that does not depend on the number of
 * ranks.  Two runs that end with the same numbers have computed the same. */
#ifndef DVMP_DIGEST_H
#define DVMP_DIGEST_H
#include "runtime/parallel/array.h"

void dvmp_digest_say(const struct dvmp_array *a);
void dvmp_digest_say_all(void);
#endif
