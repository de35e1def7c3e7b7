/* Which reduction an update in the user's source looks like. */
#ifndef DVMRT_GUESS_H
#define DVMRT_GUESS_H
#include "runtime/data/site.h"

/* "sum", "max" ..; NULL: it does not look like one.  'line' is the source text, 'before' the line above it ("" if none),
 * 'column' (from 1) is where the variable 'name' is assigned. */
const char *dvmrt_guess_in(const char *before, const char *line, uint32_t column, const char *name);
/* The same from the file; where a condition stands some plain statements above, from there. */
const char *dvmrt_guess_operation(struct dvmrt_pos pos, const char *name);
/* Is what is assigned there, or in the line, the result of a function, which may collect in any way? */
bool dvmrt_guess_is_call(struct dvmrt_pos pos, const char *name);
/* dvmrt_guess_operation for an update in the line of 'pos' or the next one; 'at' is where it stands. */
const char *dvmrt_guess_near(struct dvmrt_pos pos, const char *name, struct dvmrt_pos *at);
/* Is the line neither the head nor the end of a branch or a loop? */
bool dvmrt_guess_is_plain(const char *file, uint32_t line);
#endif
