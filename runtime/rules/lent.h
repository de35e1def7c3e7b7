/* Elements that procedures of Fortran are given under remote_access: the callee reads the buffer there. */
#ifndef DVMRT_LENT_H
#define DVMRT_LENT_H
#include "runtime/rules/check.h"

/* The argument of the call that follows, 'size' bytes at 'p'; nothing where the reference uses no buffer. */
void dvmrt_lent_begin(uintptr_t p, uint64_t size, struct dvmrt_site *site);
/* The call is over. */
void dvmrt_lent_end(uintptr_t p);
bool dvmrt_lent_has(uintptr_t p);
#endif
