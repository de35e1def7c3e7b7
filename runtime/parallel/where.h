/* Words for where something is: an element, a rank's part, a place in the program. */
#ifndef DVMP_WHERE_H
#define DVMP_WHERE_H
#include "runtime/parallel/array.h"

struct dvmp_where {
  const char *file;             /* 'text', or NULL */
  uint32_t line, column;        /* 0: not known */
  char function[128];           /* "" */
  char text[512];
};

/* The place in the program that an instruction, or the call that led to it, belongs to: asks addr2line or llvm-symbolizer, if there is debug
 * information.  For the last words of a process. */
void dvmp_where_of(uintptr_t pc, struct dvmp_where *w);
/* "A[3][0]". */
void dvmp_where_element(char *text, size_t room, const struct dvmp_array *a, uintptr_t at);
/* "A[0..3][0..7]", or "nothing of 'A'". */
void dvmp_where_own(char *text, size_t room, const struct dvmp_array *a);
#endif
