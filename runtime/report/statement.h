/* Where a statement of C begins, in the user's text. */
#ifndef DVMRT_STATEMENT_H
#define DVMRT_STATEMENT_H
#include "runtime/report/pragma.h"

/* 'p' is open at the line of 'pos', which is in the statement; it is moved to the line that the statement begins in.  The offset of its first character.
 * By the text alone: what is not seen through (macros) begins with its line. */
size_t dvmrt_statement_begin(struct dvmrt_pragma *p, struct dvmrt_pos pos);
#endif
