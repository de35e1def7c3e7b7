/* The sum of an array's elements when a construct ends, of which most is taken while the construct is executed: of rows that it has just
 * written.  What a later row meets once it is in the sum makes all of that void: the array is summed up when the construct ends. */
#ifndef DVMT_ROWS_H
#define DVMT_ROWS_H
#include "runtime/trace/digest.h"
#include <stdbool.h>
#include <stdint.h>

/* The sum of elements 'from' up to and without 'to', as they are now. */
typedef uint64_t dvmt_rows_sum_f(const void *array, uint64_t from, uint64_t to);

/* DVMT_ROWS_PIECE elements of one piece that waits are summed at once. */
#define DVMT_ROWS_NOWHERE UINT64_MAX
enum { DVMT_ROWS_SPANS = 32, DVMT_ROWS_NEAR = 16, DVMT_ROWS_PIECE = 2048 };
struct dvmt_rows {
  const void *array;           /* given to the function */
  dvmt_rows_sum_f *f;
  dvmt_digest_copy_f *copy;    /* NULL: rows are not copied */
  uint64_t copies_from, copies_to; /* elements whose sum is that of all of them: rows there are copied */
  uint64_t elements, address, element_bytes;
  unsigned shift;              /* element_bytes is 1 << shift; 64: it is no power of 2 */
  uint64_t near;               /* rows with no more elements between them are one */
  uint64_t key;                /* construct and array: of what did not pay last time */
  uint64_t sum;                /* of all in 'done' */
  struct dvmt_rows_span {
    uint64_t from, to;
  } waiting, done[DVMT_ROWS_SPANS]; /* waiting: written lately, may be written again; done: sorted, disjoint */
  uint64_t copied_low, copied_high; /* by dvmt_rows_copy: stored next */
  uint64_t copied_last;             /* an address: all in 'done' lies before it, and nothing waits; DVMT_ROWS_NOWHERE: not known */
  int ndone;
  bool off;
};

/* One execution of a construct begins; all but 'shift', 'sum' and what follows is set. */
void dvmt_rows_begin(struct dvmt_rows *r);
/* Stored in the memory from 'low' up to and without 'high'; not this array's: false. */
bool dvmt_rows_stored(struct dvmt_rows *r, uint64_t low, uint64_t high);
/* The same where it lies behind what waits, at once or nearly so, which is what most rows do; false: dvmt_rows_stored has to look. */
static inline bool dvmt_rows_follow(struct dvmt_rows *r, uint64_t low, uint64_t high) {
  const uint64_t from = (low - r->address) >> (r->shift & 63), to = (high - r->address + r->element_bytes - 1) >> (r->shift & 63);
  struct dvmt_rows_span *w = &r->waiting;
  if (r->shift > 63 || w->from == w->to || w->to - w->from >= DVMT_ROWS_PIECE || from - w->to > r->near || to > r->elements || r->off)
    return false;
  w->to = to;
  return true;
}
/* Copies a row that is stored next into memory that it does not overlap, and adds it to the sum at once; false: nothing is done. */
bool dvmt_rows_copy(struct dvmt_rows *r, void *to, const void *from, uint64_t bytes);
/* The same where it lies behind the row that was copied last, at once or nearly so; false: dvmt_rows_copy has to look. */
static inline bool dvmt_rows_copy_next(struct dvmt_rows *r, void *to, const void *from, uint64_t bytes) {
  const uint64_t low = (uintptr_t)to, first = low - r->address, behind = first + bytes, gap = low - r->copied_last;
  if (gap > r->near * r->element_bytes || (gap | bytes) & (r->element_bytes - 1) || !bytes ||
      (uintptr_t)from - low + bytes - 1 < 2 * bytes - 1 || behind > r->copies_to * r->element_bytes)
    return false;
  struct dvmt_rows_span *last = &r->done[r->ndone - 1];
  if (gap)
    r->sum += r->f(r->array, last->to, first >> r->shift);
  r->sum += r->copy((char *)to - first, from, first, behind);
  last->to = behind >> r->shift;
  r->copied_low = low;
  r->copied_high = r->copied_last = low + bytes;
  return true;
}
/* That row has been stored. */
static inline bool dvmt_rows_copied(struct dvmt_rows *r, uint64_t low, uint64_t high) {
  if (low != r->copied_low || high != r->copied_high)
    return false;
  r->copied_low = r->copied_high = 0;
  return true;
}
/* Behind the last of them: the sum of the whole array. */
uint64_t dvmt_rows_end(struct dvmt_rows *r);
/* As __dvmt_row gets it. */
static inline void dvmt_rows_bounds(uint64_t first, uint64_t behind, uint64_t bytes, uint64_t *low, uint64_t *high) {
  *low = behind > first ? first : behind + bytes;
  *high = behind > first && behind - first > bytes ? behind : first + bytes;
}
#endif
