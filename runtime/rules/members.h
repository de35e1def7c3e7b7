/* The data that a range of structs is judged by (DVMRT_ACCESS_MEMBERS). */
#ifndef DVMRT_MEMBERS_H
#define DVMRT_MEMBERS_H
#include "runtime/data/site.h"

/* A datum of a struct in the range; parts of it may lie outside. */
struct dvmrt_unit {
  uintptr_t p, end;
  const struct dvmrt_member *member; /* NULL: the struct as a whole, or what is none of it */
  uint64_t index, of;                /* in the row of such members; of the struct from where the range begins */
};

/* Calls 'f' for each unit that meets [p, end) as long as it returns true; the range begins at 'start'.  False: one did not. */
bool dvmrt_members_each(const struct dvmrt_access *x, uintptr_t start, uintptr_t p, uintptr_t end,
                        bool (*f)(void *arg, const struct dvmrt_unit *u), void *arg);
#endif
