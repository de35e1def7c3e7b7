/* Words at a constant distance: what a reference of an innermost loop meets, turn by turn.  Tests change nothing and answer for all
 * words together what the inline checks of abi.h ask of each. */
#ifndef DVMRT_SERIES_H
#define DVMRT_SERIES_H
#include "runtime/export.h"
#include <stdbool.h>
#include <stddef.h>

struct dvmrt_series {
  uint32_t *words;       /* of the first turn */
  size_t count;          /* at least 1 */
  ptrdiff_t step;        /* words from one turn to the next, not 0 unless count is 1 */
};

/* The fields of a dvmrt_view, or of __dvmrt_now. */
struct dvmrt_limits {
  uint32_t first_read, first_write, mask;
};

/* Is each of them this word? */
bool dvmrt_series_is(const struct dvmrt_series *s, uint32_t word);
/* Is each at least 'low' and below 'high'? */
bool dvmrt_series_between(const struct dvmrt_series *s, uint32_t low, uint32_t high);
/* Has each a value? */
bool dvmrt_series_assigned(const struct dvmrt_series *s);
/* How many have none? */
size_t dvmrt_series_valueless(const struct dvmrt_series *s);
/* May each be read by the iteration 'now' (0: by one that has touched nothing yet)?  '*fresh', a guess before: which are to be
 * marked for it. */
enum dvmrt_freshness { DVMRT_ALL_FRESH, DVMRT_SOME_FRESH, DVMRT_NONE_FRESH };
bool dvmrt_series_readable(const struct dvmrt_series *s, const struct dvmrt_limits *l, uint32_t now, enum dvmrt_freshness *fresh);
/* .. written? */
bool dvmrt_series_writable(const struct dvmrt_series *s, const struct dvmrt_limits *l, uint32_t now);
/* Word n takes 'mark' + n * 'advance': those that have not been touched yet, or all. */
void dvmrt_series_mark_read(const struct dvmrt_series *s, uint32_t first_read, uint32_t mark, uint32_t advance);
void dvmrt_series_mark(const struct dvmrt_series *s, uint32_t mark, uint32_t advance);
#endif
